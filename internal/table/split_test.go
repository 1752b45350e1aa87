package table

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
)

// byDriver is trials of a cell by a driver.
func byDriver(server string, system int, driver string, conns int, perSecond ...float64) []bench.Record {
	c := on(server, system, "small", conns)
	c.Driver, c.Axes = driver, append(slices.Clone(c.Axes), bench.Pair{Name: "driver", Value: driver})
	c.Key = bench.KeyOf(slices.Concat(c.Labels, c.Axes))
	return rounds(c, perSecond...)
}

// TestATableIsSplitByWhatItLeavesOut: two drivers are two figures, and their
// difference is the spread of neither, unless the table is told to take them
// together; then it has no interval, is never the best, and says so.
func TestATableIsSplitByWhatItLeavesOut(t *testing.T) {
	records := slices.Concat(
		byDriver("a", 0, "ab", 10, 100, 101, 102, 103, 104, 105), byDriver("a", 0, "native", 10, 300, 301, 302, 303, 304, 305),
		byDriver("b", 1, "ab", 10, 50, 51, 52, 53, 54, 55), byDriver("b", 1, "native", 10, 150, 151, 152, 153, 154, 155))
	rate := columns("requests_per_second")
	for _, c := range []struct {
		name string
		spec bench.Table
		want []string
		note string
	}{
		{"flat", bench.Table{Layout: bench.Flat, Rows: "Server", Metrics: rate}, []string{"Server|Driver|Requests per second",
			"a|ab|102.5 [100.0, 105.0]*", "a|native|302.5 [300.0, 305.0]*", "b|ab|52.50 [50.00, 55.00]", "b|native|152.5 [150.0, 155.0]"}, ""},
		{"pivot", bench.Table{Layout: bench.Pivot, Rows: "concurrency", Columns: "Server", Metrics: rate}, []string{"Concurrency|Driver|a Requests per second|b Requests per second",
			"10|ab|102.5 [100.0, 105.0]*|52.50 [50.00, 55.00]", "10|native|302.5 [300.0, 305.0]*|152.5 [150.0, 155.0]"}, ""},
		{"metrics down", bench.Table{Layout: bench.Pivot, Rows: ".metric", Columns: "Server", Metrics: rate}, []string{"Metric|Driver|a|b",
			"Requests per second|ab|102.5 [100.0, 105.0]*|52.50 [50.00, 55.00]", "Requests per second|native|302.5 [300.0, 305.0]*|152.5 [150.0, 155.0]"}, ""},
		{"over the driver", bench.Table{Layout: bench.Flat, Rows: "Server", Over: []string{"driver"}, Metrics: rate}, []string{"Server|Requests per second",
			"a|202.5", "b|102.5"}, "T: a figure is that of all rounds of cells that differ in driver."},
		{"over the system, too", bench.Table{Layout: bench.Pivot, Rows: "concurrency", Over: []string{"driver", "Server"}, Metrics: rate},
			[]string{"Concurrency|Requests per second", "10|127.5"}, "T: a figure is that of all rounds of cells that differ in Server, driver."},
		{"a filter leaves nothing to split", bench.Table{Layout: bench.Flat, Rows: "Server", Filter: "driver:ab", Metrics: rate}, []string{"Server|Requests per second",
			"a|102.5 [100.0, 105.0]*", "b|52.50 [50.00, 55.00]"}, ""},
	} {
		info := plannedFor("a", "b")
		info.Plan.Tables = []bench.Table{c.spec}
		r := Build(info, records)
		if d := cmp.Diff(c.want, shown(r.Tables[0])); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if got := noteOf(r, "over"); got != c.note {
			t.Errorf("%s: the note is %q, want %q", c.name, got, c.note)
		}
	}
}

// TestALabelWithASpaceSplitsToo, and what follows from an axis that a table is
// told to take together does not: the size from the file.
func TestALabelWithASpaceSplitsToo(t *testing.T) {
	var records []bench.Record
	for i, l := range []string{"No", "Yes"} {
		for n, file := range []string{"small", "large"} {
			c := on("a", i, file, 10)
			c.File.Size = int64(1000 * (n + 1))
			c.Labels = append(c.Labels, bench.Pair{Name: `Kernel "Tweaked?"`, Value: l})
			c.Key = bench.KeyOf(slices.Concat(c.Labels, c.Axes))
			records = append(records, rounds(c, 100)...)
		}
	}
	info := plannedFor("a")
	info.Plan.Systems = nil
	info.Plan.Tables = []bench.Table{{Layout: bench.Flat, Rows: "Server", Over: []string{"file"}, Metrics: columns("completed")}}
	r := Build(info, records)
	if d := cmp.Diff([]string{`Server|Kernel "Tweaked?"|Completed`, "a|No|1000", "a|Yes|1000"}, shown(r.Tables[0])); d != "" {
		t.Error(d)
	}
	if got := noteOf(r, "over"); got != "T: a figure is that of all rounds of cells that differ in file, size." {
		t.Error(got)
	}
}

// TestARowOfAPivotIsAsWellAsAllItsPlaces: a failed cell beside one that is ok makes
// the row no ok one.
func TestARowOfAPivotIsAsWellAsAllItsPlaces(t *testing.T) {
	info := plannedFor("a", "b")
	info.Plan.Tables = []bench.Table{{Layout: bench.Pivot, Rows: "concurrency", Columns: "Server", Metrics: columns("requests_per_second")}}
	r := Build(info, slices.Concat(rounds(on("a", 0, "small", 10), 100, 101, 102), rounds(on("b", 1, "small", 10), 0, 0), rounds(on("a", 0, "small", 20), 100), rounds(on("b", 1, "small", 20), 90)))
	for i, want := range []bench.State{bench.StateDegraded, bench.StateOK} {
		if row := r.Tables[0].Rows[i]; row.State != want {
			t.Errorf("row %d is %s, want %s", i, row.State, want)
		}
	}
	if n := r.Tables[0].Rows[0].Rounds; n != 3 {
		t.Errorf("%d rounds", n)
	}
	if !strings.Contains(strings.Join(shown(r.Tables[0]), "\n"), "failed") {
		t.Error("the place that failed does not say so")
	}
}
