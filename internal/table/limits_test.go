package table

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"matrix/internal/bench"
)

// limited is a finished run of two systems at two points, with limits of all
// its cells. Cells take 10 ms for 1000 requests, b at point 1 fails.
func limited(limits ...bench.Limit) (bench.RunInfo, []bench.Record) {
	info := plannedFor("a", "b")
	info.Finished, info.Plan.Limits = new(time.Now()), limits
	var records []bench.Record
	for s, name := range []string{"a", "b"} {
		for point := range 2 {
			c := at(name, s, point, int64(point+1))
			for i := range limits {
				c.Limits = append(c.Limits, i)
			}
			info.Plan.Cells = append(info.Plan.Cells, c)
			ms := []int{10, 20, 10}
			if s == 1 && point == 1 {
				ms = []int{0, 0, 0}
			}
			records = append(records, paced(c, ms...)...)
		}
	}
	return info, records
}

func TestLimits(t *testing.T) {
	keys := []bench.Key{at("a", 0, 0, 1).Key, at("a", 0, 1, 2).Key, at("b", 1, 0, 1).Key, at("b", 1, 1, 2).Key}
	for _, x := range []struct {
		name  string
		limit bench.Limit
		edit  func(*bench.RunInfo)
		cells int
		want  []Breach
	}{
		{"kept but by what failed", bench.Limit{Metric: "requests_per_second", Min: new(100000.0)}, nil, 4, []Breach{{keys[3], "", ""}}},
		{"broken", bench.Limit{Metric: "requests_per_second", Min: new(100000.5)}, nil, 4,
			[]Breach{{keys[0], "100000", ""}, {keys[1], "100000", ""}, {keys[2], "100000", ""}, {keys[3], "", ""}}},
		{"a failed cell keeps none", bench.Limit{Metric: "failed", Max: new(0.0)}, nil, 4, []Breach{{keys[3], "", ""}}},
		{"an expected failure", bench.Limit{Metric: "time_s", Max: new(1.0)}, func(i *bench.RunInfo) { i.Plan.Cells[3].ExpectFailure = true }, 3, nil},
		{"skipped", bench.Limit{Metric: "time_s", Max: new(1.0)}, func(i *bench.RunInfo) { i.Plan.Cells[3].Skip = "why" }, 3, nil},
		{"of some", bench.Limit{Metric: "time_s", Max: new(0.001)}, func(i *bench.RunInfo) {
			for c := range 3 {
				i.Plan.Cells[c].Limits = nil
			}
		}, 1, []Breach{{keys[3], "", ""}}},
		{"the baseline is not held against itself", bench.Limit{Metric: "ratio_to_baseline", Min: new(0.5)},
			func(i *bench.RunInfo) { i.Plan.Baseline = pairs("Server", "a") }, 2, []Breach{{keys[3], "", ""}}},
	} {
		t.Run(x.name, func(t *testing.T) {
			info, records := limited(x.limit)
			if x.edit != nil {
				x.edit(&info)
			}
			r := Build(info, records)
			if d := cmp.Diff(x.want, r.Limits[0].Broken, cmpopts.IgnoreUnexported(Breach{})); d != "" || r.Limits[0].Cells != x.cells {
				t.Errorf("%d cells, want %d; %s", r.Limits[0].Cells, x.cells, d)
			}
			if got, want := r.BrokenLimits(), min(len(x.want), 1); got != want {
				t.Errorf("%d limits are broken, want %d", got, want)
			}
		})
	}
}

func TestALimitOfACellThatWasNeverTried(t *testing.T) {
	info, records := limited(bench.Limit{Metric: "time_s", Max: new(1.0)})
	records = records[:9]
	if r := Build(info, records); r.BrokenLimits() != 1 || r.Limits[0].Cells != 4 {
		t.Errorf("a finished run: %+v", r.Limits)
	}
	info.Finished = nil
	if r := Build(info, records); r.BrokenLimits() != 0 || r.Limits[0].Cells != 3 {
		t.Errorf("a run that goes on: %+v", r.Limits)
	}
	records = append(records, failed(info.Plan.Cells[3], 1, bench.StateInterrupted, ""))
	if r := Build(info, records); r.BrokenLimits() != 0 || r.Limits[0].Cells != 3 {
		t.Errorf("a run that was interrupted there and can go on: %+v", r.Limits)
	}
	info.Finished = new(time.Now())
	if r := Build(info, records); r.BrokenLimits() != 1 || r.Limits[0].Cells != 4 {
		t.Errorf("one that the budget ended there: %+v", r.Limits)
	}
}

func TestALimitThatNoCellWasHeldAgainstIsNotKept(t *testing.T) {
	info, records := limited(bench.Limit{Metric: "time_s", Max: new(1.0)}, bench.Limit{Metric: "failed", Max: new(0.0), Where: "Server=c"})
	info.Plan.Cells[3].ExpectFailure = true
	for i := range info.Plan.Cells {
		info.Plan.Cells[i].Limits = []int{0}
	}
	var told []string
	for _, n := range limitNotes(Build(info, records).Limits) {
		told = append(told, n.Text)
	}
	if want := []string{"Held against no cell: failed at most 0 where Server=c.", "1 limit kept."}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// TestWhatIsExpectedToFailIsSaidByThePresentPlan, also of trials that were run
// before the scenario said so.
func TestWhatIsExpectedToFailIsSaidByThePresentPlan(t *testing.T) {
	info, records := limited()
	info.Plan.Cells[3].ExpectFailure = true
	for _, c := range Build(info, records).Tried() {
		if want := c.Cell.Key == info.Plan.Cells[3].Key; c.Expected() != want {
			t.Errorf("%s: expected %v, want %v", c.Cell.Key, c.Expected(), want)
		}
	}
}

func TestBrokenLimitsAreMarkedAndTold(t *testing.T) {
	info, records := limited(bench.Limit{Metric: "time_s", Max: new(0.0099), Where: "Server=a"}, bench.Limit{Metric: "requests_per_second", Min: new(1.0), Max: new(1e9)},
		bench.Limit{Metric: "completed", Max: new(1e9)})
	info.Plan.Cells[3].ExpectFailure = true
	info.Plan.Cells[2].Limits = []int{1, 2}
	r := Build(info, records)
	var findings []string
	for _, row := range r.Tables[0].Rows {
		findings = append(findings, row.Finding)
	}
	if want := []string{"limit: time_s 0.01000, above 0.0099", "limit: time_s 0.01000, above 0.0099", "", ""}; !slices.Equal(findings, want) {
		t.Errorf("findings %q", findings)
	}
	var told []string
	for _, n := range r.Notes {
		if strings.HasPrefix(n.Code, "limit") {
			told = append(told, n.Code+": "+n.Text)
		}
	}
	want := []string{"limit: Broken by 2 of 2 cells: time_s at most 0.0099 where Server=a (" + string(info.Plan.Cells[0].Key) + ": 0.01000, above 0.0099 / " +
		string(info.Plan.Cells[1].Key) + ": 0.01000, above 0.0099).", "limits: 2 limits kept."}
	if d := cmp.Diff(want, told); d != "" {
		t.Error(d)
	}
}

func TestABrokenLimitIsSeenToBeBroken(t *testing.T) {
	for _, x := range []struct {
		limit bench.Limit
		v     float64
		want  string
	}{
		{bench.Limit{Max: new(20.0)}, 20, ""},
		{bench.Limit{Max: new(20.0)}, 20.0001, "20.0001, above 20"},
		{bench.Limit{Max: new(20.0)}, 25.3, "25.30, above 20"},
		{bench.Limit{Min: new(-1.0)}, -1.5, "-1.500, below -1"},
		{bench.Limit{Min: new(0.0), Max: new(0.0)}, 0, ""},
	} {
		if got := broken(x.limit, x.v); got != x.want {
			t.Errorf("%v: %q, want %q", x.v, got, x.want)
		}
	}
}
