package audit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// spread holds mean, median and deviation of each kind of time against its
// extremes.
func spread(r bench.Record) (found []Finding) {
	for _, kind := range kinds {
		s := summaryOf(r, kind)
		for _, x := range []struct {
			name string
			of   *unit.Reading
		}{{"mean", s.mean}, {"median", s.median}, {"least", s.min}} {
			found = append(found, above(kind, x.name, x.of, "greatest", s.max)...)
			if x.name != "least" {
				found = append(found, above(kind, "least", s.min, x.name, x.of)...)
			}
		}
		if s.sd != nil && s.max != nil && s.sd.Low > s.max.High {
			found = append(found, above(kind, "standard deviation", s.sd, "greatest", s.max)...)
		}
	}
	return found
}

// above is a finding where a figure is certainly greater than one that bounds it.
func above(kind, name string, v *unit.Reading, bound string, most *unit.Reading) []Finding {
	if v == nil || most == nil || v.Low <= most.High {
		return nil
	}
	return []Finding{{Text: fmt.Sprintf("%s: the %s of %s is above the %s of %s",
		words(kind), name, millis(v.Value), bound, millis(most.Value)), Off: off(v.Value, most.Value)}}
}

func words(kind string) string {
	return map[string]string{"connect": "time to connect", "first_byte": "time to the first byte", "processing": "processing time", "latency": "latency"}[kind]
}

// quantile is one line of a table of percentiles.
type quantile struct {
	percent float64
	seconds unit.Reading
}

var percentileName = regexp.MustCompile(`^latency_p(\d{1,3})_ms$`)

func quantilesOf(r bench.Record) (list []quantile) {
	for name := range r.AsPrinted {
		if m := percentileName.FindStringSubmatch(name); m != nil {
			if v, ok := printed(r, name); ok {
				p, _ := strconv.ParseFloat(m[1], 64)
				if p > 100 { // 999 is 99.9
					p /= 10
				}
				list = append(list, quantile{p, v.Times(1e-3)})
			}
		}
	}
	if r.Printed != nil {
		for _, q := range r.Printed.Quantiles {
			list = append(list, quantile{q.P * 100, exactly(q.Seconds)})
		}
	}
	slices.SortStableFunc(list, func(a, b quantile) int {
		switch {
		case a.percent < b.percent:
			return -1
		case a.percent > b.percent:
			return 1
		}
		return 0
	})
	return list
}

// percentiles holds each percentile against the next, and the last against the
// greatest value. Equal rounding keeps the order.
func percentiles(r bench.Record) (found []Finding) {
	list := quantilesOf(r)
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		if a.percent < b.percent && a.seconds.Value > b.seconds.Value {
			found = append(found, Finding{Text: fmt.Sprintf("latency: %s %% took up to %s, and %s %% only %s",
				figure(a.percent), millis(a.seconds.Value), figure(b.percent), millis(b.seconds.Value)), Off: off(a.seconds.Value, b.seconds.Value)})
		}
	}
	if most := summaryOf(r, "latency").max; len(list) > 0 && most != nil {
		last := list[len(list)-1]
		found = append(found, above("latency", figure(last.percent)+" % percentile", &last.seconds, "greatest", most)...)
	}
	return found
}

// parts holds the time to connect and to the first byte against the whole: of
// trials in which each request made its own connection and all succeeded, and
// of drivers whose latency begins with the connect.
func parts(r bench.Record) (found []Finding) {
	whole := summaryOf(r, "latency")
	known := r.AsPrinted == nil && (r.Printed == nil || by(r, "ab"))
	if !known || whole.mean == nil || r.State != bench.StateOK || r.Aborted > 0 {
		return nil
	}
	if r.Latency.Count() != r.Connect.Count() || r.Cell.Load.KeepAlive {
		return above("first_byte", "mean", summaryOf(r, "first_byte").mean, "mean latency", whole.mean)
	}
	found = above("connect", "mean", summaryOf(r, "connect").mean, "mean latency", whole.mean)
	return append(found, above("first_byte", "mean", summaryOf(r, "first_byte").mean, "mean latency", whole.mean)...)
}

// little is Little's law as an inequality: connections that are busy all the
// time are rate times latency (J. D. C. Little, 1961), and some may idle. Of an
// open loop, whose latency begins before a connection is taken, it does not hold,
// nor where a tool added latencies that it did not measure. Of a log that does
// not tell how many requests each connection has under way, nothing follows.
func little(r bench.Record) []Finding {
	load := r.Cell.Load
	mean := summaryOf(r, "latency").mean
	if mean == nil || load.Conns <= 0 || load.Rate > 0 || r.State != bench.StateOK || noted(r, "corrected-latency") || untold(r) {
		return nil
	}
	per, ok := rateOf(r)
	if !ok {
		return nil
	}
	slots, slack := float64(load.Conns*max(load.Streams, 1)), 1.01
	if by(r, "h2load") && load.Warmup > 0 {
		slots = begunBefore(r, slots)
	}
	if tool(r) {
		slack = 1.05 // a tool's clock of the run is not that of its requests
	}
	busy := per.Low * mean.Low
	if busy <= slots*slack {
		return nil
	}
	return []Finding{{Text: fmt.Sprintf("%s requests per second of %s each keep %s connections busy, and there were %s",
		figure(per.Value), millis(mean.Value), figure(per.Value*mean.Value), figure(slots)), Off: off(per.Value*mean.Value, slots)}}
}

// begunBefore is how many connections h2load can seem to keep busy after a
// warm-up: it counts also what began during that, each request by all of its
// time, so that this may be as much longer as the longest took. Where that is
// not known there is no bound.
func begunBefore(r bench.Record, slots float64) float64 {
	longest, time := summaryOf(r, "latency").max, r.Elapsed.Seconds()
	if longest == nil || time <= 0 {
		return math.Inf(1)
	}
	return slots * (1 + longest.High/time)
}

// untold reports that no log tells how many requests each connection had under
// way: only h2load can have several.
func untold(r bench.Record) bool {
	return by(r, "h2load") && r.Cell.Load.Streams == 0 && noted(r, "load-untold")
}

// noted reports whether a record has a note of that code.
func noted(r bench.Record, code string) bool {
	of := func(n bench.Note) bool { return n.Code == code }
	return slices.ContainsFunc(r.Notes, of) || slices.ContainsFunc(r.Measurement.Notes, of)
}

// rateOf is the rate that was printed, or else requests over time: also of a run
// of h2load that was timed, whose printed rate may be over less time than it took.
func rateOf(r bench.Record) (unit.Reading, bool) {
	timed := by(r, "h2load") && r.Cell.Load.Requests == 0
	if v, ok := reportedRate(r); ok && !timed {
		return v, true
	}
	n, ok1 := completed(r)
	t, ok2 := elapsed(r)
	if !ok1 || !ok2 || t.Low <= 0 {
		return unit.Reading{}, false
	}
	return unit.Reading{Value: n.Value / t.Value, Low: n.Low / t.High, High: n.High / t.Low}, true
}
