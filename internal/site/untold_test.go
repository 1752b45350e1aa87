package site

import (
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
)

// TestWorseIsZeroOnlyWhereItIsTold: "0" is said where each cell was compared with
// enough rounds, and nowhere else.
func TestWorseIsZeroOnlyWhereItIsTold(t *testing.T) {
	for _, c := range []struct {
		of   run
		want string
	}{
		{run{Unlike: "first run"}, "first run"},
		{run{Unlike: "no cell in common"}, "no cell in common"},
		{run{Compared: true, Told: 8}, "0"},
		{run{Compared: true, Told: 8, Worse: 2}, "2"},
		{run{Compared: true, Untold: 8}, "cannot be told"},
		{run{Compared: true, Told: 5, Untold: 3}, "0 of 5, 3 not told"},
		{run{Compared: true, Told: 5, Untold: 3, Worse: 1}, "1 of 5, 3 not told"},
	} {
		if got := c.of.WorseText(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.of, got, c.want)
		}
	}
	if got := (run{Cells: 8}).FailedText(); got != "" {
		t.Errorf("of 8 cells none was tried, and %q failed", got)
	}
}

// TestTheSiteSaysWhatItCannotTell: two nights of a single round, one of which a
// cell is down 95 % in; then the same with twelve.
func TestTheSiteSaysWhatItCannotTell(t *testing.T) {
	o := options(t)
	night(t, o.Results, "few", 0, map[string][]int{"small": {100}, "large": {100}})
	night(t, o.Results, "few", 1, map[string][]int{"small": {100}, "large": {2000}})
	night(t, o.Results, "enough", 0, map[string][]int{"small": steady(100), "large": steady(100)})
	night(t, o.Results, "enough", 1, map[string][]int{"small": steady(100), "large": steady(2000)})
	build(t, o)
	few, enough := read(t, o, "few/index.html"), read(t, o, "enough/index.html")
	for _, want := range []string{"<td>0</td><td>cannot be told</td>", "<td>0</td><td>first run</td>", "2 runs: too few to tell whether a level moved"} {
		if !strings.Contains(few, want) {
			t.Errorf("no %q on the page of single rounds", want)
		}
	}
	if strings.Contains(few, "<td>0</td><td>0</td>") || strings.Contains(few, "no level moved") {
		t.Error("the page of single rounds says that all is well")
	}
	if !strings.Contains(enough, `<td>0</td><td><span class="finding">1</span></td>`) {
		t.Error("the page of twelve rounds does not say that one cell became worse")
	}
	f := atom(t, o)
	if want := "cannot be told of the newest run of few."; !strings.HasSuffix(f.Note, want) || len(f.Entries) != 1 {
		t.Errorf("the subtitle is %q, and there are %d entries", f.Note, len(f.Entries))
	}
}

// TestSkippedCellsWereNotTried: they are no cells of which none failed.
func TestSkippedCellsWereNotTried(t *testing.T) {
	var records []bench.Record
	for i, s := range []bench.State{bench.StateSkipped, bench.StateInterrupted, bench.StateFailed, bench.StateOK} {
		c := bench.Cell{Key: bench.Key("n=" + string(rune('0'+i)))}
		records = append(records, bench.Record{Trial: bench.Trial{Cell: c, Round: 1}, State: s})
	}
	var r run
	r.sum(bench.RunInfo{Started: time.Unix(0, 0)}, records)
	if r.Cells != 4 || r.Measured != 2 || r.Failed != 1 {
		t.Errorf("%d cells, %d tried, %d failed", r.Cells, r.Measured, r.Failed)
	}
}
