package stats

import (
	"math"
	"slices"
)

// Wander is the greatest change that shows within one series of values in which
// nothing was changed: of its second half against its first, and of its even
// values against its odd ones. Values that drift, or lean on their neighbours,
// give more of it than their number would make one think. It is a ratio above 1
// or 1; false below four values, and where one is zero or below.
func Wander(inOrder []float64) (float64, bool) {
	v := finite(inOrder)
	if len(v) < 4 {
		return 1, false
	}
	var odd, even []float64
	for i, x := range v {
		if i%2 == 0 {
			odd = append(odd, x)
		} else {
			even = append(even, x)
		}
	}
	halves, ok1 := Halves(v)
	turns, ok2 := Move(odd, even)
	return max(Size(halves), Size(turns)), ok1 && ok2
}

// Halves is by what the second half of a series differs from its first, as Move
// tells it; of an odd number the middle one has no say.
func Halves(inOrder []float64) (float64, bool) {
	n := len(inOrder) / 2
	return Move(inOrder[:n], inOrder[len(inOrder)-n:])
}

// Move is by what values were multiplied from one sample to the next: see
// Change.Ratio. False where there is no such ratio.
func Move(from, to []float64) (float64, bool) {
	a, b := finite(from), finite(to)
	if len(a) == 0 || len(b) == 0 {
		return 1, false
	}
	slices.Sort(a)
	slices.Sort(b)
	r := ratios(a, b)
	if len(r) == 0 {
		return 1, false
	}
	return middleRatio(r), true
}

// Size is a ratio above zero without its direction: 1 or above.
func Size(ratio float64) float64 { return max(ratio, 1/ratio) }

// Spread is the standard deviation of the greater part of values that have a
// normal distribution in their midst, whatever the others do: the shortest
// interval that holds a third of them, scaled. With a fifth of the values
// elsewhere it is a quarter too large, with a half twice as large, but no more.
// The shortest part as a measure of scale is that of Rousseeuw and Leroy (1988),
// who take a half. False below twenty values, of which too little can be said.
func Spread(values []float64) (float64, bool) {
	v := finite(values)
	if len(v) < 20 {
		return 0, false
	}
	slices.Sort(v)
	part := (len(v) + 2) / 3
	shortest := math.Inf(1)
	for i := 0; i+part <= len(v); i++ {
		shortest = min(shortest, v[i+part-1]-v[i])
	}
	// The third around the middle of a normal distribution reaches 0.4307 of its
	// standard deviation to either side; looking for the shortest finds one that is
	// shorter by about 3.3/n^(2/3) of that (found by simulation, held by TestSpread).
	return shortest / (2 * 0.4307 * (1 - 3.3/math.Pow(float64(len(v)), 2.0/3))), true
}

// NormalQuantile is the value that a standard normal variable stays below with
// probability p, between 0 and 1.
func NormalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// tTwoSided are the values that Student's t stays within with a probability of
// 95 %, for 1 degree of freedom and more.
var tTwoSided = []float64{12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228}

// Reach is how far from zero one more value of those that the given ones are of,
// all with the mean zero and a normal distribution, may lie with 95 %
// probability. False for no value.
func Reach(values []float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, v := range values {
		sum += v * v
	}
	t := tTwoSided[min(len(values), len(tTwoSided))-1]
	return t * math.Sqrt(sum/float64(len(values))), true
}
