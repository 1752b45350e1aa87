package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// cell is one of a server at a concurrency.
func cell(server string, conns int) bench.Cell {
	c := bench.Cell{
		Labels: []bench.Pair{{Name: "Server", Value: server}},
		Axes:   []bench.Pair{{Name: "file", Value: "small"}, {Name: "concurrency", Value: fmt.Sprint(conns)}, {Name: "requests", Value: "1000"}},
		Driver: "fake", File: bench.File{Name: "small", Size: 1500}, Load: bench.Load{Conns: conns, Requests: 1000}, Digest: "d",
	}
	c.Key = bench.KeyOf(slices.Concat(c.Labels, c.Axes))
	return c
}

// rounds are records of a cell at so many requests per second each; 0 is a round
// that failed.
func rounds(c bench.Cell, rates ...float64) (list []bench.Record) {
	for i, rate := range rates {
		r := bench.Record{Trial: bench.Trial{Cell: c, Round: i + 1}, State: bench.StateOK}
		if rate > 0 {
			r.Measurement = bench.Measurement{Issued: 1000, OK: 1000, Elapsed: time.Duration(1000 / rate * 1e9)}
		} else {
			r.Measurement = bench.Measurement{Issued: 1000, Failed: map[bench.Failure]int64{bench.Connect: 1000}}
			r.State, r.Reason = bench.StateFailed, "connect: connection refused (1000 of 1000)"
		}
		list = append(list, r)
	}
	return list
}

// losing makes so many requests of each round fail.
func losing(records []bench.Record, n ...int64) []bench.Record {
	for i := range records {
		if n[i] > 0 {
			records[i].OK -= n[i]
			records[i].Fail(bench.Reset, n[i], "reset")
			records[i].State = bench.StateDegraded
		}
	}
	return records
}

var (
	steady = []float64{1000, 1004, 996, 1002, 998, 1001, 999, 1003}
	slow   = []float64{900, 903.6, 896.4, 901.8, 898.2, 900.9, 899.1, 902.7}
	bit    = []float64{970, 974, 966, 972, 968, 971, 969, 973}
	fast   = []float64{1100, 1104, 1096, 1102, 1098, 1101, 1099, 1103}
	dead   = []float64{0, 0, 0, 0, 0, 0, 0, 0}
)

func run(id string, records ...[]bench.Record) Run {
	return Run{Info: bench.RunInfo{ID: id, Plan: bench.Plan{Labels: []string{"Server"}, Digest: "s"}}, Records: slices.Concat(records...)}
}

func metric(t *testing.T, name string) table.Metric {
	t.Helper()
	m, ok := table.Lookup(name)
	if !ok {
		t.Fatalf("no metric %s", name)
	}
	return m
}

var usual = Options{Threshold: 0.05, Alpha: 0.05}

func compared(t *testing.T, base, next Run, more ...Run) *Comparison {
	t.Helper()
	c, err := Runs(append([]Run{base}, more...), next, []table.Metric{metric(t, "requests_per_second")}, nil, usual)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestVerdicts(t *testing.T) {
	a := cell("a", 10)
	two := []float64{1000, 1003}
	for _, c := range []struct {
		name       string
		base, next []bench.Record
		want       Verdict
		regression bool
	}{
		{"the same", rounds(a, steady...), rounds(a, steady...), Same, false},
		{"a tenth slower", rounds(a, steady...), rounds(a, slow...), Slower, true},
		{"a tenth faster", rounds(a, steady...), rounds(a, fast...), Faster, false},
		{"sure, but below the threshold", rounds(a, steady...), rounds(a, bit...), Same, false},
		{"two rounds", rounds(a, two...), rounds(a, 500, 501), TooFew, false},
		{"failed", rounds(a, steady...), rounds(a, dead...), FailedNow, true},
		{"works", rounds(a, dead...), rounds(a, steady...), WorksAgain, false},
		{"failed in both", rounds(a, dead...), rounds(a, dead...), FailedBoth, false},
		{"a lost round is not sure", rounds(a, steady...), rounds(a, append([]float64{0}, steady[1:]...)...), Same, false},
		{"lost rounds are", rounds(a, steady...), rounds(a, 0, 0, 0, 0, 0, 1001, 999, 0), FailsMore, true},
		{"failing requests", rounds(a, steady...), losing(rounds(a, steady...), 3, 1, 4, 1, 5, 9, 2, 6), FailsMore, true},
		{"failing as before", losing(rounds(a, steady...), 3, 1, 4, 1, 5, 9, 2, 6), losing(rounds(a, steady...), 2, 7, 1, 8, 2, 8, 1, 8), Same, false},
		{"failing no more", losing(rounds(a, steady...), 3, 1, 4, 1, 5, 9, 2, 6), rounds(a, steady...), Same, false},
		{"unrest within the run is no change", rounds(a, 1000, 1001, 999, 1002, 900, 901, 899, 902), rounds(a, 880, 881, 879, 882, 883, 878, 877, 884), Same, false},
	} {
		x := compared(t, run("base", c.base), run("new", c.next))
		if got := x.Cells[0].Verdict(); got != c.want {
			t.Errorf("%s: %s, want %s: %+v", c.name, got, c.want, x.Cells[0].Figures)
		}
		if n, _ := x.Regressions(); (n == 1) != c.regression {
			t.Errorf("%s: %d regressions", c.name, n)
		}
	}
}

// TestLowerIsBetter: of a time, more is slower.
func TestLowerIsBetter(t *testing.T) {
	a := cell("a", 10)
	c, err := Runs([]Run{run("base", rounds(a, steady...))}, run("new", rounds(a, slow...)), []table.Metric{metric(t, "time_s")}, nil, usual)
	if err != nil {
		t.Fatal(err)
	}
	f := c.Cells[0].Figures[0]
	if f.Verdict != Slower || f.Ratio < 1.11 || f.Ratio > 1.112 {
		t.Errorf("%s by %v", f.Verdict, f.Ratio)
	}
}

func TestExpectedFailures(t *testing.T) {
	a := cell("a", 10)
	a.ExpectFailure = true
	c := compared(t, run("base", rounds(a, steady...)), run("new", rounds(a, dead...)))
	if n, _ := c.Regressions(); n != 0 || c.Cells[0].Verdict() != FailedAsExpected {
		t.Errorf("%d regressions: %s", n, c.Cells[0].Verdict())
	}
}

// TestPairing: cells are paired by key; others are told, and no regression.
func TestPairing(t *testing.T) {
	a, b, d, edited := cell("a", 10), cell("b", 10), cell("d", 10), cell("a", 20)
	base := run("base", rounds(a, steady...), rounds(b, steady...), rounds(edited, steady...))
	edited.Digest = "other"
	skipped := bench.Record{Trial: bench.Trial{Cell: b, Round: 1}, State: bench.StateSkipped}
	c := compared(t, base, run("new", rounds(d, steady...), rounds(edited, steady...), rounds(a, steady...), []bench.Record{skipped}))
	var got []string
	for _, x := range c.Cells {
		got = append(got, fmt.Sprintf("%s: %s %v", c.Name(x.Cell), x.Verdict(), x.Edited))
	}
	want := []string{"Server=a concurrency=20: same true", "Server=a concurrency=10: same false", "Server=d concurrency=10: only in new false", "Server=b concurrency=10: only in base false"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if n, _ := c.Regressions(); n != 0 {
		t.Errorf("%d regressions", n)
	}
	if !slices.Contains(c.Differences, "1 of 4 cells is set up otherwise than in the base.") {
		t.Errorf("%q", c.Differences)
	}
}

func TestRefusals(t *testing.T) {
	a, rate := cell("a", 10), metric(t, "requests_per_second")
	one := run("one", rounds(a, steady...))
	for _, c := range []struct {
		base    []Run
		metrics []table.Metric
		keep    func(bench.Cell) bool
		want    string
	}{
		{nil, []table.Metric{rate}, nil, "comparing needs a base and a metric"},
		{[]Run{one}, nil, nil, "comparing needs a base and a metric"},
		{[]Run{one}, []table.Metric{metric(t, "completed")}, nil, "of completed neither more nor less is better, so it cannot be faster or slower"},
		{[]Run{one}, []table.Metric{metric(t, "state")}, nil, "of state neither more nor less is better, so it cannot be faster or slower"},
		{[]Run{run("other", rounds(cell("z", 1), steady...))}, []table.Metric{rate}, nil, "no cell is in both other and one"},
		{[]Run{one}, []table.Metric{rate}, func(bench.Cell) bool { return false }, "no cell is in both one and one"},
	} {
		if _, err := Runs(c.base, one, c.metrics, c.keep, usual); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestSeveralBases: the rounds of the base runs are pooled, and how far they lie
// apart is part of the floor.
func TestSeveralBases(t *testing.T) {
	a := cell("a", 10)
	c := compared(t, run("n1", rounds(a, steady...)), run("new", rounds(a, slow...)), run("n2", rounds(a, steady...)), run("n3", rounds(a, steady...)))
	f := c.Cells[0].Figures[0]
	if f.Base.N != 24 || f.New.N != 8 || f.Verdict != Slower || f.Floor > 0.01 {
		t.Errorf("%+v", f)
	}
	c = compared(t, run("n1", rounds(a, steady...)), run("new", rounds(a, slow...)), run("n2", rounds(a, fast...)), run("n3", rounds(a, steady...)))
	if f := c.Cells[0].Figures[0]; f.Verdict != Same || f.Floor < 0.3 {
		t.Errorf("nights that lie 10 %% apart: %s, floor %v", f.Verdict, f.Floor)
	}
	if got := names(c.Base); got != "n1, n2 and n3" {
		t.Error(got)
	}
}

// grid is many cells around a rate each, all multiplied by f.
func grid(n int, f float64, rates func(i int) []float64) (records []bench.Record) {
	for i := range n {
		list := slices.Clone(rates(i))
		for k := range list {
			list[k] *= f * (1 + float64((i*7+k*3)%11)/2000)
		}
		records = append(records, rounds(cell("a", i+1), list...)...)
	}
	return records
}

// TestWholeGrid: when all cells moved by more than the machine wanders, each is
// slower; when the machine wandered as much within a run, only what stands out.
func TestWholeGrid(t *testing.T) {
	calm := func(int) []float64 { return steady }
	c := compared(t, run("base", grid(40, 1, calm)), run("new", grid(40, 0.9, calm)))
	if n, _ := c.Regressions(); n != 40 || c.Moves["requests_per_second"].Unrest {
		t.Errorf("%d of 40 are slower: %+v", n, c.Moves)
	}
	wandering := func(i int) []float64 {
		list := []float64{1000, 1001, 999, 1002, 1060, 1061, 1059, 1062}
		if i == 7 {
			for k := range list {
				list[k] *= 0.8
			}
		}
		return list
	}
	c = compared(t, run("base", grid(40, 1, func(int) []float64 { return wandering(0) })), run("new", grid(40, 0.92, wandering)))
	if n, _ := c.Regressions(); n != 1 || c.Cells[7].Verdict() != Slower {
		t.Errorf("%d are slower: %+v", n, c.Moves)
	}
	own := c.Cells[7].Figures[0].Own
	if m := c.Moves["requests_per_second"]; !m.Unrest || m.Ratio < 0.91 || m.Ratio > 0.93 || own < 0.79 || own > 0.81 {
		t.Errorf("%+v, of its own %v", m, own)
	}
	if text := strings.Join(c.verdict(), "\n"); !strings.Contains(text, "Most cells moved by -8.0% in requests_per_second, no more than the machine wanders by itself") {
		t.Error(text)
	}
}

func TestDifferences(t *testing.T) {
	a := cell("a", 10)
	base, next := run("base", rounds(a, steady...)), run("new", rounds(a, steady...))
	base.Info.Host = bench.HostInfo{Name: "h", Kernel: "Linux 6.1", Cores: 4, Sysctls: map[string]string{"net.core.somaxconn": "128"}}
	base.Info.Generator = base.Info.Host
	base.Info.Tools = map[string]string{"ab": "2.3", "nginx": "1.26"}
	base.Info.Servers = []bench.ServerInfo{{System: "Server=a", Version: "nginx/1.26", Config: "worker_processes 1;"}}
	next.Info.Host = bench.HostInfo{Name: "h", Kernel: "Linux 6.2", Cores: 4, Sysctls: map[string]string{"net.core.somaxconn": "4096"}}
	next.Info.Generator = next.Info.Host
	next.Info.Tools = map[string]string{"ab": "2.3"}
	next.Info.Servers = []bench.ServerInfo{{System: "Server=a", Version: "nginx/1.28", Config: "worker_processes 2;"}}
	next.Info.Plan.Digest = "s2"
	got := compared(t, base, next, base).Differences
	want := []string{
		"The kernel of the servers' host was Linux 6.1 and is Linux 6.2.",
		"The net.core.somaxconn of the servers' host was 128 and is 4096.",
		"The version of nginx was 1.26 and is not told.",
		"The version of Server=a was nginx/1.26 and is nginx/1.28.",
		"The configuration of Server=a is not the same.",
		"The scenario was edited.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := compared(t, base, base).Differences; len(got) != 0 {
		t.Errorf("a run differs from itself: %q", got)
	}
}

// TestChosenPlaces: where a run put its servers is no difference between runs.
func TestChosenPlaces(t *testing.T) {
	config := func(id, port, more string) string {
		return "pid \"/srv/r/" + id + "/servers/1/nginx.pid\";\nlisten 127.0.0.1:" + port + " backlog=4096;\nroot \"/srv/r/.files/4524\";\nserver.port = " + port + more
	}
	a, b := asWritten(config("n/1", "61000", ""), "n/1"), asWritten(config("n/2", "52123", ""), "n/2")
	if a != b || !strings.Contains(a, "backlog=4096") {
		t.Errorf("\n%s\n%s", a, b)
	}
	if a == asWritten(config("n/2", "52123", "\nsendfile off;"), "n/2") {
		t.Error("a line more is no difference")
	}
}
