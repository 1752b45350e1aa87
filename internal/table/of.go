package table

import (
	"math"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
	"matrix/internal/unit"
)

// count makes a Metric of a counter. The counters of a trial that is not ranked
// and issued nothing were not measured: they are absent, not zero. So are those
// that the driver did not count.
func count(name, heading string, better unit.Direction, over Over, of func(*bench.Measurement) int64, doc string) Metric {
	exact := func(r *bench.Record) (int64, bool) {
		n := of(&r.Measurement)
		if !r.State.Ranked() && r.Issued == 0 || n == 0 && untold(name, &r.Measurement) {
			return 0, false
		}
		return n, true
	}
	u := unit.Requests
	if name == "body_bytes" || name == "wire_bytes" {
		u = unit.Bytes
	}
	return Metric{Name: name, Heading: heading, Doc: doc, Unit: u, Better: better, Over: over, Always: true, Of: asFloat(exact), Count: exact}
}

// untold reports that a counter of zero was not counted at all: answers came,
// which have heads, or an external tool does not tell of such things, as one
// whose report was cut short.
func untold(name string, m *bench.Measurement) bool {
	switch name {
	case "wire_bytes":
		return m.OK > 0 || m.Printed != nil
	case "body_bytes":
		return m.Printed != nil // of the native driver, empty files are so
	case "retried", "late", "dropped":
		return m.Printed != nil
	}
	return false
}

func asFloat(of func(*bench.Record) (int64, bool)) func(*bench.Record) (float64, bool) {
	return func(r *bench.Record) (float64, bool) {
		n, ok := of(r)
		return float64(n), ok
	}
}

// timing makes a Metric in milliseconds of a distribution, or where there is
// none of what a tool printed of it (in seconds).
func timing(name, heading string, d dist, from func(*hist.Hist) (time.Duration, bool), printed func(bench.Summary) *float64) Metric {
	return distribution(name, heading, d, from, func(p bench.Printed) (float64, bool) {
		s := [dists]*bench.Summary{connectDist: p.Connect, firstByteDist: p.FirstByte, latencyDist: p.Latency, processingDist: p.Processing}[d]
		if s == nil {
			return 0, false
		}
		return known(printed(*s))
	})
}

// percentile makes a Metric of a quantile p of the latency, or of another
// distribution that tools do not print.
func percentile(name, heading string, d dist, p float64) Metric {
	from := func(h *hist.Hist) (time.Duration, bool) { return h.Quantile(p) }
	return distribution(name, heading, d, from, func(t bench.Printed) (float64, bool) {
		if d != latencyDist {
			return 0, false
		}
		for _, q := range t.Quantiles {
			if math.Abs(q.P-p) < 1e-9 {
				return known(&q.Seconds)
			}
		}
		if p == 0.5 && t.Latency != nil {
			return known(t.Latency.Median)
		}
		return 0, false
	})
}

func distribution(name, heading string, d dist, from func(*hist.Hist) (time.Duration, bool), printed func(bench.Printed) (float64, bool)) Metric {
	what := [dists]string{
		connectDist:       "Time to make a connection.",
		firstByteDist:     "From the send (or, without keep-alive, the connect) to the first byte of the answer, of successes.",
		latencyDist:       "From the start of a request (open loop: when it was due) to the last byte of its answer, of successes.",
		processingDist:    "From the connection being made to the last byte of the answer, as a tool printed it.",
		serviceDist:       "Open loop: from the actual send of a request to the last byte of its answer, of successes.",
		failedLatencyDist: "From the start of a request (open loop: when it was due) to its failure.",
	}[d]
	m := Metric{Name: name, Heading: heading, Doc: what, Unit: unit.Milliseconds, Better: unit.Lower, Over: Merged, dist: d}
	m.from = func(h *hist.Hist) (float64, bool) {
		v, ok := from(h)
		return float64(v) / 1e6, ok
	}
	m.Of = func(r *bench.Record) (float64, bool) {
		if h := d.of(&r.Measurement); h.Count() > 0 {
			return m.from(h)
		}
		if r.Printed == nil {
			return 0, false
		}
		seconds, ok := printed(*r.Printed)
		return seconds * 1e3, ok
	}
	return m
}

func mean(s bench.Summary) *float64      { return s.Mean }
func least(s bench.Summary) *float64     { return s.Min }
func greatest(s bench.Summary) *float64  { return s.Max }
func deviation(s bench.Summary) *float64 { return s.SD }

func elapsed(r *bench.Record) (float64, bool) { return r.Elapsed.Seconds(), r.Elapsed > 0 }

// Rates exist of ranked trials only: those of a failed one would compare what
// did not happen.
func rate(r *bench.Record, amount int64) (float64, bool) {
	if !r.State.Ranked() || r.Elapsed <= 0 {
		return 0, false
	}
	return float64(amount) / r.Elapsed.Seconds(), true
}

func successRate(r *bench.Record) (float64, bool) { return rate(r, r.OK) }

func reportedRate(r *bench.Record) (float64, bool) {
	if r.Printed == nil {
		return 0, false
	}
	return known(r.Printed.RequestsPerSecond)
}

func transferRate(r *bench.Record) (float64, bool) {
	if r.WireBytes > 0 {
		return rate(r, r.WireBytes)
	}
	if r.Printed == nil || !r.State.Ranked() {
		return 0, false
	}
	return known(r.Printed.BytesPerSecond)
}

func achievedCount(r *bench.Record) (int64, bool) { return int64(r.AchievedConns), r.AchievedConns > 0 }

func achieved(r *bench.Record) (float64, bool) { return asFloat(achievedCount)(r) }

func loadAverage(r *bench.Record) (float64, bool) {
	if v, ok := known(r.Host.Peak.Load1); ok {
		return v, true
	}
	before, b := known(r.Host.Before.Load1)
	after, a := known(r.Host.After.Load1)
	return max(before, after), a || b
}

func zombies(r *bench.Record) (int64, bool) {
	return most(&r.Host, func(h *bench.Host) *int { return h.Zombies })
}

func timeWait(r *bench.Record) (int64, bool) {
	return most(&r.Host, func(h *bench.Host) *int { return h.TimeWait })
}

func sockets(r *bench.Record) (int64, bool) {
	return most(&r.Host, func(h *bench.Host) *int { return h.Sockets })
}

func memoryLeft(r *bench.Record) (int64, bool) {
	if r.Host.Peak.MemFree == nil {
		return 0, false
	}
	return *r.Host.Peak.MemFree, true
}

// most is the peak of an observation, or where none was taken the greater of
// before and after.
func most(o *bench.Observation, of func(*bench.Host) *int) (int64, bool) {
	if p := of(&o.Peak); p != nil {
		return int64(*p), true
	}
	n, ok := 0, false
	for _, p := range []*int{of(&o.Before), of(&o.After)} {
		if p != nil {
			n, ok = max(n, *p), true
		}
	}
	return int64(n), ok
}

func serverUser(r *bench.Record) (float64, bool)   { return known(r.Host.ServerCPUUser) }
func serverSystem(r *bench.Record) (float64, bool) { return known(r.Host.ServerCPUSystem) }

func serverRSS(r *bench.Record) (int64, bool) {
	if r.Host.ServerMaxRSS == nil {
		return 0, false
	}
	return *r.Host.ServerMaxRSS, true
}

func othersCPU(r *bench.Record) (float64, bool) { return known(r.Host.OthersCPU) }
func hostBusy(r *bench.Record) (float64, bool)  { return known(r.Host.HostCPUBusy) }

// share makes a Metric in percent of what a taker had of the host's CPU time.
func share(name, heading string, who bench.Taker, doc string) Metric {
	m := Metric{Name: name, Heading: heading, Doc: doc, Unit: unit.Percent, Better: unit.Neither, Over: Together, Always: true}
	m.pool = func(rounds []bench.Record) (float64, bool) {
		taken, _ := who.Of(rounds)
		s, ok := taken.Share()
		return s * 100, ok
	}
	m.Of = func(r *bench.Record) (float64, bool) { return m.pool([]bench.Record{*r}) }
	return m
}

func clientCPU(r *bench.Record) (float64, bool) {
	if r.Client == nil {
		return 0, false
	}
	sum := r.Client.CPUUser + r.Client.CPUSystem
	return known(&sum)
}

func clientRSS(r *bench.Record) (int64, bool) {
	if r.Client == nil || r.Client.MaxRSS == 0 {
		return 0, false
	}
	return r.Client.MaxRSS, true
}

func clientLag(r *bench.Record) (float64, bool) {
	if r.Client == nil || r.Backend == "" { // an external tool has no loop of ours
		return 0, false
	}
	return known(r.Client.LoopLagP99)
}
