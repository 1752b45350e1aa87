package load

import (
	"fmt"
	"runtime"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
	"matrix/internal/load/poll"
	"matrix/internal/unit"
)

// spent is the CPU time in seconds of the process at some moment.
type spent struct{ user, system float64 }

func startCost() spent {
	user, system, _ := usage()
	return spent{user, system}
}

// sum makes one measurement of the threads' tallies.
func (r *run) sum(tallies []*tally) bench.Measurement {
	t := tallies[0]
	for _, o := range tallies[1:] {
		t.merge(o)
	}
	m := bench.Measurement{
		Issued: t.issued, OK: t.ok, Aborted: t.aborted, Retried: t.retried, Late: t.late, Dropped: t.dropped,
		BodyBytes: t.body, WireBytes: t.wire, Kept: new(t.kept),
		Connect: measured(t.connect), FirstByte: measured(t.firstByte), Latency: measured(t.latency),
		Service: measured(t.service), FailedLatency: measured(t.failedLatency),
		Series: t.series, Backend: r.backend, AchievedConns: r.achieved(t), Address: r.address(),
		Handshakes: t.handshakes, Resumed: t.resumed, Notes: r.notes,
	}
	for f, n := range t.failed {
		m.Fail(f, n, t.messages[f])
	}
	for code, n := range t.status {
		if n > 0 {
			if m.Status == nil {
				m.Status = map[int]int64{}
			}
			m.Status[code] = n
		}
	}
	if s := r.server.Load(); s != nil {
		m.Server = *s
	}
	r.times(&m, t)
	m.Client = r.clientCost(t)
	r.remark(&m, t)
	return m
}

// times fills in how long it took. A run that was cut off with requests in
// flight lasted until it was cut off: silence at its end counts too.
func (r *run) times(m *bench.Measurement, t *tally) {
	if t.first < 0 {
		return
	}
	m.Elapsed = time.Duration(max(t.last-t.first, 1))
	// Seconds without a success at the end count as well as any.
	for int64(len(m.Series))*int64(time.Second) < t.last-t.zero {
		m.Series = append(m.Series, 0)
	}
	if t.exhausted && t.lastIssue > 0 {
		m.Drain = time.Duration(max(t.last-t.lastIssue, 0))
	}
}

func (r *run) clientCost(t *tally) *bench.ClientCost {
	user, system, rss := usage()
	c := &bench.ClientCost{CPUUser: user - r.before.user, CPUSystem: system - r.before.system, MaxRSS: rss, Threads: r.threads}
	if lag, ok := t.lag.Quantile(0.99); ok {
		c.LoopLagP99 = new(float64(lag) / 1e6)
	}
	return c
}

// cores is the number of processors that the engine can use at a time: one for
// each of its threads, but all there are where each connection has a goroutine.
func (r *run) cores() int {
	if r.backend == poll.Portable {
		return min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	}
	return r.threads
}

func (r *run) address() string {
	if r.config.Unix != "" {
		return "unix:" + r.config.Unix
	}
	return r.config.Addrs[r.used.Load()].String()
}

func measured(h *hist.Hist) *hist.Hist {
	if h.Count() == 0 {
		return nil
	}
	return h
}

// remark adds notes about figures that do not speak for themselves.
func (r *run) remark(m *bench.Measurement, t *tally) {
	if r.load.Rate == 0 {
		r.loop(m)
	}
	r.clientBound(m)
	r.connections(m, t)
	r.streams(m, t)
	if t.stray > 0 {
		m.Notes = append(m.Notes, bench.Note{Code: "stray-bytes", Text: "the server sent bytes that no request had asked for: on such a connection an answer may have been taken for that of the next request, and its latency with it"})
	}
}

// achieved is the most requests in flight at once. Those that never had a
// connection were not.
func (r *run) achieved(t *tally) int {
	if isH2(r.load.Protocol) {
		return t.peak // of open streams
	}
	return min(t.peak, t.made)
}

// connections says that some of them could not be made.
func (r *run) connections(m *bench.Measurement, t *tally) {
	needed := t.peak
	if isH2(r.load.Protocol) {
		needed = t.tried
	}
	if t.made < needed {
		m.Notes = append(m.Notes, bench.Note{Code: "connections-limited", Text: fmt.Sprintf(
			"%d of %s could be made: the concurrency was held at that", t.made, unit.Counted(needed, "connection"))})
	}
}

// streams says that a server took fewer HTTP/2 streams at a time than were asked
// for.
func (r *run) streams(m *bench.Measurement, t *tally) {
	const code = "streams-limited"
	asked := r.load.Streams
	if t.allowed >= 0 {
		m.Notes = append(m.Notes, bench.Note{Code: code, Text: fmt.Sprintf(
			"the server allows %s at a time on a connection (MAX_CONCURRENT_STREAMS), and %d were asked for: the concurrency was held at what it allows", unit.Counted(t.allowed, "stream"), asked)})
	}
	if t.taken >= 0 {
		m.Notes = append(m.Notes, bench.Note{Code: code, Text: fmt.Sprintf(
			"the server refused streams beyond %d at a time on a connection without having said so, and %d were asked for: the concurrency was held at what it took", t.taken, asked)})
	}
	if t.away {
		m.Notes = append(m.Notes, bench.Note{Code: "went-away", Text: "the server ended connections (GOAWAY) on which it had not looked at all requests: those were sent again on other connections, and until then there were fewer at a time"})
	}
}

func (r *run) loop(m *bench.Measurement) {
	m.Notes = append(m.Notes, bench.Note{
		Code: "closed-loop",
		Text: "latency is service time: each connection sends its next request only after the answer, so a stalled server is asked less",
	})
}

// clientBound says when a figure is a lower bound because the generator itself
// was the bottleneck.
func (r *run) clientBound(m *bench.Measurement) {
	c := m.Client
	if m.Elapsed < 100*time.Millisecond {
		return // set-up would outweigh what is to be judged
	}
	share := (c.CPUUser + c.CPUSystem) / m.Elapsed.Seconds() / float64(r.cores())
	p99, known := m.Latency.Quantile(0.99)
	const busy, slow = 0.8, 0.1
	switch {
	case share > busy:
		m.Notes = append(m.Notes, bench.Note{Code: "client-bound", Text: "the load generator used more than 80 % of the cores given to it: the figures are lower bounds"})
	case known && c.LoopLagP99 != nil && *c.LoopLagP99 > slow*float64(p99)/1e6:
		m.Notes = append(m.Notes, bench.Note{Code: "client-bound", Text: "the load generator's loop lagged by more than a tenth of the p99 latency: rates are lower bounds, and a part of the latency is its own"})
	}
}
