package export

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// joined is two runs in one report.
func joined() *table.Report {
	other := single()
	other.Info.ID = "single/20261130T150000Z"
	again := single()
	again.Info.ID = "single/20261130T160000Z"
	return table.Join([]*table.Report{other, again})
}

func readBenchfmt(t *testing.T, text []byte) (results []*benchfmt.Result, units benchfmt.UnitMetadataMap) {
	t.Helper()
	in := benchfmt.NewReader(bytes.NewReader(text), "report.bench")
	for in.Scan() {
		switch rec := in.Result().(type) {
		case *benchfmt.Result:
			results = append(results, rec.Clone())
		case *benchfmt.SyntaxError:
			t.Errorf("%v\n%s", rec, text)
		}
	}
	if err := in.Err(); err != nil {
		t.Error(err)
	}
	return results, in.Units()
}

func TestBenchfmtReadsBack(t *testing.T) {
	results, units := readBenchfmt(t, written(t, Benchfmt, full()))
	ranked := 0
	for _, r := range full().Records {
		if r.State.Ranked() {
			ranked++
		}
	}
	if len(results) != ranked {
		t.Errorf("%d lines for %d trials with figures", len(results), ranked)
	}
	rate, ok := results[0].Value("req/s")
	if !ok || rate < 1036.9 || rate > 1037.1 {
		t.Errorf("first rate is %v, %v", rate, ok)
	}
	if p50, ok := results[3].Value("p50-sec"); !ok || p50 != 0.011 { // of ab
		t.Errorf("p50 is %v, %v", p50, ok)
	}
	for unit, better := range map[string]string{"req/s": "higher", "p99-sec": "lower"} {
		if m := units.Get(unit, "better"); m == nil || m.Value != better {
			t.Errorf("%s: better is %+v", unit, m)
		}
	}
	for key, want := range map[string]string{"host": "bench1", "kernel": "Linux 6.1.0 x86_64", "scenario": "sample", "run": ""} {
		if got := results[0].GetConfig(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	// Labels and axes are what benchstat projects by.
	project := func(expr string) string {
		p, err := new(benchproc.ProjectionParser).Parse(expr, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p.Project(results[0]).StringValues()
	}
	for expr, want := range map[string]string{"/file": "small", "/concurrency": "10", "/Kernel_Tweaked?": "No", "/OS": `Red_Hat_7.0,_"SMP"_<b>&'<|script>`, ".name": "Requests"} {
		if got := project(expr); got != want {
			t.Errorf("%s is %q, want %q", expr, got, want)
		}
	}
}

func TestBenchfmtOfSeveralRuns(t *testing.T) {
	results, _ := readBenchfmt(t, written(t, Benchfmt, joined()))
	var runs []string
	for _, r := range results {
		runs = append(runs, r.GetConfig("run"))
	}
	if want := []string{"single/20261130T150000Z", "single/20261130T160000Z"}; !slices.Equal(runs, want) {
		t.Errorf("runs are %q, want %q", runs, want)
	}
}

// TestBenchstatReadsIt has the program itself compare two reports.
func TestBenchstatReadsIt(t *testing.T) {
	bin, err := exec.LookPath("../../bin/benchstat")
	if err != nil {
		if os.Getenv("MATRIX_NO_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skip("benchstat is not built: make bin/benchstat")
	}
	dir := t.TempDir()
	for name, rate := range map[string]float64{"base": 1000, "new": 500} {
		l := labels("Server", "nginx")
		var records []bench.Record
		for round := range 6 {
			records = append(records, good(newCell(0, 0, l, point{file: small, conns: 10, requests: 1000, driver: "native"}), round+1, rate+float64(round)))
		}
		r := table.Build(info([][]bench.Pair{l}, 6), records)
		r.Info.ID = name // in no line that would tell the two apart
		if err := os.WriteFile(filepath.Join(dir, name), written(t, Benchfmt, r), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(bin, "-format", "csv", "-filter", ".unit:(req/s OR p99-sec)", "base="+filepath.Join(dir, "base"), "new="+filepath.Join(dir, "new"))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"kernel: Linux 6.1.0 x86_64", ",req/s,CI,req/s,CI,vs base,P",
		"Requests/Server=nginx/file=small/concurrency=10/requests=1000/driver=native,1002.5", ",-49.88%,p=0.002 n=6", ",+99.50%,p=0.002 n=6",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// TestRunsOfOneIDAreToldApart is of formats whose readers refuse, or add up, what
// has the same name: runs of two results folders may have the same ID.
func TestRunsOfOneIDAreToldApart(t *testing.T) {
	r := table.Join([]*table.Report{single(), single()})
	for name, line := range map[string]string{
		"openmetrics":                     `(?m)^(matrix_\w+\{.*\}) `,
		"github-action-benchmark":         `"name": (".*")`,
		"github-action-benchmark-smaller": `"name": (".*")`,
		"junit":                           `<testsuite name="([^"]*)"`,
		"benchfmt":                        `(?m)^run: (.*)$`,
	} {
		f, _ := Lookup(name)
		seen := map[string]int{}
		for _, m := range regexp.MustCompile(line).FindAllStringSubmatch(string(written(t, f.Export, r)), -1) {
			seen[m[1]]++
		}
		if len(seen) < 2 {
			t.Errorf("%s names only %v", name, seen)
		}
		for what, n := range seen {
			if n > 1 {
				t.Errorf("%s: %s stands %d times", name, what, n)
			}
		}
	}
}

func TestBenchmarkNames(t *testing.T) {
	cell := func(labels, axes []bench.Pair) bench.Cell { return bench.Cell{Labels: labels, Axes: axes} }
	for want, c := range map[string]bench.Cell{
		"Requests/A=x/n=1":                    cell(labels("A", "x"), labels("n", "1")),
		"Requests/A_b=x|y/n=1":                cell(labels("A b", "x/y"), labels("n", "1")),
		"Requests/A_b=c/n=x_8":                cell(labels("A=b", "c"), labels("n", "x-8")), // x-8 would be GOMAXPROCS 8
		"Requests/driver_(label)=x/driver=ab": cell(labels("driver", "x"), labels("driver", "ab")),
		"Requests/A=-5/n=a-b":                 cell(labels("A", "-5"), labels("n", "a-b")),
	} {
		if got := benchmarkName(c); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var u uniqueNames
	for _, want := range []string{"x", "x#01", "x#02"} {
		if got := u.of("x"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func readJUnit(t *testing.T, text []byte) testSuites {
	t.Helper()
	var back testSuites
	if err := xml.Unmarshal(text, &back); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	cases, failures, skipped := 0, 0, 0
	for _, s := range back.Suites {
		cases += len(s.Cases)
		for _, c := range s.Cases {
			if c.Failure != nil {
				failures++
			}
			if c.Skipped != nil {
				skipped++
			}
		}
	}
	if back.Tests != cases || back.Failures != failures || back.Skipped != skipped {
		t.Errorf("says %d, %d, %d; holds %d cases, %d failures, %d skipped", back.Tests, back.Failures, back.Skipped, cases, failures, skipped)
	}
	return back
}

func TestJUnitReadsBack(t *testing.T) {
	back := readJUnit(t, written(t, JUnit, full()))
	if back.Tests != 11 || back.Failures != 1 || back.Skipped != 1 {
		t.Errorf("%d cases, %d failures, %d skipped", back.Tests, back.Failures, back.Skipped)
	}
	s := back.Suites[0]
	if s.Name != "sample/20261130T143000Z" || s.Timestamp != "2026-11-30T14:30:00" || s.Hostname != "bench1" {
		t.Errorf("suite is %q, %q, %q", s.Name, s.Timestamp, s.Hostname)
	}
	c := s.Cases[2]
	const reason = "all 3 rounds failed: socket: Too many open files (24) | <i>"
	if c.Class != `OS=Red Hat 7.0\, "SMP" <b>&'</script>,Kernel Tweaked?=No` || c.Name != "file=medium,concurrency=1025,requests=1025,driver=native" ||
		c.Failure == nil || c.Failure.Type != "failed" || c.Failure.Message != reason || c.Out != "" {
		t.Errorf("third case is %+v, %+v", c, c.Failure)
	}
	if out := s.Cases[0].Out; !strings.HasPrefix(out, "requests_per_second 1074 (1037 to 1111)\n") || s.Cases[0].Time != "0.280" {
		t.Errorf("first case says %q, took %s", out, s.Cases[0].Time)
	}
}

func TestJUnitFates(t *testing.T) {
	l := labels("Server", "nginx")
	p := point{file: small, conns: 10, requests: 1000, driver: "native"}
	failed := bad(newCell(0, 0, l, p), 1, bench.StateFailed, "refused")
	expected := failed
	expected.Cell.ExpectFailure = true
	for _, c := range []struct {
		name                 string
		record               bench.Record
		finding              string
		failure, skipped, of string
	}{
		{"ok", good(newCell(0, 0, l, p), 1, 100), "", "", "", ""},
		{"finding", good(newCell(0, 0, l, p), 1, 100), "10 % slower", "10 % slower", "", "finding"},
		{"failed", failed, "", "refused", "", "failed"},
		{"expected", expected, "", "", "", ""},
		{"expected, and a finding", expected, "failed now", "failed now", "", "finding"},
		{"interrupted", bad(newCell(0, 0, l, p), 1, bench.StateInterrupted, "by a signal"), "", "", "interrupted: by a signal", ""},
		{"skipped", bad(newCell(0, 0, l, p), 1, bench.StateSkipped, "too few"), "", "", "skipped: too few", ""},
	} {
		r := table.Build(info([][]bench.Pair{l}, 1), []bench.Record{c.record})
		for i := range r.Tables[0].Rows {
			r.Tables[0].Rows[i].Finding = c.finding
		}
		got := readJUnit(t, written(t, JUnit, r)).Suites[0].Cases
		if len(got) != 1 {
			t.Fatalf("%s: %d cases", c.name, len(got))
		}
		var failure, skipped, of string
		if f := got[0].Failure; f != nil {
			failure, of = f.Message, f.Type
		}
		if s := got[0].Skipped; s != nil {
			skipped = s.Message
		}
		if failure != c.failure || skipped != c.skipped || of != c.of {
			t.Errorf("%s: failure %q of type %q, skipped %q", c.name, failure, of, skipped)
		}
	}
}

// TestJUnitOfOtherRows is of a comparison, which has rows and no records, and of
// planned cells that were never tried.
func TestJUnitOfOtherRows(t *testing.T) {
	compared := &table.Report{Title: "a against b", Tables: []table.Table{{Caption: "Cells", Rows: []table.Row{
		{Key: "Server=nginx,n=1", State: bench.StateOK}, {Key: "Server=nginx,n=2", State: bench.StateOK, Finding: "12 % slower"}}},
		{Caption: "Latency", Rows: []table.Row{{Key: "Server=nginx,n=2", State: bench.StateOK, Finding: "p99 30 % slower"}}}}}
	back := readJUnit(t, written(t, JUnit, compared))
	if c := back.Suites[0].Cases; len(c) != 2 || c[0].Failure != nil || c[1].Failure == nil || c[1].Failure.Message != "12 % slower; p99 30 % slower" {
		t.Errorf("cases are %+v", c)
	}
	// What nothing can be told of has not passed, and is lost by nobody.
	r := single()
	r.Tables[0].Rows[0].Untold = "too few rounds"
	r.Tables = append(r.Tables, table.Table{Rows: []table.Row{{Key: "Server=gone", Untold: "only in base"}, {Key: "Server=well", State: bench.StateOK}}})
	if c := readJUnit(t, written(t, JUnit, r)).Suites[0].Cases; len(c) != 2 || c[0].Skipped == nil || c[0].Skipped.Message != "too few rounds" || c[1].Skipped == nil || c[1].Skipped.Message != "only in base" {
		t.Errorf("cases are %+v", c)
	}
	r = single()
	left := r.Records[0].Cell
	left.Key = "Server=nginx,file=small,concurrency=20"
	left.Labels, left.Axes = nil, nil
	r.Info.Plan.Cells = bench.Cells{r.Records[0].Cell, left}
	c := readJUnit(t, written(t, JUnit, r)).Suites[0].Cases
	if len(c) != 2 || c[1].Skipped == nil || c[1].Class != "Server=nginx" || c[1].Name != "file=small,concurrency=20" {
		t.Errorf("cases are %+v", c)
	}
	if text := string(written(t, Benchfmt, r)); !strings.Contains(text, ": not run\n") {
		t.Errorf("the cell that was not run is not in\n%s", text)
	}
	if n := len(readJUnit(t, written(t, JUnit, joined())).Suites); n != 2 {
		t.Errorf("%d suites of two runs", n)
	}
}

func TestGitHubActionBenchmark(t *testing.T) {
	read := func(export Exporter, r *table.Report) (entries []benchmarkEntry) {
		in := json.NewDecoder(bytes.NewReader(written(t, export, r)))
		in.DisallowUnknownFields()
		if err := in.Decode(&entries); err != nil {
			t.Fatal(err)
		}
		return entries
	}
	bigger := read(BiggerIsBetter, full())
	if len(bigger) != 9 { // 11 cells, of which one failed and one was skipped
		t.Errorf("%d figures", len(bigger))
	}
	want := benchmarkEntry{
		Name: `OS=Red Hat 7.0\, "SMP" <b>&'</script>,Kernel Tweaked?=No,file=small,concurrency=10,requests=100,driver=native: requests_per_second`,
		Unit: "req/s", Value: bigger[0].Value, Range: "(1037 to 1111)", Extra: "3 rounds, ok",
	}
	if bigger[0] != want || bigger[0].Value < 1073.9 || bigger[0].Value > 1074.1 {
		t.Errorf("first is %+v", bigger[0])
	}
	smaller := read(SmallerIsBetter, full())
	for _, e := range smaller {
		if e.Unit != "ms" || e.Value <= 0 {
			t.Errorf("%+v", e)
		}
	}
	names := map[string]bool{}
	for _, e := range append(append(bigger, smaller...), read(BiggerIsBetter, joined())...) {
		if names[e.Name] {
			t.Errorf("%s stands twice", e.Name)
		}
		names[e.Name] = true
	}
	if n := len(read(BiggerIsBetter, nothing())); n != 0 {
		t.Errorf("%d figures of nothing", n)
	}
}

// gauges reads the format back with both parsers of the library: that of
// Prometheus for OpenMetrics, and that of node_exporter's textfile collector.
func gauges(t *testing.T, text []byte) map[string][]map[string]string {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !bytes.HasSuffix(text, []byte("\n# EOF\n")) && string(text) != "# EOF\n" {
		t.Error("does not end in # EOF")
	}
	all := map[string][]map[string]string{}
	for name, f := range families {
		for _, m := range f.Metric {
			if m.TimestampMs != nil || m.Gauge == nil {
				t.Errorf("%s: %v", name, m)
			}
			set := map[string]string{"": expfmtFloat(m.Gauge.GetValue())}
			for _, l := range m.Label {
				if _, twice := set[l.GetName()]; twice {
					t.Errorf("%s: label %s stands twice", name, l.GetName())
				}
				set[l.GetName()] = l.GetValue()
			}
			all[name] = append(all[name], set)
		}
	}
	return all
}

func expfmtFloat(v float64) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestOpenMetricsReadsBack(t *testing.T) {
	text := written(t, OpenMetrics, full())
	all := gauges(t, text)
	rates := all["matrix_requests_per_second"]
	if len(rates) != 9 || len(all["matrix_cell_failed"]) != 10 || len(all["matrix_cell_rounds"]) != 11 {
		t.Errorf("%d rates, %d of failed, %d of rounds", len(rates), len(all["matrix_cell_failed"]), len(all["matrix_cell_rounds"]))
	}
	want := map[string]string{"": rates[0][""], "scenario": "sample", "os": nasty, "kernel_tweaked": "No", "file": "small", "concurrency": "10", "requests": "100", "driver": "native"}
	if !maps.Equal(rates[0], want) || !strings.HasPrefix(rates[0][""], "1074") {
		t.Errorf("first is %v", rates[0])
	}
	last := rates[len(rates)-1] // of a system that has a label "driver", too
	if last["driver"] != "native" || last["driver_2"] != "+1" || last["os"] != "two\nlines\x1b[31m\u202e" {
		t.Errorf("last is %v", last)
	}
	var failed []string
	for _, c := range all["matrix_cell_failed"] {
		if c[""] == "1" {
			failed = append(failed, c["file"])
		}
	}
	if !slices.Equal(failed, []string{"medium"}) {
		t.Errorf("failed: %v", failed)
	}
	if s := all["matrix_run_started_seconds"]; len(s) != 1 || s[0][""] != "1796049000" {
		t.Errorf("started: %v", s)
	}
	if text := string(written(t, OpenMetrics, nothing())); !strings.HasSuffix(text, "# EOF\n") {
		t.Errorf("of nothing: %q", text)
	}
	if runs := gauges(t, written(t, OpenMetrics, joined()))["matrix_requests_per_second"]; len(runs) != 2 || runs[0]["run"] == runs[1]["run"] {
		t.Errorf("joined: %v", runs)
	}
}

func TestOpenMetricsGrammar(t *testing.T) {
	for name, r := range map[string]*table.Report{"single": single(), "nothing": nothing()} {
		in := expfmt.NewDecoder(bytes.NewReader(written(t, OpenMetrics, r)), expfmt.NewFormat(expfmt.TypeOpenMetrics))
		n := 0
		for {
			var f dto.MetricFamily
			err := in.Decode(&f)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			n++
		}
		if name == "single" && n < 10 {
			t.Errorf("%d families", n)
		}
	}
}

func TestLabelNames(t *testing.T) {
	names := labelNames{taken: map[string]bool{"run": true}, of: map[string]string{}}
	for _, c := range []struct{ kind, name, want string }{
		{"label", "OS", "os"}, {"label", "Kernel Tweaked?", "kernel_tweaked"}, {"label", "os", "os_2"}, {"label", "OS", "os"}, {"axis", "OS", "os_3"},
		{"label", "日本語", "label"}, {"label", "??", "label_2"}, {"label", "2nd", "n2nd"}, {"label", "__name__", "name"}, {"label", "run", "run_2"}, {"label", "", "label_3"},
	} {
		if got := names.name(c.kind, c.name); got != c.want {
			t.Errorf("%s %q is %q, want %q", c.kind, c.name, got, c.want)
		}
	}
}

func FuzzFormats(f *testing.F) {
	for _, s := range []string{nasty, "|", "a\nb", "\xff", "日本", "]]>", "&#0;", "\x00", "x-8", "a=b/c", "#x", "\u2028", "Unit x y=z", `\"`} {
		f.Add(s, s+"2")
	}
	f.Fuzz(func(t *testing.T, s, other string) {
		p := point{file: small, conns: 1, requests: 1, driver: "native", label: other, axis: s}
		l := labels(s, other, "A", s)
		tried, broken := newCell(0, 0, l, p), newCell(1, 0, labels(s, other+"x", "A", s), p)
		r := table.Build(info([][]bench.Pair{l, labels(s, other+"x", "A", s)}, 1), []bench.Record{good(tried, 1, 10), bad(broken, 1, bench.StateFailed, s)})
		cells := len(r.Tried())
		if results, _ := readBenchfmt(t, written(t, Benchfmt, r)); len(results) != 1 {
			t.Errorf("benchfmt: %d results", len(results))
		}
		if back := readJUnit(t, written(t, JUnit, r)); back.Tests != cells || back.Failures != 1 {
			t.Errorf("junit: %d cases, %d failures of %d cells", back.Tests, back.Failures, cells)
		}
		for _, export := range []Exporter{BiggerIsBetter, SmallerIsBetter} {
			var entries []benchmarkEntry
			if err := json.Unmarshal(written(t, export, r), &entries); err != nil || len(entries) == 0 {
				t.Errorf("github-action-benchmark: %d figures, %v", len(entries), err)
			}
		}
		plain := string(written(t, Text, r))
		r.Color = true
		if coloured := string(written(t, Text, r)); sgr.ReplaceAllString(coloured, "") != plain {
			t.Errorf("colours change the text:\n%s\n%s", coloured, plain)
		}
		all := gauges(t, written(t, OpenMetrics, r))
		if len(all["matrix_cell_failed"]) != cells || len(all["matrix_requests_per_second"]) != 1 {
			t.Errorf("openmetrics: %d cells, want %d", len(all["matrix_cell_failed"]), cells)
		}
	})
}
