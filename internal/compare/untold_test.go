package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"matrix/internal/bench"
)

// TestWhatCannotBeToldIsNotTheSame: a fall by a third that chance explains is not
// "the same", nor is a cell of too few rounds, or of one run only, among those of
// which none became slower.
func TestWhatCannotBeToldIsNotTheSame(t *testing.T) {
	wild := []float64{1500, 300, 1400, 350, 200, 1450, 250, 310}
	a, b, c, d := cell("a", 10), cell("b", 10), cell("c", 10), cell("d", 10)
	two := []float64{1000, 1003}
	x := compared(t, run("base", rounds(a, steady...), rounds(b, steady...), rounds(c, two...), rounds(d, steady...)),
		run("new", rounds(a, steady...), rounds(b, wild...), rounds(c, 500, 501)))
	want := []Verdict{Same, Unsure, TooFew, OnlyInBase}
	for i, v := range want {
		if got := x.Cells[i].Verdict(); got != v {
			t.Errorf("%s: %s, want %s", x.Cells[i].Key, got, v)
		}
	}
	if n := x.Untold(); n != 3 {
		t.Errorf("of %d cells nothing can be told, want 3", n)
	}
	if all, _ := x.Regressions(); all != 0 {
		t.Errorf("%d regressions", all)
	}
	r := x.Report(false)
	if want := "Of 3 cells measured in both, 1 can be told: none of these is slower by more than 5% "; !strings.HasPrefix(r.Verdict[0], want) {
		t.Errorf("the verdict begins %q", r.Verdict[0])
	}
	if !slices.ContainsFunc(r.Verdict, func(s string) bool {
		return strings.HasPrefix(s, "1 of 4 cells is not sure (a change by more than 5% is neither shown nor ruled out): Server=b (requests_per_second -")
	}) {
		t.Errorf("the verdict is %q", r.Verdict)
	}
	untold := r.Untold()
	for key, want := range map[string]string{string(a.Key): "", string(b.Key): "requests_per_second: not sure (8 against 8)",
		string(c.Key): "requests_per_second: too few rounds (2 against 2)", string(d.Key): "only in base"} {
		if got := untold[bench.Key(key)]; got != want {
			t.Errorf("%s: untold %q, want %q", key, got, want)
		}
	}
}

// TestNoRowIsTheSameAndFarOff: whatever the rounds are, a row that says "same" has
// no change beyond the threshold, unless the unrest of its machine is as great.
func TestNoRowIsTheSameAndFarOff(t *testing.T) {
	for shift := range 40 {
		next := slices.Clone(steady)
		for i := range next {
			next[i] *= 1 + 0.02*float64(shift-20)*float64(i%3)
		}
		f := compared(t, run("base", rounds(cell("a", 10), steady...)), run("new", rounds(cell("a", 10), next...))).Cells[0].Figures[0]
		if f.Verdict == Same && math.Abs(f.Own-1) > usual.Threshold && math.Abs(f.Own-1) > 2*f.Floor {
			t.Errorf("%v: same, though it is at %v of the base, with a floor of %v", next, f.Own, f.Floor)
		}
	}
}
