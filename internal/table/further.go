package table

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
	"matrix/internal/unit"
)

var (
	percentileName = regexp.MustCompile(`^(latency|service|failed_latency)_p(0|[1-9][0-9]?|100)_ms$`)
	statisticName  = regexp.MustCompile(`^(connect|first_byte|processing|latency|service|failed_latency)_(min|mean|sd|p50|max)_ms$`)
)

// distributions are those of which further figures are understood, as their names
// have them.
var distributions = map[string]dist{
	"connect": connectDist, "first_byte": firstByteDist, "latency": latencyDist, "processing": processingDist,
	"service": serviceDist, "failed_latency": failedLatencyDist,
}

// seldom are counters of the built-in engine that few want to see.
var seldom = []Metric{
	ofEngine("kept", "Kept connections", func(m *bench.Measurement) *int64 { return m.Kept },
		"Answers after which the connection could be used again."),
	ofEngine("handshakes", "TLS handshakes", func(m *bench.Measurement) *int64 { return &m.Handshakes },
		"TLS handshakes, all of them."),
	ofEngine("resumed", "Resumed sessions", func(m *bench.Measurement) *int64 { return &m.Resumed },
		"TLS handshakes that resumed a session."),
	{Name: "drain_s", Heading: "Drain", Unit: unit.Seconds, Better: unit.Neither, Of: func(r *bench.Record) (float64, bool) { return r.Drain.Seconds(), r.Drain > 0 },
		Doc: "From the end of the budget to the last completion."},
}

// ofEngine is a counter that external tools do not have.
func ofEngine(name, heading string, of func(*bench.Measurement) *int64, doc string) Metric {
	exact := func(r *bench.Record) (int64, bool) {
		n := of(&r.Measurement)
		if n == nil || r.Printed != nil || r.Issued == 0 {
			return 0, false
		}
		return *n, true
	}
	return Metric{Name: name, Heading: heading, Doc: doc, Unit: unit.Requests, Better: unit.Neither, Of: asFloat(exact), Count: exact}
}

// further makes the metrics that are too many, or too seldom measured, to be
// columns of every CSV.
func further(name string) (Metric, bool) {
	if name == timePerRequest.Name {
		return timePerRequest, true
	}
	for _, m := range seldom {
		if m.Name == name {
			return m, true
		}
	}
	for _, f := range bench.Failures {
		if m := ofClass(f); m.Name == name {
			return m, true
		}
	}
	if m := statisticName.FindStringSubmatch(name); m != nil {
		return statistic(name, m[1], m[2]), true
	}
	m := percentileName.FindStringSubmatch(name)
	if m == nil {
		return Metric{}, false
	}
	n, err := strconv.Atoi(m[2])
	if err != nil || n > 100 || strconv.Itoa(n) != m[2] {
		return Metric{}, false
	}
	return percentile(name, sentence(m[1])+", p"+m[2], distributions[m[1]], float64(n)/100), true
}

// ofClass counts the failures of one class.
func ofClass(f bench.Failure) Metric {
	name := "failed_" + strings.ReplaceAll(string(f), "-", "_")
	of := func(m *bench.Measurement) int64 { return m.Failed[f] }
	return count(name, "Failed: "+string(f), unit.Lower, Greatest, of, "Requests that failed in this way.")
}

// statistic is one figure of one kind of time.
func statistic(name, kind, figure string) Metric {
	d := distributions[kind]
	heading := sentence(kind) + ", " + figure
	switch figure {
	case "min":
		return timing(name, heading, d, (*hist.Hist).Min, least)
	case "mean":
		return timing(name, heading, d, (*hist.Hist).Mean, mean)
	case "sd":
		return timing(name, heading, d, (*hist.Hist).SD, deviation)
	case "max":
		return timing(name, heading, d, (*hist.Hist).Max, greatest)
	default:
		half := func(h *hist.Hist) (time.Duration, bool) { return h.Quantile(0.5) }
		return timing(name, heading, d, half, func(s bench.Summary) *float64 { return s.Median })
	}
}

// timePerRequest is what ab calls so: with every connection busy, how long one
// request took.
var timePerRequest = Metric{Name: "time_per_request_ms", Heading: "Time per request", Unit: unit.Milliseconds, Better: unit.Lower,
	Doc: "Concurrency times the time taken, over the requests completed.",
	Of: func(r *bench.Record) (float64, bool) {
		n := r.Completed()
		if n <= 0 || r.Elapsed <= 0 || r.Cell.Load.Conns <= 0 || !r.State.Ranked() {
			return 0, false
		}
		return r.Elapsed.Seconds() * 1e3 * float64(r.Cell.Load.Conns) / float64(n), true
	}}

// FurtherNames matches the names of metrics that Lookup knows beside Names.
func FurtherNames() []string {
	classes := make([]string, len(bench.Failures))
	for i, f := range bench.Failures {
		classes[i] = strings.ReplaceAll(string(f), "-", "_")
	}
	alone := []string{timePerRequest.Name}
	for _, m := range seldom {
		alone = append(alone, m.Name)
	}
	return []string{percentileName.String(), statisticName.String(), "^failed_(" + strings.Join(classes, "|") + ")$", "^(" + strings.Join(alone, "|") + ")$"}
}
