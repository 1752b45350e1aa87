package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
	"matrix/internal/hist"
)

func groupOf(t *testing.T, r *Report, title string) ChartGroup {
	t.Helper()
	i := slices.IndexFunc(r.Charts, func(g ChartGroup) bool { return g.Title == title })
	if i < 0 {
		return ChartGroup{}
	}
	return r.Charts[i]
}

// TestGroupsOfARun draws two systems on two files of different sizes, at two
// concurrencies and, of one, two budgets.
func TestGroupsOfARun(t *testing.T) {
	sized := func(server string, system int, file string, size int64, conns int, perSecond ...float64) []bench.Record {
		c := on(server, system, file, conns)
		c.File.Size = size
		return rounds(c, perSecond...)
	}
	short := on("nginx", 0, "small", 10) // fewer requests at the same point: not drawn
	short.File.Size, short.Load.Requests, short.Axes = 1000, 100, pairs("file", "small", "concurrency", "10", "requests", "100")
	short.Key += "short"
	r := Build(plannedFor("nginx", "Apache"), slices.Concat(
		rounds(short, 7, 7),
		sized("nginx", 0, "small", 1000, 10, 100, 125, 200, 250), sized("nginx", 0, "small", 1000, 1025, 100, 100),
		sized("nginx", 0, "large", 9000, 10, 50, 50), sized("nginx", 0, "large", 9000, 1025, 25, 25),
		sized("Apache", 1, "small", 1000, 10, 50, 50, 50, 50), sized("Apache", 1, "small", 1000, 1025, 0, 0),
		sized("Apache", 1, "large", 9000, 10, 25, 25),
	))
	rate := groupOf(t, r, "Rate")
	var titles []string
	for _, c := range rate.Charts {
		titles = append(titles, c.Title)
	}
	if d := cmp.Diff([]string{"Requests per second, small", "Requests per second, large"}, titles); d != "" {
		t.Fatal(d)
	}
	want := []Series{
		{"nginx", []Point{{X: 10, Y: new(162.5), Low: new(100.0), High: new(250.0)}, {X: 1025, Y: new(100.0), Low: new(100.0), High: new(100.0)}}},
		{"Apache", []Point{{X: 10, Y: new(50.0), Low: new(50.0), High: new(50.0)}, {X: 1025, Failed: true}}},
	}
	if d := cmp.Diff(want, rate.Charts[0].Series); d != "" {
		t.Error(d)
	}
	if about := rate.Charts[0].About; !strings.HasSuffix(about, "Apache: 50.00 to 50.00; failed at 1025.") {
		t.Error(about)
	}
	transfer := groupOf(t, r, "Transfer")
	if len(transfer.Charts) != 1 || transfer.About != "Bytes received per second by the size of the file, at concurrency 10. Of cells that differ only in how much was asked for, those asked for most are drawn." {
		t.Fatalf("%+v", transfer)
	}
	if got := transfer.Charts[0].Ticks; len(got) != 2 || got[1].At != 9000 {
		t.Errorf("%v", got)
	}
	if g := groupOf(t, r, "Latency"); len(g.Charts) != 0 {
		t.Errorf("latencies that nobody measured: %+v", g)
	}
	grid := groupOf(t, r, "Grid")
	if len(grid.Heats) != 1 {
		t.Fatalf("%d maps", len(grid.Heats))
	}
	if grid.About != "Requests per second as a share of the fastest at the same point. Those as dark as the fastest cannot be told from it. A point is a file, a concurrency and a number of requests; a cell is a point on one system. Alone is a system where no other has a figure. With a question mark, rounds are missing or too few to compare the cell." {
		t.Error(grid.About)
	}
	h := grid.Heats[0]
	if d := cmp.Diff([]string{"10 / 100", "10 / 1000", "1025 / 1000"}, h.Columns); d != "" || h.XLabel != "Concurrency / requests" {
		t.Error(h.XLabel, d)
	}
	var lines []string
	for _, row := range h.Rows {
		var line strings.Builder
		line.WriteString(row.Name)
		for _, c := range row.Cells {
			line.WriteString("|" + c.Text)
		}
		lines = append(lines, line.String())
	}
	if d := cmp.Diff([]string{"nginx, small|alone|100 %|alone", "nginx, large||?|alone", "Apache, small||31 %|failed", "Apache, large||?|"}, lines); d != "" {
		t.Error(d)
	}
}

// TestSystemsAtOnePointStandBesideEachOther: nothing varies, so bars.
func TestSystemsAtOnePointStandBesideEachOther(t *testing.T) {
	r := Build(plannedFor("a", "b"), slices.Concat(rounds(on("a", 0, "small", 10), 100), rounds(on("b", 1, "small", 10), 50)))
	if len(r.Charts) != 1 || r.Charts[0].Title != "Rate" || r.Charts[0].Charts[0].Kind != bench.Bars {
		t.Fatalf("%+v", r.Charts)
	}
	if got := r.Charts[0].Charts[0].Ticks; len(got) != 2 || got[1].Text != "b" {
		t.Errorf("%v", got)
	}
	if r := Build(plannedFor("a"), rounds(on("a", 0, "small", 10), 100)); r.Charts != nil {
		t.Errorf("a single cell is drawn: %+v", r.Charts)
	}
}

// TestManySystemsShareTheirAxes: seven series stand in two charts of one span.
func TestManySystemsShareTheirAxes(t *testing.T) {
	var records []bench.Record
	var names []string
	for i := range 7 {
		names = append(names, fmt.Sprint("s", i))
		records = append(records, slices.Concat(rounds(on(names[i], i, "small", 10), float64(10*(i+1))), rounds(on(names[i], i, "small", 20), 100))...)
	}
	charts := groupOf(t, Build(plannedFor(names...), records), "Rate").Charts
	if len(charts) != 2 || len(charts[0].Series) != 4 || len(charts[1].Series) != 3 {
		t.Fatalf("%d charts", len(charts))
	}
	for _, c := range charts {
		if *c.Least != 10 || *c.Most != 100 {
			t.Errorf("%s: %v to %v", c.Title, *c.Least, *c.Most)
		}
	}
}

// TestDistribution: percentiles widen towards the slowest as far as there were
// requests, of all rounds together.
func TestDistribution(t *testing.T) {
	with := func(c bench.Cell, round int, factor int) bench.Record {
		r := ok(c, round, time.Second)
		r.Latency = hist.New(0)
		for i := range 500 {
			r.Latency.Record(time.Duration((i+1)*factor) * time.Millisecond)
		}
		return r
	}
	r := Build(plannedFor("a", "b"), []bench.Record{
		with(on("a", 0, "small", 10), 1, 1), with(on("a", 0, "small", 10), 2, 1), with(on("b", 1, "small", 10), 1, 2), with(on("b", 1, "small", 10), 2, 2),
		with(on("a", 0, "small", 20), 1, 9),
	})
	g := groupOf(t, r, "Distribution")
	if len(g.Charts) != 1 {
		t.Fatalf("%+v", g)
	}
	c := g.Charts[0]
	if c.Title != "Latency by percentile, concurrency 10" || !c.XLog || !c.YLog || c.Unit != "ms" || len(c.Series) != 2 {
		t.Errorf("%s %v %v %s %d", c.Title, c.XLog, c.YLog, c.Unit, len(c.Series))
	}
	if d := cmp.Diff([]Tick{{1, "0 %"}, {10, "90 %"}, {100, "99 %"}, {1000, "99.9 %"}}, c.Ticks); d != "" {
		t.Error(d)
	}
	points := c.Series[1].Points
	last := points[len(points)-1]
	at := func(x float64) float64 {
		i := slices.IndexFunc(points, func(p Point) bool { return math.Abs(p.X-x) < 1e-9 })
		if i < 0 {
			t.Fatalf("no point at %v", x)
		}
		return *points[i].Y
	}
	if *points[0].Y != 2 || last.X != 1000 || *last.Y != 1000 || math.Abs(at(10)-900) > 1 || math.Abs(at(100)-990) > 1 {
		t.Errorf("%v at 0 %%, %v at 90 %%, %v at 99 %%, %v at %v", *points[0].Y, at(10), at(100), *last.Y, last.X)
	}
	if len(groupOf(t, r, "Latency").Charts) != 2 {
		t.Errorf("%+v", groupOf(t, r, "Latency"))
	}
}

func TestChartsOfManyValuesAreThinned(t *testing.T) {
	var records []bench.Record
	for i := range 500 {
		records = append(records, rounds(on("a", 0, "small", i+1), 100)...)
	}
	r := Build(plannedFor("a"), records)
	c := groupOf(t, r, "Rate").Charts[0]
	if len(c.Ticks) != maxTicks || c.Ticks[0].At != 1 || c.Ticks[maxTicks-1].At != 500 {
		t.Errorf("%d values, %v to %v", len(c.Ticks), c.Ticks[0], c.Ticks[len(c.Ticks)-1])
	}
	if got := noteOf(r, "chart"); got != "Rate: of 500 values along concurrency, 64 are drawn." {
		t.Error(got)
	}
}

// TestASystemLooksTheSameInAllCharts: one that is missing from a chart leaves its
// look to nobody.
func TestASystemLooksTheSameInAllCharts(t *testing.T) {
	r := Build(plannedFor("a", "b", "c"), slices.Concat(
		rounds(on("a", 0, "small", 10), 10), rounds(on("b", 1, "small", 10), 20), rounds(on("c", 2, "small", 10), 30),
		rounds(on("a", 0, "small", 20), 10), rounds(on("b", 1, "small", 20), 20), rounds(on("c", 2, "small", 20), 30),
		rounds(on("a", 0, "large", 10), 10), rounds(on("c", 2, "large", 10), 30), rounds(on("a", 0, "large", 20), 10), rounds(on("c", 2, "large", 20), 30),
	))
	charts := groupOf(t, r, "Rate").Charts
	if len(charts) != 2 || charts[0].Looks != nil || !slices.Equal(charts[1].Looks, []int{0, 2}) {
		t.Errorf("%v", charts)
	}
	for _, c := range []struct{ systems, want []int }{
		{nil, nil}, {[]int{0, 1, 2}, nil}, {[]int{1, 0}, []int{1, 0}}, {[]int{6, 8}, []int{0, 2}}, {[]int{1, 7}, nil}, {[]int{-1}, nil},
	} {
		if got := looks(c.systems); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v", c.systems, got)
		}
	}
}

// TestAlikeIsDrawn: where budgets differ, all systems are drawn at the same, and
// one that failed there has failed; charts say that there are more.
func TestAlikeIsDrawn(t *testing.T) {
	budget := func(server string, system, conns int, n int64, perSecond ...float64) []bench.Record {
		c := on(server, system, "small", conns)
		c.Load.Requests, c.Axes = n, pairs("file", "small", "concurrency", fmt.Sprint(conns), "requests", fmt.Sprint(n))
		c.Key = bench.KeyOf(slices.Concat(c.Labels, c.Axes))
		return rounds(c, perSecond...)
	}
	r := Build(plannedFor("a", "b"), slices.Concat(
		budget("a", 0, 10, 100, 10), budget("a", 0, 10, 1000, 11), budget("a", 0, 10, 5000, 0), budget("a", 0, 20, 1000, 12),
		budget("b", 1, 10, 100, 99), budget("b", 1, 10, 1000, 0), budget("b", 1, 20, 1000, 13),
	))
	rate := groupOf(t, r, "Rate")
	want := []Series{{Name: "a", Points: []Point{{X: 10, Y: new(11.0)}, {X: 20, Y: new(12.0)}}}, {Name: "b", Points: []Point{{X: 10, Failed: true}, {X: 20, Y: new(13.0)}}}}
	if d := cmp.Diff(want, rate.Charts[0].Series); d != "" {
		t.Error(d)
	}
	if about := "Requests per second that were answered well. Of cells that differ only in how much was asked for, those asked for most are drawn."; rate.About != about {
		t.Error(rate.About)
	}
}

// TestWhatDiffersAtSomePointsIsALineOfItsOwn: a second generator at one of the
// points is not joined with the others.
func TestWhatDiffersAtSomePointsIsALineOfItsOwn(t *testing.T) {
	with := func(conns int, generators string, perSecond float64) []bench.Record {
		c := on("a", 0, "small", conns)
		c.Axes = append(slices.Clone(c.Axes), bench.Pair{Name: "generators", Value: generators})
		c.Key = bench.KeyOf(slices.Concat(c.Labels, c.Axes))
		return rounds(c, perSecond)
	}
	c := groupOf(t, Build(plannedFor("a"), slices.Concat(with(5, "1", 682), with(15, "2", 550), with(30, "1", 685))), "Rate").Charts[0]
	var names []string
	for _, s := range c.Series {
		names = append(names, fmt.Sprint(s.Name, len(s.Points)))
	}
	if d := cmp.Diff([]string{"generators 12", "generators 21"}, names); d != "" {
		t.Error(d)
	}
}
