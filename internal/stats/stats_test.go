package stats

import (
	"math"
	"testing"
)

func TestSummarise(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name   string
		values []float64
		ok     bool
		want   Summary
	}{
		{name: "none", values: nil},
		{name: "nothing finite", values: []float64{nan, inf, -inf}},
		{"one", []float64{7}, true, Summary{N: 1, Min: 7, Median: 7, Max: 7}},
		{"two", []float64{12, 8}, true, Summary{N: 2, Min: 8, Median: 10, Max: 12}},
		{"three, one not finite", []float64{3, nan, 1, 2}, true, Summary{N: 3, Min: 1, Median: 2, Max: 3}},
		{"all zero", []float64{0, 0}, true, Summary{N: 2}},
		{"all equal", []float64{5, 5, 5}, true, Summary{N: 3, Min: 5, Median: 5, Max: 5}},
		{"six bound the median", []float64{6, 5, 4, 3, 2, 1}, true,
			Summary{N: 6, Min: 1, Median: 3.5, Max: 6, Lo: 1, Hi: 6, Confidence: 0.96875, Bounded: true}},
		{"huge", []float64{math.MaxFloat64, math.MaxFloat64}, true,
			Summary{N: 2, Min: math.MaxFloat64, Median: math.MaxFloat64, Max: math.MaxFloat64}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Summarise(c.values)
			if ok != c.ok || got != c.want {
				t.Errorf("got %+v, %v; want %+v, %v", got, ok, c.want, c.ok)
			}
		})
	}
}

func TestSummariseLeavesItsInputAlone(t *testing.T) {
	values := []float64{3, 1, 2}
	Summarise(values)
	if values[0] != 3 || values[1] != 1 || values[2] != 2 {
		t.Errorf("reordered to %v", values)
	}
}

func TestLowMedian(t *testing.T) {
	for _, c := range []struct {
		values []int64
		want   int64
		ok     bool
	}{
		{nil, 0, false},
		{[]int64{4}, 4, true},
		{[]int64{4, 2}, 2, true},
		{[]int64{9, 1, 5}, 5, true},
		{[]int64{1<<62 + 1, 1 << 62, 1<<62 + 2, 1<<62 + 3}, 1<<62 + 1, true},
	} {
		if got, ok := LowMedian(c.values); got != c.want || ok != c.ok {
			t.Errorf("LowMedian(%v) = %d, %v; want %d, %v", c.values, got, ok, c.want, c.ok)
		}
	}
}

func FuzzSummarise(f *testing.F) {
	f.Add(1.0, 2.0, 3.0)
	f.Add(math.NaN(), math.Inf(-1), 0.0)
	f.Fuzz(func(t *testing.T, a, b, c float64) {
		s, ok := Summarise([]float64{a, b, c, a, b, c})
		if !ok {
			return
		}
		if !(s.Min <= s.Median && s.Median <= s.Max) {
			t.Errorf("out of order: %+v", s)
		}
	})
}
