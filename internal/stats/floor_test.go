package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestWander(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   float64
		ok     bool
	}{
		{"too few", []float64{1, 2, 3}, 1, false},
		{"calm", []float64{7, 7, 7, 7, 7, 7}, 1, true},
		{"drifting up", []float64{10, 10, 10, 11, 11, 11}, 1.1, true},
		{"drifting down", []float64{11, 11, 11, 5, 10, 10, 10}, 1.1, true},
		{"every other", []float64{10, 12, 10, 12, 10, 12}, 1.2, true},
		{"nothing to divide by", []float64{0, 1, 1, 1}, 1, false},
	} {
		if got, ok := Wander(c.values); !near(got, c.want) || ok != c.ok {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

// TestSpread: it is the standard deviation, on average, and not far above it when
// up to half of the values went elsewhere.
func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n, elsewhere int
		lo, hi       float64
	}{{20, 0, 0.9, 1.1}, {50, 0, 0.95, 1.05}, {200, 0, 0.97, 1.03}, {1000, 0, 0.97, 1.03}, {200, 40, 1.2, 1.35}, {200, 100, 2.1, 2.4}} {
		const times = 500
		sum := 0.0
		for range times {
			v := make([]float64, c.n)
			for i := range v {
				v[i] = r.NormFloat64()
				if i < c.elsewhere {
					v[i] = 20 + 10*v[i]
				}
			}
			s, _ := Spread(v)
			sum += s / times
		}
		if sum < c.lo || sum > c.hi {
			t.Errorf("%d values, %d of them elsewhere: %v", c.n, c.elsewhere, sum)
		}
	}
	if _, ok := Spread(make([]float64, 19)); ok {
		t.Error("nineteen values told a spread")
	}
}

func TestReach(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
		ok     bool
	}{{nil, 0, false}, {[]float64{0.5}, 6.355, true}, {[]float64{1, -1}, 4.303, true}, {make([]float64, 50), 0, true}} {
		if got, ok := Reach(c.values); math.Abs(got-c.want) > 1e-9 || ok != c.ok {
			t.Errorf("%v: %v, %v", c.values, got, ok)
		}
	}
	if got := NormalQuantile(0.975); math.Abs(got-1.959964) > 1e-6 {
		t.Errorf("quantile %v", got)
	}
}
