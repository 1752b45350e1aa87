package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn tries every way to draw the first sample out of both: the p by its
// definition.
func drawn(b, n []float64) float64 {
	all := slices.Concat(b, n)
	above := func(x, y []float64) (u int) { // twice
		for _, v := range x {
			for _, w := range y {
				switch {
				case v > w:
					u += 2
				case v == w:
					u++
				}
			}
		}
		return u
	}
	seen := above(b, n)
	low, high, total := 0, 0, 0
	for set := range 1 << len(all) {
		var x, y []float64
		for i, v := range all {
			if set>>i&1 == 1 {
				x = append(x, v)
			} else {
				y = append(y, v)
			}
		}
		if len(x) != len(b) {
			continue
		}
		total++
		u := above(x, y)
		if u <= seen {
			low++
		}
		if u >= seen {
			high++
		}
	}
	return min(2*float64(min(low, high))/float64(total), 1)
}

// TestTiedRanks: what is counted cleverly is what trying all of it gives.
func TestTiedRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pairs := [][2][]float64{{{15, 42, 42, 100}, {1, 2}}, {{0, 0, 0, 0}, {1, 1, 1, 1}}, {{5, 5}, {5, 5, 5}}}
	for range 40 {
		var b, n []float64
		for range 1 + r.IntN(6) {
			b = append(b, float64(r.IntN(5)))
		}
		for range 1 + r.IntN(6) {
			n = append(n, float64(1+r.IntN(5)))
		}
		pairs = append(pairs, [2][]float64{b, n})
	}
	for _, p := range pairs {
		slices.Sort(p[0])
		slices.Sort(p[1])
		want := drawn(p[0], p[1])
		if got := tiedRanks(p[0], p[1]); !near(got, want) {
			t.Errorf("%v against %v: %v, want %v", p[0], p[1], got, want)
		}
		if got := tiedRanks(p[1], p[0]); !near(got, want) {
			t.Errorf("%v against %v: %v, want %v", p[1], p[0], got, want)
		}
	}
}
