package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
	"matrix/internal/hist"
)

// TestLoadOfASystemsOwnMakesNoPoint: that a system has its own protocol is no
// other point of the grid, neither in its map nor in the verdict.
func TestLoadOfASystemsOwnMakesNoPoint(t *testing.T) {
	with := func(server string, system, conns int, p bench.Protocol, keep bool, perSecond ...float64) []bench.Record {
		c := on(server, system, "small", conns)
		c.Load.Protocol, c.Load.KeepAlive = p, keep
		c.Axes = pairs("file", "small", "concurrency", fmt.Sprint(conns))
		return rounds(c, perSecond...)
	}
	r := Build(plannedFor("a", "b"), slices.Concat(
		with("a", 0, 10, bench.HTTP11, true, 200, 201, 202, 203), with("a", 0, 20, bench.HTTP11, true, 300, 301),
		with("b", 1, 10, bench.HTTP10, false, 100, 101, 102, 103), with("b", 1, 20, bench.HTTP10, false, 0, 0)))
	grid := groupOf(t, r, "Grid")
	if len(grid.Heats) != 1 {
		t.Fatalf("%d maps", len(grid.Heats))
	}
	h := grid.Heats[0]
	if d := cmp.Diff([]string{"10", "20"}, h.Columns); d != "" || h.XLabel != "Concurrency" {
		t.Error(h.XLabel, d)
	}
	if !strings.Contains(grid.About, " A point is a concurrency; ") {
		t.Error(grid.About)
	}
	said := strings.Join(r.Verdict, " ")
	if strings.Contains(strings.ToLower(said), "protocol") || strings.Contains(said, "keep") || !strings.Contains(said, "at concurrency 20") {
		t.Error(said)
	}
}

// TestBudgetsAreChosenForAllSystems: also where one has a protocol of its own.
func TestBudgetsAreChosenForAllSystems(t *testing.T) {
	with := func(server string, system, conns int, p bench.Protocol, n int64, perSecond float64) []bench.Record {
		c := on(server, system, "small", conns)
		c.Load.Protocol, c.Load.Requests = p, n
		c.Axes = pairs("file", "small", "concurrency", fmt.Sprint(conns), "requests", fmt.Sprint(n))
		c.Key = bench.KeyOf(slices.Concat(c.Labels, c.Axes))
		return rounds(c, perSecond)
	}
	r := Build(plannedFor("a", "b"), slices.Concat(
		with("a", 0, 10, bench.HTTP11, 100, 10), with("a", 0, 10, bench.HTTP11, 1000, 11), with("a", 0, 20, bench.HTTP11, 1000, 12),
		with("b", 1, 10, bench.HTTP10, 100, 99), with("b", 1, 10, bench.HTTP10, 1000, 0), with("b", 1, 20, bench.HTTP10, 1000, 13)))
	b := groupOf(t, r, "Rate").Charts[0].Series[1]
	if d := cmp.Diff(Series{Name: "b", Points: []Point{{X: 10, Failed: true}, {X: 20, Y: new(13.0)}}}, b); d != "" {
		t.Error(d)
	}
}

// looksOf lists the look of each name in all charts of a report, and fails where a
// name has two, or two names have one.
func looksOf(t *testing.T, r *Report) (byName map[string]int) {
	t.Helper()
	byName = map[string]int{}
	byLook := map[int]string{}
	for _, g := range r.Charts {
		for _, c := range g.Charts {
			for i, s := range c.Series {
				look := i
				if c.Looks != nil {
					look = c.Looks[i]
				}
				if had, met := byName[s.Name]; met && had != look {
					t.Errorf("%s, %s: %s looks %d, and elsewhere %d", g.Title, c.Title, s.Name, look, had)
				}
				if other, met := byLook[look]; met && other != s.Name {
					t.Errorf("%s, %s: %s looks as %s does", g.Title, c.Title, s.Name, other)
				}
				byName[s.Name], byLook[look] = look, s.Name
			}
		}
	}
	return byName
}

// TestOneLookIsOneName: where two drivers measured, and only one of them tells
// the distribution of the latency.
func TestOneLookIsOneName(t *testing.T) {
	var records []bench.Record
	for s, server := range []string{"a", "b", "c"} {
		for _, driver := range []string{"ab", "native"} {
			for _, conns := range []int{10, 20} {
				c := on(server, s, "small", conns)
				c.Driver, c.Axes = driver, append(c.Axes, bench.Pair{Name: "driver", Value: driver})
				c.Key = bench.KeyOf(slices.Concat(c.Labels, c.Axes))
				trial := rounds(c, 100)
				if driver == "native" {
					trial[0].Latency = hist.New(0)
					for i := range 100 {
						trial[0].Latency.Record(time.Duration(i+1) * time.Millisecond)
					}
				}
				records = append(records, trial...)
			}
		}
	}
	r := Build(plannedFor("a", "b", "c"), records)
	if len(groupOf(t, r, "Distribution").Charts) != 1 {
		t.Fatalf("%+v", r.Charts)
	}
	want := map[string]int{"a, ab": 0, "a, native": 1, "b, ab": 2, "b, native": 3, "c, ab": 4, "c, native": 5}
	if d := cmp.Diff(want, looksOf(t, r)); d != "" {
		t.Error(d)
	}
}

// TestLooksOfNames: systems come first, in their order, and bars of several last.
func TestLooksOfNames(t *testing.T) {
	var b builder
	for i, name := range []string{"x", "y"} {
		b.g.cells = append(b.g.cells, cell{Cell: &bench.Cell{Labels: pairs("Server", name), System: i}})
	}
	b.info = plannedFor("x", "y")
	chart := func(kind bench.ChartKind, systems []int, names ...string) Chart {
		c := Chart{Kind: kind, YLabel: "Rate", Looks: systems}
		for _, n := range names {
			c.Series = append(c.Series, Series{Name: n})
		}
		return c
	}
	charts := []Chart{
		chart(bench.Bars, []int{0}, "Rate"), chart(bench.Lines, []int{1, 1}, "y, ab", "y, native"),
		chart(bench.Lines, []int{1, 0}, "y", "x"), chart(bench.Lines, []int{1}, "Rate"),
	}
	b.dress([]ChartGroup{{Charts: charts}})
	for i, want := range [][]int{{4}, {2, 3}, {1, 0}, {1}} {
		if !slices.Equal(charts[i].Looks, want) {
			t.Errorf("chart %d: %v, want %v", i, charts[i].Looks, want)
		}
	}
}

// TestARunsIDIsNeverALabel: a label or an axis may be called as its column is.
func TestARunsIDIsNeverALabel(t *testing.T) {
	run := func(id, label string) *Report {
		c := on("a", 0, "small", 10)
		c.Labels = pairs(label, "mine")
		info := plannedFor()
		info.ID, info.Plan.Labels = id, []string{label}
		return Build(info, rounds(c, 100))
	}
	for _, c := range []struct {
		labels [2]string
		want   string
	}{{[2]string{"Server", "Server"}, "run"}, {[2]string{"run", "run"}, "run_"}, {[2]string{"run_", "run"}, "run__"}} {
		r := Join([]*Report{run("x/1", c.labels[0]), run("x/2", c.labels[1])})
		s := r.Sheet()
		if s.Header[0] != c.want {
			t.Errorf("%v: the first column is %q, want %q", c.labels, s.Header[0], c.want)
		}
		for i, id := range []string{"x/1", "x/2"} {
			own := slices.Index(s.Header, c.labels[i])
			if s.Rows[i][0].Text != id || s.Rows[i][own].Text != "mine" {
				t.Errorf("%v: row %d has %q and %q", c.labels, i, s.Rows[i][0].Text, s.Rows[i][own].Text)
			}
		}
	}
}
