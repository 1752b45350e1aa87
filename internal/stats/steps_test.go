package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// level is n values around 1000 with lognormal noise.
func level(r *rand.Rand, n int, noise float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1000 * math.Exp(noise*r.NormFloat64())
	}
	return v
}

// slowed takes a share off the values from one index up to another.
func slowed(v []float64, from, to int, share float64) []float64 {
	for i := from; i < to; i++ {
		v[i] *= 1 - share
	}
	return v
}

func confirmed(v []float64, alpha, least float64) []Step {
	steps := Steps(v, StepOptions{Alpha: alpha, Least: least})
	return slices.DeleteFunc(steps, func(s Step) bool { return s.Recent })
}

const (
	nights = 90
	cells  = 300
)

// TestStepsFalseAlarms: 3000 series of 90 values of one level. The P of a step
// holds for normal noise as for noise with outliers and without a variance.
func TestStepsFalseAlarms(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name  string
		noise func(r *rand.Rand) float64
		most  int // series of 3000 with a step, at alpha 0.05
	}{
		{"normal", func(r *rand.Rand) float64 { return 100 + 2*r.NormFloat64() }, 60},
		{"outliers", func(r *rand.Rand) float64 {
			if r.Float64() < 0.05 {
				return 70
			}
			return 100 + 2*r.NormFloat64()
		}, 60},
		{"cauchy", func(r *rand.Rand) float64 { return r.NormFloat64() / r.NormFloat64() }, 60},
		{"counts, mostly equal", func(r *rand.Rand) float64 { return math.Floor(r.Float64() * 1.2) }, 60},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			alarms, inGrid := 0, 0
			for seed := range uint64(10 * cells) {
				r := rand.New(rand.NewPCG(seed, 1))
				v := make([]float64, nights)
				for i := range v {
					v[i] = x.noise(r)
				}
				if len(confirmed(v, 0.05, 0)) == 0 {
					continue // nor is there a step at a lower level
				}
				alarms++
				if len(confirmed(v, 0.05/cells, 0)) > 0 {
					inGrid++
				}
			}
			t.Logf("series with a step: %d of %d at 0.05, %d at 0.05/%d", alarms, 10*cells, inGrid, cells)
			if alarms > x.most {
				t.Errorf("%d of %d series have a step, more than %d", alarms, 10*cells, x.most)
			}
			if inGrid > 0 {
				t.Errorf("%d series have a step at the level of a grid", inGrid)
			}
		})
	}
}

// TestStepsFound: noise of 2 %, at the level of a grid of 300 cells.
func TestStepsFound(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name         string
		n, from, to  int // values, and where the level is lower
		share        float64
		found, right int // of 200 at least: with all the steps there are, each within one value of its place
	}{
		{"10 % for 4 values of 90", 90, 86, 90, 0.10, 195, 190},
		{"10 % for 6 of 30", 30, 24, 30, 0.10, 190, 190},
		{"10 % for half", 90, 45, 90, 0.10, 200, 198},
		{"5 % for 8 of 90", 90, 82, 90, 0.05, 160, 145},
		{"5 % for 14 of 90", 90, 76, 90, 0.05, 190, 170},
		{"5 % for half", 90, 45, 90, 0.05, 200, 180},
		{"10 % and back again", 90, 30, 50, 0.10, 198, 195},
	} {
		t.Run(x.name, func(t *testing.T) {
			want := []int{x.from}
			if x.to < x.n {
				want = append(want, x.to)
			}
			found, right := 0, 0
			for seed := range uint64(200) {
				v := slowed(level(rand.New(rand.NewPCG(seed, 2)), x.n, 0.02), x.from, x.to, x.share)
				steps := confirmed(v, 0.05/cells, 0)
				if len(steps) != len(want) {
					continue
				}
				found++
				if !slices.ContainsFunc(steps, func(s Step) bool {
					return !slices.ContainsFunc(want, func(at int) bool { return max(s.At-at, at-s.At) <= 1 })
				}) {
					right++
				}
			}
			t.Logf("found %d, at the right place %d of 200", found, right)
			if found < x.found || right < x.right {
				t.Errorf("found %d, at the right place %d of 200; want %d and %d", found, right, x.found, x.right)
			}
		})
	}
}

// TestStepsDrift holds what Steps does where its one condition fails: values
// that follow the one before. Least keeps it quiet.
func TestStepsDrift(t *testing.T) {
	t.Parallel()
	any, great := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		v, x := make([]float64, nights), 0.0
		for i := range v {
			x = 0.5*x + math.Sqrt(0.75)*r.NormFloat64()
			v[i] = 1000 * math.Exp(0.02*x)
		}
		if len(confirmed(v, 0.05/cells, 0)) == 0 {
			continue
		}
		any++
		if len(confirmed(v, 0.05/cells, 0.05)) > 0 {
			great++
		}
	}
	t.Logf("series with a step: %d of 3000, with one of 5 %%: %d", any, great)
	if any > 120 || great > 3 {
		t.Errorf("%d and %d of 3000 drifting series have a step, more than 120 and 3", any, great)
	}
}

// TestRecentByChance: how often the last values of one level stand apart, of
// steps of 2 % at least. It is told as what it is, and yet is to be rare.
func TestRecentByChance(t *testing.T) {
	for n, most := range map[int]int{15: 33, 20: 33, 30: 9, 90: 3} {
		marks := 0
		for seed := range uint64(3000) {
			steps := Steps(level(rand.New(rand.NewPCG(seed, 10)), n, 0.02), StepOptions{Alpha: 0.05 / cells, Least: 0.02})
			if len(steps) > 0 && steps[len(steps)-1].Recent {
				marks++
			}
		}
		t.Logf("%d values: %d of 3000", n, marks)
		if marks > most {
			t.Errorf("of %d values the last stand apart in %d of 3000 series, more than %d", n, marks, most)
		}
	}
}

func TestStepsValues(t *testing.T) {
	nan := math.NaN()
	flat := func(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }
	for _, x := range []struct {
		name   string
		values []float64
		want   []Step // P aside
	}{
		{"none", nil, nil},
		{"one", []float64{1}, nil},
		{"equal", flat(50, 7), nil},
		{"too few on either side", slices.Concat(flat(2, 1), flat(2, 2)), nil},
		{"half and half", slices.Concat(flat(10, 100), flat(10, 90)), []Step{{At: 10, Before: 100, After: 90}}},
		{"from zero", slices.Concat(flat(10, 0), flat(10, 5)), []Step{{At: 10, Before: 0, After: 5}}},
		{"missing nights count as none", slices.Concat(flat(10, 100), []float64{nan, nan}, flat(10, 90), []float64{nan}),
			[]Step{{At: 12, Before: 100, After: 90}}},
		{"one outlier is no step", slices.Concat(flat(20, 100), []float64{10}, flat(20, 100)), nil},
		{"the last two are recent", slices.Concat(flat(20, 100), flat(2, 80)), []Step{{At: 20, Before: 100, After: 80, Recent: true}}},
		{"up and down", slices.Concat(flat(20, 100), flat(20, 120), flat(20, 100)),
			[]Step{{At: 20, Before: 100, After: 120}, {At: 40, Before: 120, After: 100}}},
	} {
		t.Run(x.name, func(t *testing.T) {
			got := Steps(x.values, StepOptions{Alpha: 0.05})
			for i := range got {
				if got[i].P <= 0 || got[i].P > 0.05 {
					t.Errorf("P is %v", got[i].P)
				}
				got[i].P = 0
			}
			if !slices.Equal(got, x.want) {
				t.Errorf("got %+v, want %+v", got, x.want)
			}
		})
	}
}

// TestStepsPIsCountedOut: the P of a step does not depend on what it is asked
// to be below. Ten values before and ten other after have 2/184756 for the place
// in their midst, a share of 1/(100*0.194) of the places, and half of the chance
// is that of the whole series.
func TestStepsPIsCountedOut(t *testing.T) {
	v := make([]float64, 20)
	for i := range v {
		v[i] = float64(100 + i%10 - i/10*50)
	}
	total := 0.0
	for at := Stay; at <= len(v)-Stay; at++ {
		total += 1 / float64(at*(len(v)-at))
	}
	want := 2.0 / 184756 * 100 * total / 0.5
	for _, alpha := range []float64{0.05, 0.001, 0.0005} {
		got := Steps(v, StepOptions{Alpha: alpha})
		if len(got) != 1 || got[0].At != 10 || math.Abs(got[0].P/want-1) > 1e-9 {
			t.Errorf("at %v: %+v, want one step at 10 of P %v", alpha, got, want)
		}
	}
}

func TestStepsLeast(t *testing.T) {
	v := slices.Concat(slices.Repeat([]float64{100}, 20), slices.Repeat([]float64{99}, 20), slices.Repeat([]float64{80}, 20))
	got := Steps(v, StepOptions{Alpha: 0.05, Least: 0.05})
	if len(got) != 1 || got[0].At != 40 || got[0].Before != 99.5 || got[0].After != 80 {
		t.Errorf("got %+v, want the one step at 40 from 99.5, the median of all before it", got)
	}
	if c, ok := got[0].Change(); !ok || math.Abs(c+0.19598) > 1e-4 {
		t.Errorf("change is %v, %v", c, ok)
	}
	if _, ok := (Step{Before: 0, After: 5}).Change(); ok {
		t.Error("a change from zero has no share")
	}
}

// TestLowTail counts out every order of small groups.
func TestLowTail(t *testing.T) {
	for _, x := range []struct{ m, n int }{{3, 5}, {4, 8}, {5, 7}} {
		all, atMost := 0, map[int]int{}
		for bits := range 1 << (x.m + x.n) { // a one: a value of the first group
			u, ones, zeros := 0, 0, 0
			for i := range x.m + x.n {
				if bits>>i&1 == 1 {
					u, ones = u+zeros, ones+1
				} else {
					zeros++
				}
			}
			if ones == x.m {
				all++
				atMost[u]++
			}
		}
		sum := 0
		for u := range x.m * x.n / 4 {
			sum += atMost[u]
			want := float64(sum) / float64(all)
			if got := lowTail(float64(u), x.m, x.n); math.Abs(got-want) > 1e-12 && want < 0.01 {
				t.Errorf("P(U <= %d) of %d and %d is %v, want %v", u, x.m, x.n, got, want)
			}
		}
	}
	for _, m := range []int{11, 15, 30} { // where the counting ends, the normal tail is the heavier
		n := fewPairs/m + 1
		for u := 0.0; u < float64(m*n)/2; u++ {
			normal := lowTail(u, m, n)
			if normal > 1e-3 {
				break
			}
			if exact := countOut(u, m, n); exact > normal {
				t.Errorf("P(U <= %v) of %d and %d: counted %v, normal %v", u, m, n, exact, normal)
			}
		}
	}
}

func BenchmarkSteps(b *testing.B) {
	for _, n := range []int{90, 1000} {
		v := slowed(level(rand.New(rand.NewPCG(1, 4)), n, 0.02), n/3, n/2, 0.05)
		b.Run(map[int]string{90: "90", 1000: "1000"}[n], func(b *testing.B) {
			for b.Loop() {
				Steps(v, StepOptions{Alpha: 0.05 / cells})
			}
		})
	}
}
