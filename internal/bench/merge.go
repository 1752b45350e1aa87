package bench

import (
	"slices"

	"matrix/internal/hist"
)

// Split divides the load over its generators: connections, budget of requests
// and rate add up to those of the load, in proportion to each one's connections.
// Each generator has a seed of its own. Of a load with fewer connections than
// generators, some get none.
func (l Load) Split() []Load {
	n := max(l.Generators, 1)
	parts := make([]Load, n)
	done := 0 // connections given away
	for i := range parts {
		p := l
		p.Generators = 0
		p.Conns = l.Conns / n
		if i < l.Conns%n {
			p.Conns++
		}
		p.Requests = share(l.Requests, done+p.Conns, l.Conns) - share(l.Requests, done, l.Conns)
		p.Rate = l.Rate * float64(p.Conns) / float64(max(l.Conns, 1))
		p.Seed = l.Seed + uint64(i)
		done += p.Conns
		parts[i] = p
	}
	return parts
}

// share is total*part/whole without overflow.
func share(total int64, part, whole int) int64 {
	if whole <= 0 {
		return 0
	}
	p, w := int64(part), int64(whole)
	return total/w*p + total%w*p/w
}

// Merge adds up what several generators measured of one load that they made at
// the same time. Counters and distributions are added; the time taken is the
// longest; seconds of the series are counted from each one's own beginning.
// AchievedConns is the sum of the peaks, which need not have been at one moment.
// Notes that several have stand once. What external tools printed is left out:
// it cannot be added up.
func Merge(parts []Measurement) (m Measurement) {
	for _, p := range parts {
		m.Elapsed, m.Drain = max(m.Elapsed, p.Elapsed), max(m.Drain, p.Drain)
		m.Issued, m.OK, m.Aborted = m.Issued+p.Issued, m.OK+p.OK, m.Aborted+p.Aborted
		m.Retried, m.Late, m.Dropped = m.Retried+p.Retried, m.Late+p.Late, m.Dropped+p.Dropped
		m.BodyBytes, m.WireBytes = m.BodyBytes+p.BodyBytes, m.WireBytes+p.WireBytes
		m.Handshakes, m.Resumed = m.Handshakes+p.Handshakes, m.Resumed+p.Resumed
		m.AchievedConns += p.AchievedConns
		for f, n := range p.Failed {
			m.Fail(f, n, p.Messages[f])
		}
		for code, n := range p.Status {
			if m.Status == nil {
				m.Status = map[int]int64{}
			}
			m.Status[code] += n
		}
		m.Connect, m.FirstByte = both(m.Connect, p.Connect), both(m.FirstByte, p.FirstByte)
		m.Latency, m.Service = both(m.Latency, p.Latency), both(m.Service, p.Service)
		m.FailedLatency = both(m.FailedLatency, p.FailedLatency)
		m.said(p)
	}
	return m
}

// said takes over what is told in words, or not told by all.
func (m *Measurement) said(p Measurement) {
	if p.Kept != nil {
		if m.Kept == nil {
			m.Kept = new(int64)
		}
		*m.Kept += *p.Kept
	}
	for i, n := range p.Series {
		if i == len(m.Series) {
			m.Series = append(m.Series, 0)
		}
		m.Series[i] += n
	}
	if p.Client != nil {
		if m.Client == nil {
			m.Client = &ClientCost{}
		}
		c := m.Client
		c.CPUUser, c.CPUSystem = c.CPUUser+p.Client.CPUUser, c.CPUSystem+p.Client.CPUSystem
		c.MaxRSS, c.Threads = c.MaxRSS+p.Client.MaxRSS, c.Threads+p.Client.Threads
		if lag := p.Client.LoopLagP99; lag != nil && (c.LoopLagP99 == nil || *lag > *c.LoopLagP99) {
			c.LoopLagP99 = new(*lag)
		}
	}
	for _, x := range []struct{ to, from *string }{{&m.Backend, &p.Backend}, {&m.Address, &p.Address}, {&m.Server, &p.Server}} {
		if *x.to == "" {
			*x.to = *x.from
		}
	}
	for _, n := range p.Notes {
		if !slices.Contains(m.Notes, n) {
			m.Notes = append(m.Notes, n)
		}
	}
}

// both adds two distributions up, leaving them as they are; nil where there is
// neither.
func both(a, b *hist.Hist) *hist.Hist {
	if b == nil {
		return a
	}
	sum := hist.New(0)
	sum.Merge(a)
	sum.Merge(b)
	return sum
}
