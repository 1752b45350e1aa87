package audit

import (
	"math"
	"strconv"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
	"matrix/internal/unit"
)

// tool reports whether the figures of a record were printed by a tool, rounded,
// rather than measured by the engine.
func tool(r bench.Record) bool { return r.Printed != nil }

// by reports whether that tool printed the figures.
func by(r bench.Record, name string) bool { return tool(r) && r.Printed.Tool == name }

// exactly is a figure without any rounding.
func exactly(v float64) unit.Reading { return unit.Reading{Value: v, Low: v, High: v} }

// within is a figure that may be off by as much.
func within(v, by float64) unit.Reading { return unit.Reading{Value: v, Low: v - by, High: v + by} }

// shortest takes a float for what its shortest spelling can stand for: 9426.71
// was printed with two decimals.
func shortest(v float64) unit.Reading {
	r, ok := unit.ReadPrinted(strconv.FormatFloat(v, 'g', 12, 64))
	if !ok {
		return exactly(v)
	}
	return r
}

// printed is the figure that a published table has under a metric's name, in the
// metric's unit.
func printed(r bench.Record, metric string) (unit.Reading, bool) {
	f, ok := r.AsPrinted[metric]
	if !ok || f.Value == nil {
		return unit.Reading{}, false
	}
	read, ok := unit.ReadPrinted(f.Text)
	if !ok {
		return unit.Reading{}, false
	}
	if read.Value == 0 {
		return read, true
	}
	return read.Times(*f.Value / read.Value), true
}

// completed, elapsed and requestRate are the figures of most rules.
func completed(r bench.Record) (unit.Reading, bool) {
	if r.AsPrinted != nil {
		return printed(r, "completed")
	}
	return exactly(float64(r.Completed())), r.Issued > 0
}

func elapsed(r bench.Record) (unit.Reading, bool) {
	switch {
	case r.AsPrinted != nil:
		return printed(r, "time_s")
	case r.Elapsed <= 0:
		return unit.Reading{}, false
	case tool(r):
		return shortest(r.Elapsed.Seconds()), true
	}
	return exactly(r.Elapsed.Seconds()), true
}

// summary is the figures of one kind of time, in seconds; those not measured
// are nil.
type summary struct{ min, mean, sd, median, max *unit.Reading }

// kinds are the times that are measured of a request, with their names in
// metrics.
var kinds = []string{"connect", "first_byte", "processing", "latency"}

func summaryOf(r bench.Record, kind string) summary {
	if r.AsPrinted != nil {
		return ofPrinted(r, kind)
	}
	h := map[string]*hist.Hist{"connect": r.Connect, "first_byte": r.FirstByte, "latency": r.Latency}[kind]
	if h.Count() > 0 {
		return ofHist(h)
	}
	if r.Printed == nil {
		return summary{}
	}
	p := map[string]*bench.Summary{"connect": r.Printed.Connect, "first_byte": r.Printed.FirstByte,
		"processing": r.Printed.Processing, "latency": r.Printed.Latency}[kind]
	if p == nil {
		return summary{}
	}
	read := func(v *float64) *unit.Reading {
		if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
			return nil
		}
		if r.Printed.Resolution > 0 {
			return new(within(*v, r.Printed.Resolution))
		}
		return new(shortest(*v))
	}
	return summary{read(p.Min), read(p.Mean), read(p.SD), read(p.Median), read(p.Max)}
}

func ofPrinted(r bench.Record, kind string) summary {
	read := func(figure string) *unit.Reading {
		v, ok := printed(r, kind+"_"+figure+"_ms")
		if !ok {
			return nil
		}
		return new(v.Times(1e-3))
	}
	return summary{read("min"), read("mean"), read("sd"), read("p50"), read("max")}
}

// ofHist leaves out the median, which lies between its extremes however wrong
// they are, and would have every histogram of a long journal unpacked.
func ofHist(h *hist.Hist) summary {
	read := func(d time.Duration, ok bool) *unit.Reading {
		if !ok {
			return nil
		}
		return new(within(d.Seconds(), 1e-6*d.Seconds()+1e-9))
	}
	return summary{min: read(h.Min()), mean: read(h.Mean()), sd: read(h.SD()), max: read(h.Max())}
}

// figure writes a number for a sentence: up to six digits.
func figure(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func millis(v float64) string { return figure(v*1e3) + " ms" }

// off is how far a value is from what it should be, as a share of that.
func off(value, should float64) float64 {
	if should == 0 {
		return 0
	}
	return math.Abs(value-should) / math.Abs(should)
}
