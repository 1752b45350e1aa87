package table

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
	"matrix/internal/hist"
)

var update = flag.Bool("update", false, "write the golden files")

func pairs(p ...string) []bench.Pair {
	var l []bench.Pair
	for i := 0; i < len(p); i += 2 {
		l = append(l, bench.Pair{Name: p[i], Value: p[i+1]})
	}
	return l
}

// at is a cell of the system labelled server, for the point of n requests.
func at(server string, system, point int, n int64) bench.Cell {
	labels, axes := pairs("Server", server), pairs("file", "small", "concurrency", "10", "requests", fmt.Sprint(n))
	return bench.Cell{Key: bench.KeyOf(slices.Concat(labels, axes)), Labels: labels, Axes: axes, System: system, Point: point,
		Driver: "native", File: bench.File{Name: "small", Size: 1500}, Load: bench.Load{Conns: 10, Requests: n}, Digest: "now"}
}

// ok is a trial in which all requests succeeded in the given time.
func ok(c bench.Cell, round int, elapsed time.Duration) bench.Record {
	r := bench.Record{Trial: bench.Trial{Cell: c, Round: round}, State: bench.StateOK}
	r.Measurement = bench.Measurement{Elapsed: elapsed, Issued: c.Load.Requests, OK: c.Load.Requests, WireBytes: 2000 * c.Load.Requests}
	return r
}

func failed(c bench.Cell, round int, state bench.State, reason string) bench.Record {
	return bench.Record{Trial: bench.Trial{Cell: c, Round: round}, State: state, Reason: reason}
}

func plannedFor(servers ...string) bench.RunInfo {
	p := bench.Plan{Title: "T", Labels: []string{"Server"}, Rounds: 1}
	for _, s := range servers {
		p.Systems = append(p.Systems, bench.System{Labels: pairs("Server", s)})
	}
	return bench.RunInfo{Plan: p}
}

// shown lays a table out as lines of its texts, best ones marked.
func shown(t Table) []string {
	var heads []string
	for _, c := range t.Columns {
		heads = append(heads, c.Head())
	}
	lines := []string{strings.Join(heads, "|")}
	for _, row := range t.Rows {
		var cells []string
		for _, c := range row.Cells {
			text := strings.TrimSpace(c.Text + " " + c.Spread)
			if c.Best {
				text += "*"
			}
			cells = append(cells, text)
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return lines
}

func codes(r *Report) []string {
	var c []string
	for _, n := range r.Notes {
		c = append(c, n.Code)
	}
	return c
}

func columns(names ...string) []bench.Column {
	var c []bench.Column
	for _, n := range names {
		c = append(c, bench.Column{Metric: n})
	}
	return c
}

func TestRowsInDeclaredOrderAndConstantsLifted(t *testing.T) {
	info := plannedFor("nginx", "apache")
	info.Plan.Columns = append(columns("requests_per_second"), bench.Column{Metric: "time_s", Heading: "Took"})
	var records []bench.Record
	for round := 1; round <= 6; round++ { // as a journal has them: interleaved
		records = append(records, ok(at("apache", 1, 0, 10), round, time.Second), ok(at("nginx", 0, 0, 10), round, 2*time.Second),
			ok(at("nginx", 0, 1, 1000), round, 4*time.Second), // apache lacks 1000: a hole
			ok(at("apache", 1, 2, 100), round, 10*time.Second), ok(at("nginx", 0, 2, 100), round, 10*time.Second))
	}
	r := Build(info, records)
	want := []string{
		"Server|N|Requests per second|Took (s)",
		"nginx|10|5.000 [5.000, 5.000]|2.000",
		"nginx|1000|250.0 [250.0, 250.0]|4.000",
		"nginx|100|10.00 [10.00, 10.00]*|10.00*",
		"apache|10|10.00 [10.00, 10.00]*|1.000*",
		"apache|100|10.00 [10.00, 10.00]*|10.00*",
	}
	if d := cmp.Diff(want, shown(r.Tables[0])); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(pairs("Size", "1.5 kB", "Concurrency (C)", "10", "Driver", "native"), r.Tables[0].Constant); d != "" {
		t.Error(d)
	}
	if r.Summary != "5 cells on 2 systems." {
		t.Error(r.Summary)
	}
}

func TestFailedCellsAreRowsNeverZeroNeverRanked(t *testing.T) {
	info := plannedFor("a", "b", "c")
	info.Plan.Rounds = 3
	info.Plan.Columns = columns("time_s", "completed", "failed", "requests_per_second", "errors", "state")
	a, b, c := at("a", 0, 0, 10), at("b", 1, 0, 10), at("c", 2, 0, 10)
	refused := failed(c, 1, bench.StateFailed, "")
	refused.Elapsed = time.Microsecond
	refused.Issued = 10
	refused.Fail(bench.Connect, 10, "connection refused")
	refused.State, refused.Reason = refused.Measurement.State()
	again := refused
	again.Round = 2
	r := Build(info, []bench.Record{
		ok(a, 1, time.Second), failed(a, 2, bench.StateFailed, "reset"), ok(a, 3, 3*time.Second),
		failed(b, 1, bench.StateFailed, "socket: Too many open files"), failed(b, 2, bench.StateInterrupted, ""),
		refused, again,
	})
	want := []string{
		"Server|Time taken (s)|Completed|Failed|Requests per second|Errors|State",
		"a|2.000|10|0|6.667 (3.333 to 10.00)|1 of 3 rounds failed: reset|degraded",
		"b|||||1 of 2 rounds failed: socket: Too many open files; 1 of 2 rounds interrupted|interrupted",
		"c||10|10||all 2 rounds failed: connection refused (20 of 20)|failed",
	}
	if d := cmp.Diff(want, shown(r.Tables[0])); d != "" {
		t.Error(d)
	}
	if r.Summary != "3 cells on 3 systems; 2 could not be measured." {
		t.Error(r.Summary)
	}
}

func TestErrorsText(t *testing.T) {
	c := at("a", 0, 0, 10)
	for _, x := range []struct {
		rounds []bench.Record
		want   string
	}{
		{nil, ""},
		{[]bench.Record{ok(c, 1, 1)}, ""},
		{[]bench.Record{failed(c, 1, bench.StateFailed, "why")}, "why"},
		{[]bench.Record{failed(c, 1, bench.StateFailed, "")}, "failed"},
		{[]bench.Record{failed(c, 1, bench.StateSkipped, "why")}, "skipped: why"},
		{[]bench.Record{failed(c, 1, bench.StateTimeout, "")}, "timed out"},
		{[]bench.Record{failed(c, 1, bench.StateDegraded, "three")}, "three"},
		{[]bench.Record{failed(c, 1, bench.StateDegraded, "x"), ok(c, 2, 1)}, "in 1 of 2 rounds: x"},
		{[]bench.Record{failed(c, 1, "failed", "x"), failed(c, 2, "failed", "y"), failed(c, 3, "failed", "z")}, "all 3 rounds failed: x / y / and 1 more"},
	} {
		if got := errorsText(x.rounds); got != x.want {
			t.Errorf("got %q, want %q", got, x.want)
		}
	}
}

func TestStaleRecordsAreLeftOutAndNamed(t *testing.T) {
	nginx, gone := at("nginx", 0, 0, 10), at("gone", 1, 0, 10)
	old := nginx
	old.Digest = "before"
	other := at("nginx", 0, 1, 77)
	records := []bench.Record{ok(old, 2, time.Hour), ok(gone, 1, time.Hour), ok(other, 1, time.Hour), ok(nginx, 1, time.Minute), ok(nginx, 1, time.Second)}
	for _, withCells := range []bool{true, false} {
		info := plannedFor("nginx")
		info.Plan.Axes = []bench.Axis{{Name: "requests", Values: []string{"10"}}}
		info.Plan.Columns = columns("time_s")
		info.Plan.Rounds = 2
		if withCells {
			info.Plan.Cells = []bench.Cell{nginx}
		}
		r := Build(info, records)
		if d := cmp.Diff([]string{"Server|Size|C|N|Driver|Time taken (s)", "nginx|1.5 kB|10|10|native|1.000"}, shown(r.Tables[0])); d != "" {
			t.Errorf("cells %v: %s", withCells, d)
		}
		if len(r.Records) != 1 || len(r.Sheet().Rows) != 1 {
			t.Errorf("cells %v: %d records, %d lines", withCells, len(r.Records), len(r.Sheet().Rows))
		}
		i := slices.Index(codes(r), "stale")
		if i < 0 || !strings.Contains(r.Notes[i].Text, "Server=gone") || !strings.HasPrefix(r.Notes[i].Text, "3 trials left out") {
			t.Errorf("cells %v: notes %v", withCells, r.Notes)
		}
		if pending := slices.Contains(codes(r), "pending"); pending != withCells {
			t.Errorf("cells %v: pending %v", withCells, pending)
		}
	}
}

func TestUnionOfLabels(t *testing.T) {
	info := plannedFor()
	info.Plan.Labels = nil
	info.Plan.Columns = columns("completed")
	a, b := at("a", 0, 0, 10), at("b", 1, 0, 10)
	a.Labels = pairs("OS", "x", "Server", "a")
	b.Labels = pairs("Server", "b", "Tuning", "y")
	r := Build(info, []bench.Record{ok(a, 1, 1), ok(b, 1, 1)})
	if d := cmp.Diff([]string{"OS|Server|Tuning|Completed", "x|a||10", "|b|y|10"}, shown(r.Tables[0])); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"OS", "Server", "Tuning", "driver"}, r.Sheet().Header[:4]); d != "" {
		t.Error(d)
	}
}

func TestPercentilesAreMergedNotAveraged(t *testing.T) {
	c := at("a", 0, 0, 10)
	var rounds []bench.Record
	for round, ms := range []time.Duration{1, 1, 100} {
		r := ok(c, round+1, time.Second)
		r.Latency = hist.New(0)
		for range []int{90, 90, 10}[round] {
			r.Latency.Record(ms * time.Millisecond)
		}
		rounds = append(rounds, r)
	}
	m, _ := Lookup("latency_p90_ms")
	v, _ := m.Value(rounds) // 90 % of all 190 took 1 ms; the rounds' own p90 are 1, 1 and 100
	if math.Abs(v.Number-1) > 0.01 || v.ByRounds {
		t.Errorf("p90 of all is %+v", v)
	}
	m, _ = Lookup("latency_max_ms")
	if v, _ = m.Value(rounds); v.Number != 100 {
		t.Errorf("max is %v", v.Number)
	}
	rounds[1].Latency = nil // a round without a distribution: medians of the rounds, and said so
	rounds[1].Printed = &bench.Printed{Latency: &bench.Summary{Max: new(0.05)}}
	if v, _ = m.Value(rounds); v.Number != 50 || !v.ByRounds {
		t.Errorf("max by rounds is %+v", v)
	}
	info := plannedFor("a")
	info.Plan.Columns = columns("latency_max_ms")
	if r := Build(info, rounds); !slices.Contains(codes(r), "median-of-rounds") {
		t.Errorf("notes: %v", codes(r))
	}
}

func TestValuesOfOneTrial(t *testing.T) {
	c := at("a", 0, 0, 10)
	r := ok(c, 1, 2*time.Second)
	r.Host = bench.Observation{Before: bench.Host{Load1: new(0.5), Zombies: new(2)}, After: bench.Host{Load1: new(1.5)}, ServerCPUUser: new(0.25)}
	r.Client = &bench.ClientCost{CPUUser: 1, CPUSystem: 2}
	r.Printed = &bench.Printed{RequestsPerSecond: new(math.NaN()), Quantiles: []bench.Quantile{{P: 0.95, Seconds: 0.25}}, Latency: &bench.Summary{Median: new(0.125)}}
	nothing := failed(c, 1, bench.StateFailed, "why")
	untoldBytes, empty := r, ok(c, 1, time.Second)
	untoldBytes.WireBytes, untoldBytes.BodyBytes = 0, 0
	empty.WireBytes, empty.BodyBytes = 900, 0 // by the native driver, of an empty file
	client := ok(c, 1, time.Second)
	client.State = bench.StateFailed
	for _, x := range []struct {
		record bench.Record
		name   string
		want   float64
		ok     bool
	}{
		{r, "time_s", 2, true}, {r, "requests_per_second", 5, true}, {r, "bytes_per_second", 10000, true}, {r, "load_average", 1.5, true}, {r, "zombies", 2, true},
		{r, "time_wait", 0, false}, {r, "client_cpu_s", 3, true}, {r, "client_max_rss_bytes", 0, false}, {r, "client_loop_lag_p99_ms", 0, false},
		{r, "server_cpu_user_s", 0.25, true}, {r, "server_cpu_system_s", 0, false}, {r, "failed", 0, true}, {r, "retried", 0, false},
		{r, "latency_p95_ms", 250, true}, {r, "latency_p50_ms", 125, true}, {r, "latency_p99_ms", 0, false}, {r, "latency_mean_ms", 0, false},
		{r, "reported_requests_per_second", 0, false}, {r, "connect_mean_ms", 0, false}, {r, "achieved_concurrency", 0, false},
		{untoldBytes, "wire_bytes", 0, false}, {untoldBytes, "body_bytes", 0, false}, {untoldBytes, "late", 0, false},
		{empty, "wire_bytes", 900, true}, {empty, "body_bytes", 0, true}, {empty, "retried", 0, true}, {empty, "dropped", 0, true},
		{nothing, "time_s", 0, false}, {nothing, "ok", 0, false}, {nothing, "failed", 0, false}, {nothing, "requests_per_second", 0, false}, {nothing, "zombies", 0, false},
		{client, "requests_per_second", 0, false}, {client, "ok", 10, true}, {client, "bytes_per_second", 0, false},
	} {
		m, found := Lookup(x.name)
		if !found {
			t.Fatalf("no metric %s", x.name)
		}
		if got, ok := m.Of(&x.record); ok != x.ok || (ok && got != x.want) {
			t.Errorf("%s of a trial that is %s: %v, %v; want %v, %v", x.name, x.record.State, got, ok, x.want, x.ok)
		}
	}
}

func TestColumnsByName(t *testing.T) {
	info := plannedFor("a")
	info.Plan.Columns = columns("state", "no_such", "multi_times")
	r := ok(at("a", 0, 0, 10), 1, time.Second)
	r.Multi = &bench.Multi{Asked: 5, OK: 2, Reason: "reset"}
	rep := Build(info, []bench.Record{r})
	if d := cmp.Diff([]string{"Server|Size|C|N|Driver|State|Multi times", "a|1.5 kB|10|10|native|ok|2/5"}, shown(rep.Tables[0])); d != "" {
		t.Error(d)
	}
	if !slices.Contains(codes(rep), "unknown-column") {
		t.Errorf("notes: %v", codes(rep))
	}
}

func TestTimedCellsAreNotRankedByTheirTime(t *testing.T) {
	info := plannedFor("a", "b")
	info.Plan.Columns = columns("time_s", "requests_per_second")
	a, b := at("a", 0, 0, 10), at("b", 1, 0, 10)
	a.Load.Duration, b.Load.Duration = time.Minute, time.Minute
	var records []bench.Record
	for i := range 4 {
		records = append(records, ok(a, i+1, 59*time.Second), ok(b, i+1, 60*time.Second))
	}
	r := Build(info, records)
	if d := cmp.Diff([]string{"Server|Time taken (s)|Requests per second", "a|59.00|0.1695 (0.1695 to 0.1695)*", "b|60.00|0.1667 (0.1667 to 0.1667)"}, shown(r.Tables[0])); d != "" {
		t.Error(d)
	}
	if r.Tables[0].Constant[2].Value != "1m" {
		t.Errorf("budget is %q", r.Tables[0].Constant[2].Value)
	}
}

func TestSizesThatDoNotTellFilesApart(t *testing.T) {
	info := plannedFor("a")
	info.Plan.Columns = columns("completed")
	one, two := at("a", 0, 0, 10), at("a", 0, 1, 10)
	two.File.Name, two.Key = "copy", "other"
	r := Build(info, []bench.Record{ok(one, 1, 1), ok(two, 1, 1)})
	if d := cmp.Diff([]string{"File|Completed", "small|10", "copy|10"}, shown(r.Tables[0])); d != "" {
		t.Error(d)
	}
}

func TestNotesAreGatheredByCode(t *testing.T) {
	info := plannedFor("a")
	info.Notes = []bench.Note{{Code: "run", Text: "of the run"}}
	r1, r2 := ok(at("a", 0, 0, 10), 1, 1), ok(at("a", 0, 1, 20), 1, 1)
	r1.Notes = []bench.Note{{Code: "x", Text: "first"}}
	r1.Measurement.Notes = []bench.Note{{Code: "x", Text: "again"}, {Code: "y", Text: "why"}}
	r2.Measurement.Notes = []bench.Note{{Code: "x", Text: "second"}}
	want := []Footnote{{Code: "run", Text: "of the run"}, {Code: "x", Text: "For example: first", Trials: 2}, {Code: "y", Text: "why", Trials: 1}}
	if d := cmp.Diff(want, Build(info, []bench.Record{r1, r2}).Notes); d != "" {
		t.Error(d)
	}
}

func TestCommandLineReadsBack(t *testing.T) {
	if got := CommandLine([]string{"matrix", "run", "a b.yaml", "it's", "", "--only=x"}); got != `matrix run 'a b.yaml' 'it'\''s' '' --only=x` {
		t.Error(got)
	}
}

func TestMetricsAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Metrics {
		if seen[m.Name] || m.Heading == "" || !strings.HasSuffix(m.Doc, ".") || (m.Of == nil) == (m.Text == nil) {
			t.Errorf("metric %q: named twice, without heading or doc, or neither number nor words", m.Name)
		}
		seen[m.Name] = true
	}
	for _, name := range slices.Concat(standard, leading) {
		if !seen[name] {
			t.Errorf("no metric %q", name)
		}
	}
	if len(Names()) != len(Metrics)+len(relatives) {
		t.Error("Names differ")
	}
}

func TestReference(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "columns.md")
	if *update {
		if err := os.WriteFile(path, Reference(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, Reference()) {
		t.Error("docs/columns.md is not what Metrics say; run with -update")
	}
}

// TestBestIsToldFromTheRounds: systems that the rounds do not tell apart are not
// marked, nor is any where the rounds are too few; a third that is behind two
// makes both of them best.
func TestBestIsToldFromTheRounds(t *testing.T) {
	for _, c := range []struct {
		name  string
		rates [][]float64 // by system
		want  []bool
	}{
		{"one round each", [][]float64{{100}, {900}}, []bool{false, false}},
		{"three rounds each", [][]float64{{100, 101, 102}, {900, 901, 902}}, []bool{false, false}},
		{"one round against many", [][]float64{{100}, {900, 901, 902, 903, 904, 905}}, []bool{false, false}},
		{"overlapping", [][]float64{{90, 100, 110, 120, 130, 140}, {95, 105, 115, 125, 135, 145}}, []bool{false, false}},
		{"apart", [][]float64{{100, 101, 102, 103}, {110, 111, 112, 113}}, []bool{false, true}},
		{"apart but for one round", [][]float64{{100, 101, 102, 103, 104, 105, 106, 107}, {95, 130, 131, 132, 133, 134, 135, 136}}, []bool{false, true}},
		{"two ahead of a third", [][]float64{{90, 100, 110, 120, 130, 140}, {95, 105, 115, 125, 135, 145}, {50, 51, 52, 53, 54, 55}}, []bool{true, true, false}},
		{"equal", [][]float64{{100, 100, 100, 100}, {100, 100, 100, 100}}, []bool{true, true}},
		{"equal, one round each", [][]float64{{100}, {100}}, []bool{false, false}},
		{"alone", [][]float64{{90, 100, 110, 120, 130, 140}}, []bool{false}},
	} {
		var records []bench.Record
		var names []string
		for i, rates := range c.rates {
			names = append(names, string(rune('a'+i)))
			records = append(records, rounds(on(names[i], i, "small", 10), rates...)...)
		}
		info := plannedFor(names...)
		info.Plan.Columns = columns("requests_per_second")
		for i, row := range Build(info, records).Tables[0].Rows {
			if got := row.Cells[len(row.Cells)-1].Best; got != c.want[i] {
				t.Errorf("%s: system %d marked %v, want %v", c.name, i, got, c.want[i])
			}
		}
	}
}

// TestFailingFastWinsNothing: a cell takes part in the race only where all its
// rounds were ranked, and no request failed, but for successes per second.
func TestFailingFastWinsNothing(t *testing.T) {
	rate, _ := Lookup("requests_per_second")
	took, _ := Lookup("time_s")
	rounds := func(states ...bench.State) cell {
		var all []bench.Record
		for _, s := range states {
			all = append(all, bench.Record{State: s})
		}
		return cell{Cell: &bench.Cell{}, folder: newFolder(all)}
	}
	for _, c := range []struct {
		name       string
		cell       cell
		rate, took bool
	}{
		{"sound", rounds(bench.StateOK, bench.StateOK), true, true},
		{"none", rounds(), false, false},
		{"requests failed", rounds(bench.StateOK, bench.StateDegraded), true, false},
		{"a round failed", rounds(bench.StateOK, bench.StateOK, bench.StateFailed), false, false},
	} {
		if got := c.cell.fair(rate); got != c.rate {
			t.Errorf("%s: compared by rate: %v", c.name, got)
		}
		if got := c.cell.fair(took); got != c.took {
			t.Errorf("%s: compared by time: %v", c.name, got)
		}
	}
}

func TestDriversThatMeasuredTheSameAreHeldTogether(t *testing.T) {
	info := plannedFor("a")
	by := func(driver string, point int, n int64, rates ...float64) []bench.Record {
		c := at("a", 0, point, n)
		c.Driver, c.Axes = driver, append(c.Axes, bench.Pair{Name: "driver", Value: driver})
		c.Key = bench.KeyOf(c.Pairs())
		return rounds(c, rates...)
	}
	for _, c := range []struct {
		records [][]bench.Record
		want    string
	}{
		{[][]bench.Record{by("ab", 0, 10, 10, 30, 50, 70, 90, 110), by("native", 1, 10, 20, 40, 60, 80, 100, 120),
			by("ab", 2, 100, 10, 11, 12, 13, 14, 15), by("native", 3, 100, 20, 21, 22, 23, 24, 25), by("ab", 4, 1000, 10, 11), by("native", 5, 1000, 90, 91)},
			"ab and native measured the same at 3 points: their requests per second cannot be told apart at 1 of them and differ at 1; at 1 the rounds are too few to tell. Where they differ, "},
		{[][]bench.Record{by("ab", 0, 10, 10), by("native", 1, 10, 20)},
			"ab and native measured the same at 1 point: the rounds are too few to tell whether their requests per second differ."},
	} {
		r := Build(info, slices.Concat(c.records...))
		if got := noteOf(r, "drivers"); !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q", got)
		}
	}
}
