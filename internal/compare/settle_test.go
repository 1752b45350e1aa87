package compare

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// After a change, nights are told as long as three from before it are in the
// base; one bad night among good ones hides nothing; and what has become usual is
// no change. g is a good night, S one in which the first of the cells is a fifth
// slower.
func TestChangesWithinTheBase(t *testing.T) {
	tests := []struct {
		base string
		next string
		want Verdict
		left int
	}{
		{"ggggg", "S", Slower, 0},
		{"ggggS", "S", Slower, 1},
		{"gggSS", "S", Slower, 2},
		{"ggSSS", "S", Same, 2}, // the good ones
		{"SSSSS", "S", Same, 0},
		{"ggSgg", "S", Slower, 1},
		{"Sgggg", "S", Slower, 1},
		{"SSggg", "S", Slower, 2},
		{"ggSgg", "g", Same, 1},
		{"ggSSS", "g", Faster, 2},
		{"gg", "S", Slower, 0},
		{"gS", "S", Same, 0}, // too few nights to tell
	}
	for _, cells := range []int{8, 40} {
		for _, test := range tests {
			t.Run(fmt.Sprintf("%d cells %s then %s", cells, test.base, test.next), func(t *testing.T) {
				r := rand.New(rand.NewPCG(7, uint64(cells)))
				grid := make([]Sides, cells)
				for i := range grid {
					grid[i].Better = unit.Higher
					for _, n := range test.base {
						grid[i].Base = append(grid[i].Base, nightOf(r, i == 0 && n == 'S'))
					}
					grid[i].New = nightOf(r, i == 0 && test.next == "S")
				}
				judged, _ := Judge(grid, Options{Threshold: 0.05, Alpha: 0.05})
				if got := judged[0]; got.Verdict != test.want || got.Left != test.left {
					t.Errorf("%s with %d runs left out, not %s with %d", got.Verdict, got.Left, test.want, test.left)
				}
				for i, j := range judged[1:] {
					if j.Verdict != Same {
						t.Errorf("cell %d, which stayed, is %s", i+1, j.Verdict)
					}
				}
			})
		}
	}
}

// nightOf is twelve rounds of a cell.
func nightOf(r *rand.Rand, slow bool) (rounds []float64) {
	level := 1000.0
	if slow {
		level /= 1.25
	}
	for range 12 {
		rounds = append(rounds, level*(1+0.01*r.NormFloat64()))
	}
	return rounds
}

func TestRunsLeftOutAreTold(t *testing.T) {
	figure := func(left int) []Figure { return []Figure{{Judged: Judged{Left: left}}} }
	c := &Comparison{Cells: []Cell{{Figures: figure(2)}, {Figures: figure(0)}, {Figures: figure(1)}}}
	if cells, runs := c.leftOut(); cells != 2 || runs != 3 {
		t.Errorf("%d cells, %d runs, not 2 and 3", cells, runs)
	}
	var codes []string
	for _, n := range c.notes() {
		codes = append(codes, n.Code)
	}
	if !slices.Contains(codes, "left-out") {
		t.Errorf("no note of runs left out among %v", codes)
	}
}

func TestAFindingReadsAsASentence(t *testing.T) {
	c := &Comparison{Base: []bench.RunInfo{{ID: "n/1"}}}
	for v, want := range map[Verdict]string{
		Slower:    "slower than in n/1 ()",
		FailedNow: "failed now, and did not in n/1",
		Same:      "",
	} {
		if got := c.finding(line{verdict: v, Cell: Cell{Fate: v}}); got != want {
			t.Errorf("%s: %q, not %q", v, got, want)
		}
	}
}
