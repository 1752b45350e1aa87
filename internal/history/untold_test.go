package history

import (
	"slices"
	"strings"
	"testing"

	"matrix/internal/table"
)

func rowOf(t *testing.T, r *table.Report, key string) table.Row {
	t.Helper()
	i := slices.IndexFunc(r.Tables[0].Rows, func(r table.Row) bool { return strings.HasPrefix(string(r.Key), key) })
	if i < 0 {
		t.Fatalf("no row of %s", key)
	}
	return r.Tables[0].Rows[i]
}

// TestFewRunsTellNothing: a cell down 95 % two nights running is not one whose
// level did not move.
func TestFewRunsTellNothing(t *testing.T) {
	g := grid{cells: 2, rounds: 1, rate: func(night, cell, _ int) float64 {
		if cell == 1 && night > 0 {
			return 50
		}
		return 1000
	}}
	r := load(t, g.nights(t, 3), Options{}).Report()
	if want := []string{"Requests per second: 3 runs: too few to tell whether a level moved, which takes 13."}; !slices.Equal(r.Verdict, want) {
		t.Errorf("the verdict is %q, want %q", r.Verdict, want)
	}
	x := rowOf(t, r, "server=apache")
	if want := "3 runs: too few to tell whether the level moved, which takes 13"; x.Untold != want || x.Finding != "" {
		t.Errorf("untold %q, finding %q", x.Untold, x.Finding)
	}
	if step := x.Cells[len(x.Cells)-3]; step.Text != "too few runs" {
		t.Errorf("the step is %q", step.Text)
	}
	// With as many runs as it takes, and none fewer, the same is told.
	for nights, told := range map[int]bool{12: false, 13: true} {
		steps := grid{cells: 2, rounds: 1, rate: func(night, cell, _ int) float64 {
			if cell == 1 && night >= nights/2 {
				return 50 - float64(night)
			}
			return 1000 - float64(night%2)
		}}
		r := load(t, steps.nights(t, nights), Options{}).Report()
		if x := rowOf(t, r, "server=apache"); (x.Finding != "") != told || (x.Untold == "") != told {
			t.Errorf("%d runs: finding %q, untold %q", nights, x.Finding, x.Untold)
		}
		if x := rowOf(t, r, "server=nginx"); (x.Untold == "") != told {
			t.Errorf("%d runs: of the steady cell, untold %q", nights, x.Untold)
		}
	}
}

// TestWhatTheLastRunLacksIsTold: a cell that failed in the last run comes first,
// and one that has no record of it is not told to be well.
func TestWhatTheLastRunLacksIsTold(t *testing.T) {
	g := grid{cells: 6, rounds: 1, rate: func(night, cell, _ int) float64 {
		switch {
		case cell == 4 && night >= 18, cell == 5:
			return 0
		case cell == 2 && night == 19:
			return -1
		}
		return 1000 + float64(night%3)
	}}
	r := load(t, g.nights(t, 20), Options{}).Report()
	want := []string{
		"Requests per second: no level moved and stayed, in 5 of 6 cells over 20 runs; 1 is measured in too few runs to tell, which takes 15.",
		"2 of 6 cells failed in the last run: nginx, concurrency 3; apache, concurrency 3.",
		"1 of 6 cells not measured in the last run: nginx, concurrency 2.",
	}
	if !slices.Equal(r.Verdict, want) {
		t.Errorf("the verdict is %q, want %q", r.Verdict, want)
	}
	if x := r.Tables[0].Rows[0]; !strings.HasPrefix(string(x.Key), "server=nginx,file=small,concurrency=3") || x.Cells[3].Text != "(1002)" {
		t.Errorf("the first row is %+v", x)
	}
	if x := rowOf(t, r, "server=nginx,file=small,concurrency=2"); x.Untold != "not measured in the last run" {
		t.Errorf("untold %q", x.Untold)
	}
	if x := rowOf(t, r, "server=nginx,file=small,concurrency=1"); x.Untold != "" || x.Cells[5].Text != "none" {
		t.Errorf("untold %q, step %q", x.Untold, x.Cells[5].Text)
	}
}

// TestChartsSayWhatTheyLeaveOut: up to a dozen cells are all drawn, those that
// fail among them; of more it is said how many are.
func TestChartsSayWhatTheyLeaveOut(t *testing.T) {
	grids := func(cells, failing int) table.ChartGroup {
		g := grid{cells: cells, rounds: 1, rate: func(night, cell, _ int) float64 {
			if cell >= cells-failing {
				return 0
			}
			return 1000 + float64(night%3)
		}}
		return load(t, g.nights(t, 3), Options{}).Report().Charts[0]
	}
	const about = "The value of each run, and the level between two steps; a cross where the cell failed."
	for _, c := range []struct {
		cells, failing, drawn int
		about                 string
	}{
		{8, 2, 8, about},
		{20, 0, fewCharts, about + " Drawn are 4 of 20 cells: the first."},
		{20, 3, 3, about + " Drawn are 3 of 20 cells: those that failed last, or whose level moved or may have."},
	} {
		g := grids(c.cells, c.failing)
		if len(g.Charts) != c.drawn || g.About != c.about {
			t.Errorf("%d cells, of which %d fail: %d charts, %q", c.cells, c.failing, len(g.Charts), g.About)
		}
		if failed := g.Charts[0].Series[0].Points[0].Failed; failed != (c.failing > 0) {
			t.Errorf("%d cells, of which %d fail: the first chart is of one that fails: %v", c.cells, c.failing, failed)
		}
	}
}
