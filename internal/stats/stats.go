// Package stats sums up repeated measurements of one thing: the values of the
// rounds of a cell come in; a median, its spread and, where there are enough
// values, a confidence interval go out. The order statistics behind the
// interval are those of golang.org/x/perf/benchmath, which assumes nothing of
// the distribution.
//
// It does not know what was measured, drops no outlier, and never answers with
// NaN or an infinity: what cannot be said is said by a false.
package stats

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Confidence is the level that an interval at least has.
const Confidence = 0.95

// Summary describes one or more values.
type Summary struct {
	N                int     // how many, 1 or more
	Min, Median, Max float64 // of an even number of values the median is the mean of the middle two

	// Lo and Hi bound the median with the given Confidence, Bounded says whether
	// they do: with fewer than six values no interval reaches 95 %.
	Lo, Hi     float64
	Confidence float64
	Bounded    bool
}

// Summarise describes values, which it leaves as they are. Values that are not
// finite are passed over; false when none is left.
func Summarise(values []float64) (Summary, bool) {
	v := finite(values)
	if len(v) == 0 {
		return Summary{}, false
	}
	thresholds := benchmath.DefaultThresholds
	sample := benchmath.NewSample(v, &thresholds) // sorts v
	s := Summary{N: len(v), Min: v[0], Max: v[len(v)-1]}
	s.Median = middle(v)
	if len(v) < 2 {
		return s, true
	}
	ci := benchmath.AssumeNothing.Summary(sample, Confidence)
	if !math.IsInf(ci.Lo, 0) && !math.IsInf(ci.Hi, 0) {
		s.Lo, s.Hi, s.Confidence, s.Bounded = ci.Lo, ci.Hi, ci.Confidence, true
	}
	return s, true
}

// Median is the middle value, or the mean of the middle two; false when there
// is none.
func Median(values []float64) (float64, bool) {
	s, ok := Summarise(values)
	return s.Median, ok
}

// LowMedian is the middle value, or the lower of the middle two: always one
// that was measured. False when there is none.
func LowMedian[T cmp.Ordered](values []T) (T, bool) {
	if len(values) == 0 {
		var none T
		return none, false
	}
	v := slices.Sorted(slices.Values(values))
	return v[(len(v)-1)/2], true
}

// finite copies the values that are neither NaN nor infinite.
func finite(values []float64) []float64 {
	var v []float64
	for _, x := range values {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			v = append(v, x)
		}
	}
	return v
}

// middle is the median of sorted values, of which there is at least one. Half
// is taken before adding so that the sum of two huge values does not overflow.
func middle(v []float64) float64 {
	n := len(v)
	if n%2 == 1 {
		return v[n/2]
	}
	return v[n/2-1]/2 + v[n/2]/2
}
