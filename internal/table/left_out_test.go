package table

import (
	"slices"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
)

// TestCellsNeverTriedAreCounted: a run that its budget ended speaks of three of
// four cells, and says so wherever it sums up.
func TestCellsNeverTriedAreCounted(t *testing.T) {
	info := plannedFor("a", "b")
	info.Stopped = bench.StopBudget
	for i, server := range []string{"a", "b"} {
		for _, conns := range []int{10, 20} {
			info.Plan.Cells = append(info.Plan.Cells, on(server, i, "small", conns))
		}
	}
	r := Build(info, slices.Concat(steady(on("a", 0, "small", 10), 200), steady(on("b", 1, "small", 10), 100), steady(on("a", 0, "small", 20), 200)))
	if want := "3 cells on 2 systems; 1 more of the plan not tried."; r.Summary != want {
		t.Errorf("%q, want %q", r.Summary, want)
	}
	if want := []string{"a is 2.0 times as fast as b at the only point with figures of two systems.", "1 cell of the plan was not tried."}; !slices.Equal(r.Verdict, want) {
		t.Errorf("%q, want %q", r.Verdict, want)
	}
}

// TestChartsSayWhichFilesTheyLeaveOut: the scenario of `matrix init` measures its
// large file at one concurrency, of which no line can be drawn.
func TestChartsSayWhichFilesTheyLeaveOut(t *testing.T) {
	r := Build(plannedFor("a"), slices.Concat(steady(on("a", 0, "small", 1), 100), steady(on("a", 0, "small", 10), 200), steady(on("a", 0, "large", 10), 50)))
	g := groupOf(t, r, "Rate")
	if len(g.Charts) != 1 || !strings.HasSuffix(g.About, " Not drawn, for a line takes more than one value along concurrency: large.") {
		t.Errorf("%d charts, %q", len(g.Charts), g.About)
	}
}

// TestDistributionsSayWhichTheyLeaveOut: a driver that yields none, and a system
// that failed.
func TestDistributionsSayWhichTheyLeaveOut(t *testing.T) {
	sound := ok(on("a", 0, "small", 10), 1, time.Second)
	sound.Latency = hist.New(0)
	for i := range 500 {
		sound.Latency.Record(time.Duration(i+1) * time.Millisecond)
	}
	r := Build(plannedFor("a", "b"), append(rounds(on("b", 1, "small", 10), 0), sound))
	g := groupOf(t, r, "Distribution")
	if len(g.Charts) != 1 || !strings.HasSuffix(g.About, " Not drawn, for they have no distribution: b.") {
		t.Errorf("%d charts, %q", len(g.Charts), g.About)
	}
}

// TestAMapNeedsRounds: of single rounds none is drawn, and a note says why; what
// the rounds do not tell from the best is as good, and a cell that lost a round is
// not compared.
func TestAMapNeedsRounds(t *testing.T) {
	one := Build(plannedFor("a", "b"), slices.Concat(rounds(on("a", 0, "small", 10), 100), rounds(on("b", 1, "small", 10), 50), rounds(on("a", 0, "small", 20), 100), rounds(on("b", 1, "small", 20), 50)))
	if g := groupOf(t, one, "Grid"); len(g.Heats) != 0 || !strings.HasPrefix(noteOf(one, "chart"), "Grid: no map is drawn") {
		t.Errorf("%d maps, %q", len(g.Heats), noteOf(one, "chart"))
	}
	alike := []float64{90, 100, 110, 120, 130, 140}
	r := Build(plannedFor("a", "b", "c"), slices.Concat(
		rounds(on("a", 0, "small", 10), alike...), rounds(on("b", 1, "small", 10), 92, 101, 112, 121, 132, 141), steady(on("c", 2, "small", 10), 50),
		steady(on("a", 0, "small", 20), 100), rounds(on("b", 1, "small", 20), 100, 0, 100, 100, 100, 100), steady(on("c", 2, "small", 20), 50)))
	h := groupOf(t, r, "Grid").Heats[0]
	for i, want := range [][2]HeatCell{
		{{Best: true, Text: "99 %", State: "ok"}, {Best: true, Text: "100 %", State: "ok"}},
		{{Best: true, Text: "100 %", State: "ok"}, {Text: "?", State: "degraded"}},
		{{Text: "43 %", State: "ok"}, {Text: "50 %", State: "ok"}},
	} {
		for n, w := range want {
			got := h.Rows[i].Cells[n]
			if got.Share = nil; got != w {
				t.Errorf("%s, %s: %+v, want %+v", h.Rows[i].Name, h.Columns[n], got, w)
			}
		}
	}
}
