package table

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// printedAt is a trial of a published table: what it printed of each metric.
func printedAt(c bench.Cell, texts ...string) bench.Record {
	r := bench.Record{Trial: bench.Trial{Cell: c, Round: 1}, State: bench.StateOK, AsPrinted: map[string]bench.Figure{}}
	for i := 0; i < len(texts); i += 2 {
		f := bench.Figure{Text: texts[i+1]}
		if v, ok := unit.ReadPrinted(f.Text); ok {
			f.Value = &v.Value
		}
		r.AsPrinted[texts[i]] = f
	}
	return r
}

// TestAsPrinted: a printed text stands as it is, with its first number beside
// it; what was not printed was not measured; nothing is marked.
func TestAsPrinted(t *testing.T) {
	info := plannedFor("a", "b")
	info.Plan.Columns = columns("time_s", "completed", "failed", "requests_per_second", "load_average", "multi_times", "ok")
	lost := printedAt(at("b", 1, 1, 20), "time_s", "", "errors", "socket: Too many open files")
	lost.State, lost.Reason = bench.StateFailed, "socket: Too many open files"
	r := Build(info, []bench.Record{
		printedAt(at("a", 0, 0, 10), "time_s", ".124", "completed", "10", "failed", "", "requests_per_second", "806", "load_average", "..5 = 1.5", "multi_times", "Y (though goes slow)", "size", "1.5"),
		printedAt(at("b", 1, 0, 10), "time_s", "3.8 = 6.3", "completed", "10", "failed", "", "requests_per_second", "651 396", "load_average", "", "multi_times", "6", "size", "1.5"),
		lost,
	})
	want := []string{
		"Server|N|Time taken|Completed|Failed|Requests per second|Load average (including the generator)|Multi times|OK",
		"a|10|.124|10||806|..5 = 1.5|Y (though goes slow)|",
		"b|10|3.8 = 6.3|10||651 396||6|",
		"b|20|||||||",
	}
	if d := cmp.Diff(want, shown(r.Tables[0])); d != "" {
		t.Error(d)
	}
	first := r.Tables[0].Rows[0].Cells
	if first[2].Value != "0.124" || first[6].Value != "0.5" || first[4].Value != "" || r.Tables[0].Rows[1].Cells[5].Value != "651" {
		t.Errorf("values %+v", r.Tables[0].Rows)
	}
	if r.Tables[0].Columns[3].Number != true || r.Tables[0].Columns[6].Number != false {
		t.Error("a column of plain numbers is set as numbers, one with other texts is not")
	}
	field := func(row int, name string) string {
		return r.Sheet().Rows[row][slices.Index(r.Sheet().Header, name)].Text
	}
	for _, c := range []struct {
		row        int
		name, want string
	}{
		{0, "time_s", "0.124"}, {0, "time_s_as_printed", ".124"}, {1, "time_s", "3.8"}, {1, "time_s_as_printed", "3.8 = 6.3"}, {1, "requests_per_second", "651"},
		{0, "ok", ""}, {0, "issued", ""}, {0, "failed", ""}, {0, "failed_reset", ""}, {1, "multi_times", "6"}, {2, "reason", "socket: Too many open files"}, {2, "time_s", ""},
	} {
		if got := field(c.row, c.name); got != c.want {
			t.Errorf("%s of line %d: %q, want %q", c.name, c.row, got, c.want)
		}
	}
}

func TestBaseline(t *testing.T) {
	labelled := func(os, server string, system int, elapsed time.Duration) bench.Record {
		c := at(server, system, 0, 100)
		c.Labels = pairs("OS", os, "Server", server)
		c.Key = bench.KeyOf(append(slices.Clone(c.Labels), c.Axes...))
		return ok(c, 1, elapsed)
	}
	info := bench.RunInfo{Plan: bench.Plan{Title: "T", Labels: []string{"OS", "Server"}, Rounds: 1, Baseline: pairs("Server", "apache"),
		Columns: columns("requests_per_second", "ratio_to_baseline", "slower_than_baseline_percent")}}
	for _, n := range []string{"1", "2", "3"} {
		info.Plan.Systems = append(info.Plan.Systems, bench.System{Labels: pairs("OS", n)})
	}
	info.Plan.Systems = nil
	r := Build(info, []bench.Record{
		labelled("a", "apache", 0, time.Second), labelled("a", "tomcat", 1, 4*time.Second),
		labelled("b", "apache", 2, 10*time.Second), labelled("b", "tomcat", 3, 5*time.Second), labelled("c", "tomcat", 4, 5*time.Second),
	})
	want := []string{
		"OS|Server|Requests per second|Ratio to the baseline|Slower than the baseline (%)",
		"a|apache|100.0|1.000|0", "a|tomcat|25.00|0.2500 ?|75.00 ?", // each with that of its own OS, of one round
		"b|apache|10.00|1.000|0", "b|tomcat|20.00|2.000 ?|-100.0 ?",
		"c|tomcat|20.00||", // there is no apache on c
	}
	if d := cmp.Diff(want, shown(r.Tables[0])); d != "" {
		t.Error(d)
	}
	info.Plan.Columns = nil // the standard columns have the comparison then
	if !slices.ContainsFunc(Build(info, nil).Tables[0].Columns, func(c Column) bool { return c.Name == "slower_than_baseline_percent" }) {
		t.Error("the standard columns lack the comparison")
	}
}

// TestBaselinePooled: a row of several points has no point of the baseline to be
// compared at, that of the baseline itself neither.
func TestBaselinePooled(t *testing.T) {
	info := plannedFor("apache", "nginx")
	info.Plan.Baseline = pairs("Server", "apache")
	info.Plan.Tables = []bench.Table{{Layout: bench.Flat, Rows: "Server", Over: []string{"requests"}, Metrics: columns("requests_per_second", "ratio_to_baseline", "slower_than_baseline_percent")}}
	first := []bench.Record{ok(at("apache", 0, 0, 100), 1, time.Second), ok(at("nginx", 1, 0, 100), 1, 2*time.Second)}
	second := []bench.Record{ok(at("apache", 0, 1, 1000), 1, time.Second), ok(at("nginx", 1, 1, 1000), 1, time.Second)}
	for _, c := range []struct {
		records []bench.Record
		want    []string
	}{
		{first, []string{"apache|100.0|1.000|0", "nginx|50.00|0.5000 ?|50.00 ?"}},
		{append(slices.Clone(first), second...), []string{"apache|550.0||", "nginx|525.0||"}},
	} {
		if d := cmp.Diff(c.want, shown(Build(info, c.records).Tables[0])[1:]); d != "" {
			t.Error(d)
		}
	}
}

func TestBeside(t *testing.T) {
	info := plannedFor("nginx", "Apache 2")
	info.Plan.Reference = &bench.Reference{Run: "old", Rename: map[string]string{"Apache 2": "Apache", "small": "page"}}
	measured := []bench.Record{
		ok(at("nginx", 0, 0, 100), 1, time.Second), ok(at("nginx", 0, 1, 1000), 1, time.Second), ok(at("nginx", 0, 2, 7), 1, time.Second),
		ok(at("Apache 2", 1, 0, 100), 1, 2*time.Second), ok(at("Apache 2", 1, 1, 1000), 1, time.Second/2),
	}
	for _, again := range slices.Clone(measured) {
		for again.Round = 2; again.Round <= 6; again.Round++ {
			measured = append(measured, again)
		}
	}
	there := func(server string, system int, n int64) bench.Cell {
		c := at(server, system, 0, n)
		c.Axes = slices.Clone(c.Axes)
		c.Axes[0].Value, c.File.Name = "page", "page"
		c.Key = bench.KeyOf(append(slices.Clone(c.Labels), c.Axes...))
		return c
	}
	published := []bench.Record{
		printedAt(there("nginx", 0, 100), "requests_per_second", "10 or so"), printedAt(there("Apache", 1, 100), "requests_per_second", "4"),
		printedAt(there("nginx", 0, 1000), "requests_per_second", "10"), printedAt(there("Apache", 1, 1000), "requests_per_second", "8"),
	}
	old := bench.RunInfo{Plan: bench.Plan{Title: "Old page"}}
	r := Build(info, measured)
	r.Beside(old, published)
	if len(r.Tables) != 3 {
		t.Fatalf("%d tables, %v", len(r.Tables), r.Notes)
	}
	if d := cmp.Diff([]string{
		"Server|N|Requests per second, measured|Requests per second, published|Measured, as a multiple",
		"nginx|100|100.0 [100.0, 100.0]|10 or so|10.00", "nginx|1000|1000 [1000, 1000]|10|100.0",
		"Apache 2|100|50.00 [50.00, 50.00]|4|12.50", "Apache 2|1000|2000 [2000, 2000]|8|250.0",
	}, shown(r.Tables[1])); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{
		"System|Compared with|N|Ratio, measured|Ratio, published|Ranking",
		"Apache 2|nginx|100|0.5000|0.4000|as published", "Apache 2|nginx|1000|2.000|0.8000|the other way round",
	}, shown(r.Tables[2])); d != "" {
		t.Error(d)
	}
	var notes []string
	for _, n := range r.Notes {
		if n.Code == "reference" {
			notes = append(notes, n.Text)
		}
	}
	if d := cmp.Diff([]string{"Without a published counterpart in old: 1 cell.",
		"Of 2 comparisons of two systems at one point, 1 rank as published and 1 the other way round."}, notes); d != "" {
		t.Error(d)
	}
	info.Plan.Reference.Ignore = []string{"requests"} // two published cells for each: no guess
	r = Build(info, measured)
	if r.Beside(old, published); len(r.Tables) != 1 || noteOf(r, "reference") == "" {
		t.Errorf("%d tables, %v", len(r.Tables), r.Notes)
	}
}

// TestAlike: too few rounds rank nothing, however far apart the figures are, nor
// do rounds that do not tell two apart, or published figures that are the same.
func TestAlike(t *testing.T) {
	side := func(published float64, perSecond ...float64) pair {
		var rounds []bench.Record
		for i, n := range perSecond {
			rounds = append(rounds, ok(at("a", 0, 0, 100), i+1, time.Duration(100/n*float64(time.Second))))
		}
		rate, _ := Lookup("requests_per_second")
		x := pair{measured: cell{Cell: &rounds[0].Cell, folder: newFolder(rounds)}, theirs: Value{Number: published}}
		x.own, _ = rate.fold(x.measured.folder)
		return x
	}
	for _, c := range []struct {
		x, y pair
		want verdict
	}{
		{side(2, 200, 210, 220, 230), side(1, 100, 110, 120, 130), agrees},
		{side(1, 200, 210, 220, 230), side(2, 100, 110, 120, 130), differs},
		{side(2, 200), side(1, 100, 110, 120, 130), unknown},
		{side(2, 200, 210, 220, 230), side(1, 100), unknown},
		{side(2, 200, 210, 220), side(1, 100, 110, 120), unknown},
		{side(2, 12857), side(1, 12855), unknown},
		{side(2, 200, 105, 210, 220), side(1, 100, 110, 120, 130), undecided},
		{side(2, 200, 210, 220, 230), side(2, 100, 110, 120, 130), undecided},
	} {
		if got := new(builder).alike([]pair{c.x}, []pair{c.y})[0]; got != c.want {
			t.Errorf("%v and %v: %q, want %q", c.x.own, c.y.own, got, c.want)
		}
	}
	for _, c := range []struct {
		pairs []pair
		want  string
	}{
		{[]pair{side(2, 200, 210), side(2, 100, 110)}, "Of 1 comparison of two systems at one point, 0 rank as published and 0 the other way round; 1 cannot be told apart."},
		{[]pair{side(2, 200), side(1, 100)}, "Of 1 comparison of two systems at one point, none can be told to rank as published or not: the rounds are too few."},
	} {
		if got := new(builder).ranking(c.pairs); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestFurtherMetrics(t *testing.T) {
	r := ok(at("a", 0, 0, 10), 1, time.Second)
	r.Fail(bench.Reset, 3, "reset")
	r.Printed = &bench.Printed{Tool: "ab", Quantiles: []bench.Quantile{{P: 0.66, Seconds: 0.003}, {P: 1, Seconds: 0.3}},
		Processing: &bench.Summary{Max: new(0.024)}, Connect: &bench.Summary{SD: new(0.0002), Median: new(0.001)}}
	for name, want := range map[string]float64{"latency_p66_ms": 3, "latency_p100_ms": 300, "failed_reset": 3, "failed_non_2xx": 0,
		"processing_max_ms": 24, "connect_sd_ms": 0.2, "connect_p50_ms": 1, "time_per_request_ms": 10000. / 13} {
		m, found := Lookup(name)
		v, ok := m.Value([]bench.Record{r})
		if !found || !ok || v.Number < want-1e-9 || v.Number > want+1e-9 {
			t.Errorf("%s: %v %v %v, want %v", name, found, v.Number, ok, want)
		}
	}
	for _, name := range []string{"latency_p101_ms", "latency_p066_ms", "failed_x", "processing_p99_ms", "", "latency_p_ms"} {
		if _, found := Lookup(name); found {
			t.Errorf("there is a metric %q", name)
		}
	}
}

// TestPointsByTime: durations agree by value, and are renamed as written.
func TestPointsByTime(t *testing.T) {
	timed := func(d time.Duration, text string) cell {
		c := bench.Cell{Axes: pairs("file", "set", "duration", text), File: bench.File{Name: "set"}, Load: bench.Load{Conns: 5, Duration: d}}
		return cell{Cell: &c}
	}
	counted := cell{Cell: &bench.Cell{Axes: pairs("file", "set", "requests", "100"), File: bench.File{Name: "set"}, Load: bench.Load{Requests: 100}}}
	for _, c := range []struct {
		m, p cell
		ref  bench.Reference
		want bool
	}{
		{timed(time.Minute, "1m"), timed(time.Minute, "60s"), bench.Reference{}, true},
		{timed(time.Minute, "60s"), timed(time.Hour, "3600s"), bench.Reference{}, false},
		{timed(time.Second, "1000ms"), timed(time.Minute, "60s"), bench.Reference{Rename: map[string]string{"1000ms": "60s"}}, true},
		{timed(time.Second, "1s"), timed(time.Minute, "60s"), bench.Reference{Rename: map[string]string{"1s": "1m"}}, true},
		{timed(time.Second, "1s"), timed(time.Minute, "60s"), bench.Reference{Ignore: []string{"duration"}}, true},
		{counted, timed(time.Minute, "60s"), bench.Reference{}, false},
	} {
		if got := samePoint(c.ref, c.m, c.p); got != c.want {
			t.Errorf("%v and %v by %v: %v", c.m.Axes, c.p.Axes, c.ref, got)
		}
	}
}
