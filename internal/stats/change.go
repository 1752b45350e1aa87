package stats

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Change is how the values of one thing moved between two measurements of it.
type Change struct {
	Base, New Summary

	// Ratio is by what the values were multiplied: the median of the ratios of each
	// new value to each value of the base, which is the estimator of Hodges and
	// Lehmann (1963) on logarithms. It may differ a little from the ratio of the two
	// medians, and varies less. Where a value is zero or below, of which there are
	// no ratios, it is that of the medians, unbounded. HasRatio is false where one of
	// them is zero or below; Ratio is 1 then.
	Ratio    float64
	HasRatio bool

	// Lo and Hi bound the ratio with at least Confidence. Bounded is false where
	// there are too few values for that.
	Lo, Hi  float64
	Bounded bool

	// P is how likely ranks as different as these are, or more so, when nothing
	// changed: the two-sided Mann-Whitney test. 1 when all values are equal.
	P float64
}

// Tester compares pairs of samples. It remembers what it computed for samples
// of the same sizes, so one should serve a whole grid. It is for one goroutine.
// The zero value is ready.
type Tester struct {
	p      map[ranks]float64
	bounds map[[2]int]int
}

// ranks is all that the p of samples without ties depends on: their sizes and
// the number u of pairs in which the value of the first is the greater.
type ranks struct{ n1, n2, u int }

// Compare tells how values moved from base to next; what is not finite is passed
// over. False when either has no value.
func (t *Tester) Compare(base, next []float64) (Change, bool) {
	b, n := finite(base), finite(next)
	slices.Sort(b)
	slices.Sort(n)
	sb, ok1 := Summarise(b)
	sn, ok2 := Summarise(n)
	if !ok1 || !ok2 {
		return Change{}, false
	}
	c := Change{Base: sb, New: sn, Ratio: 1, P: t.rankTest(b, n)}
	if r := ratios(b, n); len(r) > 0 {
		c.Ratio, c.HasRatio = middleRatio(r), true
		// Order statistics of the differences of all pairs, here of logarithms:
		// Moses (1965); Hollander, Wolfe and Chicken, Nonparametric Statistical
		// Methods, 3rd ed., section 4.3.
		if k := t.bound(len(b), len(n)); k > 0 {
			c.Lo, c.Hi, c.Bounded = r[k-1], r[len(r)-k], true
		}
	} else if q := sn.Median / sb.Median; sb.Median > 0 && q > 0 && !math.IsInf(q, 0) {
		c.Ratio, c.HasRatio = q, true
	}
	return c, true
}

// MinP is the least P that samples of these sizes can reach, when every value of
// one is above all of the other; 1 when either is empty.
func (t *Tester) MinP(n1, n2 int) float64 {
	if n1 < 1 || n2 < 1 {
		return 1
	}
	return t.untied(ranks{n1, n2, 0})
}

// rankTest is the p of two sorted samples.
func (t *Tester) rankTest(b, n []float64) float64 {
	u, ties := 0, false
	for i, j := 0, 0; i < len(b); i++ {
		for j < len(n) && n[j] < b[i] {
			j++
		}
		ties = ties || j < len(n) && n[j] == b[i]
		u += j
	}
	switch tied := ties || repeats(b) || repeats(n); {
	case tied && max(len(b), len(n)) <= exactTied:
		return tiedRanks(b, n)
	case tied:
		return mannWhitney(b, n)
	}
	return t.untied(ranks{len(b), len(n), u})
}

func repeats(sorted []float64) bool {
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return true
		}
	}
	return false
}

func (t *Tester) untied(r ranks) float64 {
	if p, known := t.p[r]; known {
		return p
	}
	if t.p == nil {
		t.p = map[ranks]float64{}
	}
	p := mannWhitney(r.samples())
	t.p[r] = p
	return p
}

// samples are two of those that have these ranks.
func (r ranks) samples() (x1, x2 []float64) {
	whole, rest := r.u/r.n2, r.u%r.n2
	for j := range r.n2 {
		x2 = append(x2, float64(j+1))
	}
	for i := range r.n1 {
		apart := 0.5 + float64(i)/float64(4*r.n1)
		switch {
		case i < whole:
			x1 = append(x1, float64(r.n2)+apart)
		case i == whole:
			x1 = append(x1, float64(rest)+apart)
		default:
			x1 = append(x1, apart)
		}
	}
	return x1, x2
}

// mannWhitney is exact for samples of up to 50 values without ties; beyond, the
// normal approximation with both corrections.
func mannWhitney(x1, x2 []float64) float64 {
	thresholds := benchmath.DefaultThresholds
	s1, s2 := benchmath.NewSample(x1, &thresholds), benchmath.NewSample(x2, &thresholds)
	return min(benchmath.AssumeNothing.Compare(s1, s2).P, 1)
}

// bound is the place k, from 1, of the ordered ratios that bounds them from
// below, the k-th last from above: u pairs or fewer are less likely than
// 1 - Confidence when u = k - 1. 0 when the samples are too small for any.
func (t *Tester) bound(n1, n2 int) int {
	key := [2]int{n1, n2}
	if k, known := t.bounds[key]; known {
		return k
	}
	if t.bounds == nil {
		t.bounds = map[[2]int]int{}
	}
	lo, hi := 0, (n1*n2+1)/2 // the first u that is not unlikely lies in lo to hi
	for lo < hi {
		if u := (lo + hi) / 2; t.untied(ranks{n1, n2, u}) <= 1-Confidence {
			lo = u + 1
		} else {
			hi = u
		}
	}
	t.bounds[key] = lo
	return lo
}

// ratios are those of each new value to each of the base, ascending; nil where
// any value is zero or below.
func ratios(b, n []float64) []float64 {
	if b[0] <= 0 || n[0] <= 0 {
		return nil
	}
	all := make([]float64, 0, len(b)*len(n))
	for _, x := range b {
		for _, y := range n {
			all = append(all, y/x)
		}
	}
	slices.Sort(all)
	if math.IsInf(all[len(all)-1], 0) || all[0] == 0 {
		return nil
	}
	return all
}

// middleRatio is the median of ratios as logarithms have it, so that the way back
// is its inverse.
func middleRatio(r []float64) float64 {
	n := len(r)
	return math.Sqrt(r[(n-1)/2]) * math.Sqrt(r[n/2])
}

// Adjust makes p-values such that calling those of at most a level significant
// keeps the expected share of false ones among them at that level, and the
// chance of any false one when nothing changed at all: Benjamini and Hochberg
// (1995), as step-up adjusted values. The order is that of p.
func Adjust(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p[j], p[i]) })
	adjusted, least := make([]float64, len(p)), 1.0
	for place, i := range order {
		least = min(least, p[i]*float64(len(p))/float64(len(p)-place))
		adjusted[i] = least
	}
	return adjusted
}

// GeometricMean is the mean of values that multiply, each above zero; false when
// there is none, or one that is not above zero or not finite. Of normalised
// figures it is the only mean that does not depend on what they are normalised
// by: Fleming and Wallace (1986).
func GeometricMean(values []float64) (float64, bool) {
	sum := 0.0
	for _, v := range values {
		if !(v > 0) || math.IsInf(v, 0) {
			return 0, false
		}
		sum += math.Log(v)
	}
	if len(values) == 0 {
		return 0, false
	}
	return math.Exp(sum / float64(len(values))), true
}
