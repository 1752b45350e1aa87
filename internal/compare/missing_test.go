package compare

import (
	"slices"
	"strings"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// remembering adds how much memory the server took to rounds; 0 is not known.
func remembering(records []bench.Record, bytes ...int64) []bench.Record {
	for i := range records {
		if b := bytes[i%len(bytes)]; b > 0 {
			records[i].Host.ServerMaxRSS = &b
		}
	}
	return records
}

// TestMetricNobodyHas: that nothing was measured is not that nothing changed.
func TestMetricNobodyHas(t *testing.T) {
	a := cell("a", 10)
	metrics := []table.Metric{metric(t, "requests_per_second"), metric(t, "server_max_rss_bytes")}
	base, next := run("base", remembering(rounds(a, steady...), 1<<20)), run("new", rounds(a, steady...))
	_, err := Runs([]Run{base}, next, metrics, nil, usual)
	if err == nil || err.Error() != "no cell has server_max_rss_bytes in both base and new" {
		t.Errorf("%v", err)
	}
	// What fails has no figures, which is told as such.
	next = run("new", rounds(a, dead...))
	if c, err := Runs([]Run{base}, next, metrics, nil, usual); err != nil || c.Cells[0].Verdict() != FailedNow {
		t.Errorf("%v", err)
	}
}

// TestMetricThatIsLost: cells that lack what is compared are not among the same.
func TestMetricThatIsLost(t *testing.T) {
	a, b := cell("a", 10), cell("b", 10)
	base := run("base", remembering(rounds(a, steady...), 1<<20), remembering(rounds(b, steady...), 1<<20))
	next := run("new", remembering(rounds(a, steady...), 1<<20), rounds(b, steady...))
	c, err := Runs([]Run{base}, next, []table.Metric{metric(t, "server_max_rss_bytes")}, nil, usual)
	if err != nil {
		t.Fatal(err)
	}
	if x, y := c.Cells[0].Verdict(), c.Cells[1].Verdict(); x != Same || y != Unmeasured {
		t.Errorf("%s and %s", x, y)
	}
	want := []string{
		"None of 1 cell measured in both is slower by more than 5% and by more than chance and the machine's unrest explain, and none fails that did not.",
		"1 of 2 cells is without server_max_rss_bytes in one of the runs or in both: Server=b.",
	}
	if got := c.verdict(); !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// TestOneZeroIsNoLicence: a clock that ticks coarsely shows nothing in one round.
// The threshold holds all the same.
func TestOneZeroIsNoLicence(t *testing.T) {
	a := cell("a", 10)
	burning := func(seconds ...float64) []bench.Record {
		records := rounds(a, steady...)
		for i := range records {
			records[i].Host.ServerCPUUser = &seconds[i]
		}
		return records
	}
	base := run("base", burning(0, 1, 1.001, 1.002, 1.003, 1.004, 1.005, 1.006))
	for _, c := range []struct {
		next []bench.Record
		want Verdict
	}{
		{burning(1.01, 1.011, 1.012, 1.013, 1.014, 1.015, 1.016, 1.017), Same},
		{burning(1.11, 1.111, 1.112, 1.113, 1.114, 1.115, 1.116, 1.117), Slower},
	} {
		x, err := Runs([]Run{base}, run("new", c.next), []table.Metric{metric(t, "server_cpu_user_s")}, nil, usual)
		if err != nil {
			t.Fatal(err)
		}
		if f := x.Cells[0].Figures[0]; f.Verdict != c.want || f.Adjusted > 0.05 {
			t.Errorf("%s, not %s: %+v", f.Verdict, c.want, f)
		}
	}
}

// TestFailingInBothIsTold: a grid that fails as it did is not called well.
func TestFailingInBothIsTold(t *testing.T) {
	a, b := cell("a", 10), cell("b", 10)
	c := compared(t, run("base", rounds(a, dead...), rounds(b, dead...)), run("new", rounds(a, dead...), rounds(b, dead...)))
	if got := c.verdict(); !slices.Equal(got, []string{"2 of 2 cells are failing in both: Server=a; Server=b."}) {
		t.Errorf("%q", got)
	}
}

// TestDifferencesOfSeveralBases: that servers and load generator share a host in
// one run of the base says nothing of the next.
func TestDifferencesOfSeveralBases(t *testing.T) {
	a := cell("a", 10)
	alone, apart := run("n1", rounds(a, steady...)), run("n2", rounds(a, steady...))
	alone.Info.Host, alone.Info.Generator = bench.HostInfo{Name: "h", Cores: 4}, bench.HostInfo{Name: "h", Cores: 4}
	apart.Info.Host, apart.Info.Generator = bench.HostInfo{Name: "h", Cores: 4}, bench.HostInfo{Name: "g", Cores: 8}
	got := compared(t, alone, alone, apart).Differences
	want := []string{"The load generator's host was g and is h.", "The cores of the load generator's host was 8 and is 4."}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestDifferencesComeFirst: they are a warning, which stands above all figures.
func TestDifferencesComeFirst(t *testing.T) {
	a := cell("a", 10)
	base, next := run("base", rounds(a, steady...)), run("new", rounds(a, steady...))
	next.Info.Plan.Digest = "s2"
	r := compared(t, base, next).Report(false)
	if !slices.Equal(r.Warnings, []string{"Not the same in both: The scenario was edited."}) || strings.Contains(strings.Join(r.Verdict, " "), "Not the same") {
		t.Errorf("%q, %q", r.Warnings, r.Verdict)
	}
	if r := compared(t, base, base).Report(false); r.Warnings != nil {
		t.Errorf("%q", r.Warnings)
	}
}

// TestWhatChangedNamesTheFile: files of the same size are told apart by name, also
// where one cell alone has a row.
func TestWhatChangedNamesTheFile(t *testing.T) {
	named := func(file string) bench.Cell {
		x := cell("a", 10)
		x.File.Name, x.Axes[0].Value = file, file
		x.Key = bench.KeyOf(x.Pairs())
		return x
	}
	base := run("base", rounds(named("f1"), steady...), rounds(named("f2"), steady...))
	next := run("new", rounds(named("f1"), steady...), rounds(named("f2"), slow...))
	r := compared(t, base, next).Report(true)
	changed := r.Tables[0]
	if changed.Caption != "What changed" || len(changed.Rows) != 1 || changed.Columns[0].Name != "file" || changed.Rows[0].Cells[0].Text != "f2" {
		t.Errorf("%+v", changed)
	}
	if !slices.Contains(changed.Constant, bench.Pair{Name: "Server", Value: "a"}) {
		t.Errorf("%v", changed.Constant)
	}
}
