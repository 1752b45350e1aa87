package table

import (
	"math"
	"math/rand/v2"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// TestSpan: the interval of the median by its order statistics from six rounds on
// (Conover, Practical Nonparametric Statistics, 3.2), below that the range, called
// so, and of one round nothing.
func TestSpan(t *testing.T) {
	rate, _ := Lookup("requests_per_second")
	took, _ := Lookup("time_s")
	for _, c := range []struct {
		rates []float64
		want  string
	}{
		{[]float64{100}, ""},
		{[]float64{100, 110}, "(100.0 to 110.0)"},
		{[]float64{100, 110, 90, 120, 200}, "(90.00 to 200.0)"},
		{[]float64{150, 100, 110, 140, 120, 130}, "[100.0, 150.0]"},
		{[]float64{100, 110, 120, 130, 140, 150, 160, 170, 9000}, "[110.0, 170.0]"},
		{[]float64{100, 100, 100, 100, 100, 100}, "[100.0, 100.0]"},
	} {
		records := rounds(on("a", 0, "small", 10), c.rates...)
		v, _ := rate.Value(records)
		if got := rate.Span(v, unit.Scale{Factor: 1}.Format); got != c.want {
			t.Errorf("%v: %q, want %q", c.rates, got, c.want)
		}
		if v, _ := took.Value(records); took.Span(v, unit.Scale{Factor: 1}.Format) != "" {
			t.Error("the time taken has a span")
		}
	}
}

// TestTheIntervalShrinksWithTheRounds: half the range of 30 rounds is twice that of
// 6, though more is known; the interval is a third as wide.
func TestTheIntervalShrinksWithTheRounds(t *testing.T) {
	rate, _ := Lookup("requests_per_second")
	r := rand.New(rand.NewPCG(18, 1))
	width := func(n int) (interval, span float64) {
		const cells = 200
		for range cells {
			var rates []float64
			for range n {
				rates = append(rates, 1000*math.Exp(0.05*r.NormFloat64()))
			}
			v, ok := rate.Value(rounds(on("a", 0, "small", 10), rates...))
			if !ok || !v.Bounded {
				t.Fatalf("of %d rounds there is no interval", n)
			}
			interval += (v.Hi - v.Lo) / cells
			span += (v.High - v.Low) / cells
		}
		return interval, span
	}
	few, fewRange := width(6)
	many, manyRange := width(30)
	if many > few/2 || manyRange < 1.5*fewRange {
		t.Errorf("of 6 rounds the interval is %v wide and the range %v, of 30 %v and %v", few, fewRange, many, manyRange)
	}
}

// TestSpanOfARatio: that to the baseline has an interval from four rounds each on,
// turned round where more means slower, and a question mark below; the baseline
// itself has neither.
func TestSpanOfARatio(t *testing.T) {
	for _, c := range []struct {
		n           int
		ratio, slow string
	}{
		{1, "0.5000 ?", "50.00 ?"},
		{3, "0.5000 ?", "50.00 ?"},
		{4, "0.5000 [0.4902, 0.5100]", "50.00 [49.00, 50.98]"},
	} {
		info := plannedFor("a", "b")
		info.Plan.Baseline = pairs("Server", "a")
		info.Plan.Columns = columns("ratio_to_baseline", "slower_than_baseline_percent")
		base, other := []float64{100, 102, 100, 102}[:c.n], []float64{50, 51, 50, 51}[:c.n]
		lines := shown(Build(info, append(rounds(on("a", 0, "small", 10), base...), rounds(on("b", 1, "small", 10), other...)...)).Tables[0])
		if lines[1] != "a|1.000|0" || lines[2] != "b|"+c.ratio+"|"+c.slow {
			t.Errorf("%d rounds: %q", c.n, lines)
		}
	}
	var none bench.Record
	if v, ok := relatives[0].Value([]bench.Record{none}); ok {
		t.Errorf("a ratio of nothing is %v", v)
	}
}
