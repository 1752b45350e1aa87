package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

func TestCompare(t *testing.T) {
	base := []float64{100, 102, 98, 101, 99}
	for _, c := range []struct {
		name       string
		base, next []float64
		ratio, p   float64
		lo, hi     float64 // 0: not bounded
		hasRatio   bool
	}{
		{"a tenth less", base, []float64{90, 91.8, 88.2, 90.9, 89.1}, 0.9, 2.0 / 252, 90.0 / 102 * 0.99, 90.0 / 98, true},
		{"the same", base, base, 1, 1, 0, 0, true},
		{"three rounds bound nothing", []float64{1, 2, 3}, []float64{4, 5, 6}, 2.5, 0.1, 0, 0, true},
		{"one round each", []float64{2}, []float64{3}, 1.5, 1, 0, 0, true},
		{"all equal", []float64{5, 5}, []float64{5, 5, 5}, 1, 1, 0, 0, true},
		{"from nothing", []float64{0, 0, 0, 0}, []float64{1, 1, 1, 1}, 1, 2.0 / 70, 0, 0, false},
		{"a zero among them", []float64{0, 10, 11, 12}, []float64{20, 22, 23, 24}, 22.5 / 10.5, 2.0 / 70, 0, 0, true},
		{"what is not finite is passed over", []float64{2, math.NaN()}, []float64{math.Inf(1), 3}, 1.5, 1, 0, 0, true},
	} {
		var tester Tester
		got, ok := tester.Compare(c.base, c.next)
		if !ok || !near(got.Ratio, c.ratio) || !near(got.P, c.p) || got.HasRatio != c.hasRatio {
			t.Errorf("%s: %+v, %v; want ratio %v, p %v", c.name, got, ok, c.ratio, c.p)
		}
		if c.lo > 0 && (!got.Bounded || got.Lo > got.Ratio || got.Hi < got.Ratio || got.Hi > c.hi+0.05 || got.Lo < c.lo-0.05) {
			t.Errorf("%s: bounds %v to %v", c.name, got.Lo, got.Hi)
		}
	}
	var tester Tester
	for _, none := range [][2][]float64{{nil, base}, {base, nil}, {{math.NaN()}, base}} {
		if _, ok := tester.Compare(none[0], none[1]); ok {
			t.Errorf("%v was compared", none)
		}
	}
}

// TestIntervalOfTheBook: Hollander and Wolfe, table 4.1 (permeability of the
// human chorioamnion), of which the interval is known by R's wilcox.test with
// conf.int: here on values that are logarithms, so that ratios are differences.
func TestIntervalOfTheBook(t *testing.T) {
	atTerm := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	early := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	exp := func(v []float64) (out []float64) {
		for _, x := range v {
			out = append(out, math.Exp(x))
		}
		return out
	}
	var tester Tester
	got, _ := tester.Compare(exp(early), exp(atTerm))
	if math.Abs(math.Log(got.Ratio)-0.305) > 1e-9 || math.Abs(got.P-0.2544) > 5e-4 {
		t.Errorf("shift %v, p %v; want 0.305, 0.2544", math.Log(got.Ratio), got.P)
	}
	if lo, hi := math.Log(got.Lo), math.Log(got.Hi); math.Abs(lo+0.15) > 1e-9 || math.Abs(hi-0.76) > 1e-9 {
		t.Errorf("interval %v to %v, want -0.15 to 0.76", lo, hi)
	}
}

// TestRememberedRanks: what the tester remembers for ranks is what benchmath says
// of the samples that have them.
func TestRememberedRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var tester Tester
	thresholds := benchmath.DefaultThresholds
	for range 300 {
		var b, n []float64
		for range 1 + r.IntN(12) {
			b = append(b, r.Float64())
		}
		for range 1 + r.IntN(12) {
			n = append(n, 0.3+r.Float64())
		}
		got, _ := tester.Compare(b, n)
		want := benchmath.AssumeNothing.Compare(benchmath.NewSample(b, &thresholds), benchmath.NewSample(n, &thresholds)).P
		if math.Abs(got.P-min(want, 1)) > 1e-9 {
			t.Fatalf("%v, %v: p %v, want %v", b, n, got.P, want)
		}
	}
}

func TestMinP(t *testing.T) {
	var tester Tester
	for _, c := range []struct {
		n1, n2 int
		want   float64
	}{{0, 5, 1}, {1, 1, 1}, {3, 3, 0.1}, {4, 4, 2.0 / 70}, {8, 8, 2.0 / 12870}, {15, 5, 2.0 / 15504}} {
		if got := tester.MinP(c.n1, c.n2); !near(got, c.want) {
			t.Errorf("%d and %d: %v, want %v", c.n1, c.n2, got, c.want)
		}
	}
}

func TestAdjust(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.03}, []float64{0.03}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.02, 0.04, 0.04, 0.02}}, // p.adjust(p, "BH") of R
		{[]float64{1, 1, 0.001}, []float64{1, 1, 0.003}},
	} {
		got := Adjust(c.p)
		if !slices.EqualFunc(got, c.want, near) {
			t.Errorf("%v: %v, want %v", c.p, got, c.want)
		}
	}
}

func TestGeometricMean(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
		ok     bool
	}{{nil, 0, false}, {[]float64{4}, 4, true}, {[]float64{2, 8}, 4, true}, {[]float64{1, 0}, 0, false}, {[]float64{1, -1}, 0, false}, {[]float64{math.Inf(1)}, 0, false}, {[]float64{math.NaN()}, 0, false}} {
		got, ok := GeometricMean(c.values)
		if ok != c.ok || ok && !near(got, c.want) {
			t.Errorf("%v: %v, %v", c.values, got, ok)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 4.0, 5.0)
	f.Add(0.0, -1.0, math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN())
	f.Fuzz(func(t *testing.T, a, b, c, d, e float64) {
		var tester Tester
		got, ok := tester.Compare([]float64{a, b, c, a}, []float64{d, e, d + 1, e - 1})
		if !ok {
			return
		}
		if !(got.P > 0 && got.P <= 1) || !(got.Ratio > 0) || math.IsInf(got.Ratio, 0) {
			t.Errorf("p %v, ratio %v", got.P, got.Ratio)
		}
		if got.Bounded && !(got.Lo <= got.Ratio && got.Ratio <= got.Hi) {
			t.Errorf("%v lies outside of %v to %v", got.Ratio, got.Lo, got.Hi)
		}
	})
}
