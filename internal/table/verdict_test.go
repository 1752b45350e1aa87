package table

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
)

// on is a cell of a server for a file at a concurrency, of 1000 requests.
func on(server string, system int, file string, conns int) bench.Cell {
	c := at(server, system, conns, 1000)
	c.File.Name, c.Load.Conns = file, conns
	c.Axes = pairs("file", file, "concurrency", fmt.Sprint(conns), "requests", "1000")
	c.Key = bench.KeyOf(slices.Concat(c.Labels, c.Axes))
	return c
}

// rounds is a trial of a cell at each of the given requests per second; 0 is a
// round that failed.
func rounds(c bench.Cell, perSecond ...float64) (list []bench.Record) {
	for i, n := range perSecond {
		if n == 0 {
			r := failed(c, i+1, bench.StateFailed, "")
			r.Issued = 1000
			r.Measurement.Failed = map[bench.Failure]int64{bench.Client: 1000}
			r.Messages = map[bench.Failure]string{bench.Client: "socket: too many open files"}
			r.Reason = fmt.Sprintf("socket: too many open files (1000 of 1000), round %d", i+1)
			list = append(list, r)
			continue
		}
		list = append(list, ok(c, i+1, time.Duration(1000/n*float64(time.Second))))
	}
	return list
}

func verdictOf(info bench.RunInfo, records ...[]bench.Record) []string {
	return Build(info, slices.Concat(records...)).Verdict
}

// steady is six trials of a cell, the first at the given requests per second and
// each further one at a thousandth more.
func steady(c bench.Cell, perSecond float64) []bench.Record {
	var rates []float64
	for i := range 6 {
		rates = append(rates, perSecond*(1+float64(i)/1000))
	}
	return rounds(c, rates...)
}

func TestVerdict(t *testing.T) {
	two := plannedFor("nginx", "Apache")
	five := plannedFor("a", "b", "c", "d", "e")
	var ofFive [][]bench.Record
	for i, server := range []string{"a", "b", "c", "d", "e"} {
		low := float64(100 - 10*i)
		ofFive = append(ofFive, steady(on(server, i, "small", 10), low), steady(on(server, i, "small", 150), 200-low))
	}
	var ordered [][]bench.Record
	for i, server := range []string{"a", "b", "c", "d", "e"} {
		rate := float64(100 - 20*i)
		for _, file := range []string{"small", "large"} {
			ordered = append(ordered, steady(on(server, i, file, 10), rate), steady(on(server, i, file, 150), rate))
		}
		if i > 0 {
			ordered = append(ordered, rounds(on(server, i, "large", 1025), 0, 0))
		}
	}
	for _, c := range []struct {
		name    string
		info    bench.RunInfo
		records [][]bench.Record
		want    []string
	}{
		{"none", two, nil, []string{"Nothing was measured yet."}},
		{"all failed", two, [][]bench.Record{rounds(on("nginx", 0, "small", 10), 0, 0), rounds(on("Apache", 1, "small", 10), 0, 0)}, []string{
			"None of the 2 cells could be measured.",
			"nginx and Apache each failed at 1 cell: socket: too many open files."}},
		{"one cell failed", plannedFor("nginx"), [][]bench.Record{rounds(on("nginx", 0, "small", 10), 0)}, []string{
			"The one cell could not be measured.", "nginx failed at 1 cell: socket: too many open files."}},
		{"one system", plannedFor("nginx"), [][]bench.Record{steady(on("nginx", 0, "small", 10), 100), steady(on("nginx", 0, "large", 10), 10), rounds(on("nginx", 0, "large", 1025), 0, 0)}, []string{
			"nginx makes 10.03 to 100.3 requests per second over 2 points.",
			"nginx failed at 1 cell on large at concurrency 1025: socket: too many open files."}},
		{"one point of two", two, [][]bench.Record{steady(on("nginx", 0, "small", 10), 140), steady(on("Apache", 1, "small", 10), 100)}, []string{
			"nginx is 1.4 times as fast as Apache."}},
		{"points of two", two, [][]bench.Record{
			steady(on("nginx", 0, "small", 10), 200), steady(on("Apache", 1, "small", 10), 100),
			steady(on("nginx", 0, "small", 150), 103), steady(on("Apache", 1, "small", 150), 100),
			rounds(on("nginx", 0, "large", 10), 10, 12, 14, 16, 18, 20), rounds(on("Apache", 1, "large", 10), 11, 13, 15, 17, 19, 21),
			steady(on("nginx", 0, "large", 150), 10), steady(on("Apache", 1, "large", 150), 20),
			steady(on("nginx", 0, "large", 1025), 10), rounds(on("Apache", 1, "large", 1025), 0, 0),
		}, []string{
			"nginx is faster at 2 of 4 points, in the median 1.5 times as fast as Apache; at 1 the systems cannot be told apart.",
			"Apache is faster on large at concurrency 150.",
			"Apache failed at 1 cell on large at concurrency 1025: socket: too many open files."}},
		{"a lost round and a single one are not told apart", two, [][]bench.Record{
			steady(on("nginx", 0, "small", 10), 200), rounds(on("Apache", 1, "small", 10), 100, 0),
			steady(on("nginx", 0, "small", 150), 200), rounds(on("Apache", 1, "small", 150), 100),
		}, []string{"nginx and Apache cannot be told apart at any of 2 points, at 1 of them for want of rounds.",
			"Apache failed in some rounds at 1 cell at concurrency 10: socket: too many open files."}},
		{"the slowest where all were measured", plannedFor("a", "b", "c"), [][]bench.Record{
			steady(on("a", 0, "small", 10), 100), steady(on("b", 1, "small", 10), 90), steady(on("c", 2, "small", 10), 80),
			steady(on("a", 0, "small", 150), 100), steady(on("b", 1, "small", 150), 10), // harder, and c was not asked
		}, []string{"a is the fastest at both points, in the median 5.6 times as fast as the next.",
			"c is the slowest at the one point where all 3 systems can be compared: 0.80 times the fastest, in the geometric mean."}},
		{"the last two are alike", plannedFor("a", "b", "c"), [][]bench.Record{
			steady(on("a", 0, "small", 10), 100), steady(on("b", 1, "small", 10), 50), steady(on("c", 2, "small", 10), 49.99),
			steady(on("a", 0, "small", 150), 100), steady(on("b", 1, "small", 150), 50), steady(on("c", 2, "small", 150), 49.99),
		}, []string{"a is the fastest at both points, in the median 2.0 times as fast as the next."}},
		{"failed throughout and in some rounds", two, [][]bench.Record{
			steady(on("nginx", 0, "small", 10), 200), rounds(on("Apache", 1, "small", 10), 100, 0),
			steady(on("nginx", 0, "large", 10), 200), rounds(on("Apache", 1, "large", 10), 100, 0),
		}, []string{"nginx and Apache cannot be told apart at any of 2 points.",
			"Apache failed in some rounds at both cells: socket: too many open files."}},
		{"equal wins", two, [][]bench.Record{
			steady(on("nginx", 0, "small", 10), 200), steady(on("Apache", 1, "small", 10), 100),
			steady(on("nginx", 0, "small", 150), 100), steady(on("Apache", 1, "small", 150), 200),
		}, []string{"nginx and Apache are each faster at 1 of 2 points.",
			"nginx is faster at concurrency 10.", "Apache is faster at concurrency 150."}},
		{"single rounds", two, [][]bench.Record{
			rounds(on("nginx", 0, "small", 10), 200), rounds(on("Apache", 1, "small", 10), 100),
			rounds(on("nginx", 0, "small", 150), 100), rounds(on("Apache", 1, "small", 150), 100),
		}, []string{"Whether nginx or Apache is faster cannot be told from one round of each cell: it takes 5 to be sure of a single one of 2 points."}},
		{"too few rounds of one cell", two, [][]bench.Record{steady(on("nginx", 0, "small", 10), 200), rounds(on("Apache", 1, "small", 10), 100, 101)}, []string{
			"Whether nginx or Apache is faster cannot be told from 2 rounds of each cell: it takes 4."}},
		{"five", five, ofFive, []string{
			"a and e are each the fastest at 1 of 2 points.",
			"a is the fastest at concurrency 10.", "e is the fastest at concurrency 150."}}, // and d is slower, but not the slowest
		{"five in order", five, ordered, []string{
			"a is the fastest at all 4 points, in the median 1.3 times as fast as the next.",
			"e is the slowest at all 4 points: 0.20 times the fastest, in the geometric mean.",
			"b, c and 2 more systems each failed at 1 cell on large at concurrency 1025: socket: too many open files."}},
		{"nothing in common", two, [][]bench.Record{steady(on("nginx", 0, "small", 10), 200), steady(on("Apache", 1, "small", 150), 100)}, []string{
			"The systems cannot be compared: no point was measured on two of them."}},
		{"only one measured", two, [][]bench.Record{steady(on("nginx", 0, "small", 10), 200), rounds(on("Apache", 1, "small", 10), 0, 0)}, []string{
			"Of 2 systems only nginx could be measured: 200.5 requests per second.", "Apache failed at 1 cell: socket: too many open files."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, verdictOf(c.info, c.records...)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestVerdictAgainstABaselineAndLosses(t *testing.T) {
	info := plannedFor("base", "b", "c")
	info.Plan.Baseline = pairs("Server", "base")
	lossy := steady(on("c", 2, "small", 10), 50)
	lossy[0].State, lossy[0].Issued = bench.StateDegraded, 1100
	lossy[0].Fail(bench.Non2xx, 100, "the answer's status was not 2xx")
	want := []string{
		"base is 1.3 times as fast as the next, b.",
		"c is the slowest, at 0.50 times the fastest.",
		"Requests per second against base: b 0.80 times and c 0.50 times.",
		"c failed to answer 9.1% of the requests at 1 cell: the answer's status was not 2xx.",
	}
	got := verdictOf(info, steady(on("base", 0, "small", 10), 100), steady(on("b", 1, "small", 10), 80), lossy)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestVerdictOfAPublishedRun(t *testing.T) {
	got := verdictOf(plannedFor("nginx", "Apache"), []bench.Record{
		printedAt(on("nginx", 0, "small", 10), "requests_per_second", "200 or so"), printedAt(on("Apache", 1, "small", 10), "requests_per_second", "100"),
		printedAt(on("nginx", 0, "small", 150), "requests_per_second", "160"), printedAt(on("Apache", 1, "small", 150), "requests_per_second", "200"),
		printedAt(on("nginx", 0, "small", 250), "requests_per_second", "160"), printedAt(on("Apache", 1, "small", 250), "requests_per_second", "80"),
	})
	want := []string{
		"Whether nginx or Apache is faster cannot be told from one printed figure of each cell.",
		"nginx has the greater printed figure at 2 of 3 points, Apache at 1.",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestVerdictOfJoinedRuns(t *testing.T) {
	run := func(id, server string, conns int, perSecond float64) *Report {
		info := plannedFor(server)
		info.ID = id
		return Build(info, steady(on(server, 0, "small", conns), perSecond))
	}
	for _, c := range []struct {
		name  string
		parts []*Report
		want  []string
	}{
		{"other systems", []*Report{run("x/1", "nginx", 10, 200), run("x/2", "Apache", 10, 100)}, []string{"nginx is 2.0 times as fast as Apache."}},
		{"the same system", []*Report{run("x/1", "nginx", 10, 200), run("x/2", "nginx", 10, 100)}, []string{"x/1 is 2.0 times as fast as x/2."}},
		{"other points", []*Report{run("x/1", "nginx", 10, 200), run("x/2", "Apache", 150, 100)}, []string{
			"x/1: nginx makes 200.5 requests per second.", "x/2: Apache makes 100.3 requests per second."}},
	} {
		r := Join(c.parts)
		if d := cmp.Diff(c.want, r.Verdict); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if len(r.Wide().Rows) == 0 {
			t.Errorf("%s: no wide sheet", c.name)
		}
	}
}

func TestSystemsAreNamedByWhatTellsThemApart(t *testing.T) {
	named := func(labels ...[]bench.Pair) (prose, short []string) {
		var cells []cell
		for i, l := range labels {
			cells = append(cells, cell{Cell: &bench.Cell{Labels: l, System: i}, folder: newFolder(nil)})
		}
		n := newNamer(bench.Plan{}, cells)
		for _, c := range cells {
			prose, short = append(prose, n.prose[systemKey(c)]), append(short, n.of(c))
		}
		return prose, short
	}
	for _, c := range []struct {
		labels       [][]bench.Pair
		prose, short []string
	}{
		{[][]bench.Pair{pairs("OS", "Linux", "Server", "nginx")}, []string{"Linux"}, []string{"Linux"}},
		{[][]bench.Pair{pairs("OS", "Linux", "Server", "nginx"), pairs("OS", "Linux", "Server", "Apache")}, []string{"nginx", "Apache"}, []string{"nginx", "Apache"}},
		{[][]bench.Pair{pairs("OS", "RH", "Tweaked?", "No"), pairs("OS", "BSD", "Tweaked?", "No"), pairs("OS", "BSD", "Tweaked?", "maxusers")},
			[]string{"RH", "BSD (Tweaked? No)", "BSD (maxusers)"}, []string{"RH, No", "BSD, No", "BSD, maxusers"}},
		{[][]bench.Pair{pairs("Server", "x", "Keep-alive", "off"), pairs("Server", "x", "Keep-alive", "on"), pairs("Server", "x", "Keep-alive", "15")},
			[]string{"Keep-alive off", "Keep-alive on", "Keep-alive 15"}, []string{"off", "on", "15"}},
		{[][]bench.Pair{pairs("OS", ""), pairs("OS", "two\nlines")}, []string{"system 1", "two lines"}, []string{"", "two\nlines"}},
	} {
		prose, short := named(c.labels...)
		if d := cmp.Diff([][]string{c.prose, c.short}, [][]string{prose, short}); d != "" {
			t.Error(d)
		}
	}
}

func TestPointsThatDifferInOneAxisAreToldOnce(t *testing.T) {
	told := func(file string, points ...[]bench.Pair) string {
		var dots []dot
		for _, axes := range points {
			dots = append(dots, dot{pairs: append(pairs("file", file), axes...)})
		}
		p := placer{told: []string{"file", "a", "b"}, file: true}
		return p.within(file, dots, len(dots)+1)
	}
	point := func(a, b string) []bench.Pair { return []bench.Pair{{Name: "a", Value: a}, {Name: "b", Value: b}} }
	for _, test := range []struct {
		points [][]bench.Pair
		want   string
	}{
		{[][]bench.Pair{point("1", "x")}, "on small at a 1, b x"},
		{[][]bench.Pair{point("1", "x"), point("1", "y")}, "on small at a 1, b x and y"},
		{[][]bench.Pair{point("1", "x"), point("2", "x"), point("3", "x")}, "on small at a 1, 2 and 3, b x"},
		{[][]bench.Pair{point("1", "x"), point("2", "y")}, "on small at a 1, b x and at a 2, b y"},
	} {
		if got := told("small", test.points...); got != test.want {
			t.Errorf("%q, not %q", got, test.want)
		}
	}
}
