package transcript

import (
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
)

// Untold names what of the load neither the report nor a command line tells, as
// the tool spells it; "" where all of it is told that the tool can be told by
// its usual flags.
func (r Report) Untold() string {
	var list []string
	untold := func(is bool, flags string) {
		if is {
			list = append(list, flags)
		}
	}
	switch r.Printed.Tool {
	case "http_load":
		untold(r.Concurrency == 0 && r.Rate == 0, "-parallel or -rate")
		untold(!r.budgeted(), "-fetches or -seconds")
	case "h2load":
		untold(r.Concurrency == 0, "-c")
		untold(!r.budgeted(), "-n or -D")
		untold(r.Streams == 0, "-m")
	case "wrk":
		untold(r.Concurrency == 0, "-c")
		untold(!r.budgeted(), "-d")
		untold(r.openLoop && r.Rate == 0, "-R")
	default:
		untold(r.Concurrency == 0, "-c")
		untold(!r.budgeted(), "-n or -t")
	}
	return strings.Join(list, ", ")
}

// RateText is the rate as the value of an axis; "" where each connection sent as
// soon as it could.
func (a Asked) RateText() string {
	switch {
	case a.Rate > 0:
		return strconv.FormatFloat(a.Rate, 'f', -1, 64)
	case a.openLoop:
		return "not told"
	}
	return ""
}

func (r Report) budgeted() bool { return r.Requests > 0 || r.Duration > 0 }

// By how much two measurements of one load may differ: of a load's settings the
// figures depend on, not on how busy the machine was.
const (
	sameSpan     = 1.02 // times that a time limit set
	sameRate     = 1.1  // requests a second at a rate
	sameSpeed    = 1.25 // requests a second, each as soon as the one before is answered
	sameInFlight = 1.5  // requests under way at once, by rate and latency
	sameSize     = 1.5  // bytes of an answer, which another method or header changes
)

// AlikeTo reports whether a report and a measurement for which the same was told
// can be of the same load, as far as their figures show what was not told.
func (r Report) AlikeTo(m bench.Measurement) bool {
	if !r.budgeted() && r.Completed() != m.Completed() && !within(r.Elapsed.Seconds(), m.Elapsed.Seconds(), sameSpan) {
		return false
	}
	if !r.Commanded && sound(r.Measurement) && sound(m) && !within(sizeOf(r.Measurement), sizeOf(m), sameSize) {
		return false
	}
	own, other := speed(r.Measurement), speed(m)
	switch {
	case r.Printed.Tool == "http_load" && r.Concurrency == 0 && r.Rate == 0:
		return r.AchievedConns == m.AchievedConns && within(own, other, sameSpeed)
	case r.openLoop && r.Rate == 0:
		return within(own, other, sameRate)
	case r.Printed.Tool == "h2load" && r.Streams == 0:
		return within(inFlight(r.Measurement), inFlight(m), sameInFlight)
	}
	return true
}

// within reports whether two figures differ by no more than a factor; one that is
// missing shows nothing.
func within(a, b, factor float64) bool {
	return a <= 0 || b <= 0 || max(a, b) <= factor*min(a, b)
}

// speed is the requests that came to an end each second; 0 where it is not known.
func speed(m bench.Measurement) float64 {
	if m.Elapsed <= 0 {
		return 0
	}
	return float64(m.Completed()) / m.Elapsed.Seconds()
}

// inFlight is how many requests were under way at a time, by Little's law; 0
// where it is not known.
func inFlight(m bench.Measurement) float64 {
	if m.Printed == nil || m.Printed.Latency == nil || m.Printed.Latency.Mean == nil {
		return 0
	}
	return speed(m) * *m.Printed.Latency.Mean
}

// adopt takes from an earlier report what its command line told, where no other
// command line stands between the two and they look like repeats of it: what
// this report tells itself is the same, and so are its figures.
func (r *Report) adopt(before Report) {
	same := func(own, other int64) bool { return own == 0 || own == other }
	here := (r.Host == "" || r.Host == before.Host) && (r.Path == "" || r.Path == before.Path) && same(int64(r.Port), int64(before.Port))
	asked := same(int64(r.Concurrency), int64(before.Concurrency)) && same(r.Requests, before.Requests) && same(int64(r.Duration), int64(before.Duration)) &&
		same(int64(r.Threads), int64(before.Threads)) && (r.Query == "" || r.Query == before.Query) && (r.Protocol == "" || r.Protocol == before.Protocol) &&
		(r.KeepAlive == nil || before.KeepAlive == nil || *r.KeepAlive == *before.KeepAlive) &&
		(r.Method == "" || r.Method == before.Method) && !slices.ContainsFunc(r.Settings, func(s bench.Pair) bool { _, told := bench.Lookup(before.Settings, s.Name); return !told })
	alike := r.AlikeTo(before.Measurement) && within(speed(r.Measurement), speed(before.Measurement), sameSpeed) && within(sizeOf(r.Measurement), sizeOf(before.Measurement), sameSpan)
	if here && asked && alike {
		r.Asked = before.Asked
		r.Host, r.Port, r.Path = before.Host, before.Port, before.Path
	}
}

// sizeOf is how many bytes an answer had; 0 where it is not known.
func sizeOf(m bench.Measurement) float64 {
	if m.OK == 0 {
		return 0
	}
	return float64(max(m.BodyBytes, m.WireBytes)) / float64(m.OK)
}

// sound reports whether all requests succeeded: error pages are of other sizes.
func sound(m bench.Measurement) bool { return m.OK > 0 && m.FailedSum() == 0 }
