package table

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
)

// two is a run of two systems at two numbers of requests, of which apache fails
// at the second.
func two(tables ...bench.Table) (bench.RunInfo, []bench.Record) {
	info := plannedFor("nginx", "apache")
	info.Plan.Tables = tables
	return info, []bench.Record{
		ok(at("nginx", 0, 0, 100), 1, time.Second), ok(at("nginx", 0, 1, 1000), 1, 4*time.Second),
		ok(at("apache", 1, 0, 100), 1, 2*time.Second), failed(at("apache", 1, 1, 1000), 1, bench.StateFailed, "reset"),
	}
}

func noteOf(r *Report, code string) string {
	for _, n := range r.Notes {
		if n.Code == code {
			return n.Text
		}
	}
	return ""
}

func TestLayouts(t *testing.T) {
	rates := columns("requests_per_second")
	for _, c := range []struct {
		name       string
		spec       bench.Table
		want       []string
		constant   []bench.Pair
		code, note string
	}{
		{"rows of a filter", bench.Table{Layout: bench.Flat, Filter: "Server:nginx", Rows: "Server,requests", Metrics: rates, Headings: map[string]string{"requests": "Number"}},
			[]string{"Server|Number|Requests per second", "nginx|100|100.0", "nginx|1000|250.0"}, []bench.Pair{}, "", ""},
		{"an order of rows", bench.Table{Layout: bench.Flat, Rows: "requests@(1000 100),Server@alpha", Metrics: rates},
			[]string{"N|Server|Requests per second", "1000|apache|", "1000|nginx|250.0", "100|apache|50.00", "100|nginx|100.0"}, []bench.Pair{}, "", ""},
		{"a filter alone keeps the usual columns", bench.Table{Layout: bench.Flat, Filter: "requests:100", Metrics: rates},
			[]string{"Server|Requests per second", "nginx|100.0", "apache|50.00"}, pairs("Size", "1.5 kB", "Concurrency (C)", "10", "Requests (N)", "100", "Driver", "native"), "", ""},
		{"cells that share a row are told apart", bench.Table{Layout: bench.Flat, Rows: "Server", Metrics: columns("completed")},
			[]string{"Server|N|Completed", "nginx|100|100", "nginx|1000|1000", "apache|100|100", "apache|1000|"}, []bench.Pair{}, "over", ""},
		{"unless their figures are taken together", bench.Table{Layout: bench.Flat, Rows: "Server", Over: []string{"requests"}, Metrics: columns("completed")},
			[]string{"Server|Completed", "nginx|100", "apache|100"}, []bench.Pair{}, "over", "T: a figure is that of all rounds of cells that differ in requests."},
		{"pivot", bench.Table{Title: "P", Layout: bench.Pivot, Rows: "requests", Columns: "Server", Metrics: rates},
			[]string{"Requests|nginx Requests per second|apache Requests per second", "100|100.0|50.00", "1000|250.0|failed"},
			pairs("File", "small", "Size", "1.5 kB", "Concurrency", "10", "Driver", "native", "Keep alive", "false"),
			"failed", "Server=apache,file=small,concurrency=10,requests=1000: reset."},
		{"metrics down", bench.Table{Layout: bench.Pivot, Rows: ".metric", Columns: "requests@num,Server", Filter: "Server:nginx",
			Metrics: []bench.Column{{Metric: "requests_per_second", Heading: "Fetches"}, {Metric: "time_s"}, {Metric: "time_s", Heading: "Again"}}, Headings: map[string]string{"100 nginx": "N (100)", ".metric": "What"}},
			[]string{"What|N (100)|1000 nginx", "Fetches|100.0|250.0", "Time taken (s)|1.000|4.000", "Again (s)|1.000|4.000"},
			pairs("File", "small", "Size", "1.5 kB", "Concurrency", "10", "Driver", "native", "Keep alive", "false"), "", ""},
		{"a filter of metrics", bench.Table{Layout: bench.Pivot, Rows: "Server", Columns: ".metric", Filter: ".metric:completed requests:100", Metrics: columns("completed", "time_s")},
			[]string{"Server|Completed", "nginx|100", "apache|100"},
			pairs("File", "small", "Size", "1.5 kB", "Concurrency", "10", "Requests", "100", "Driver", "native", "Keep alive", "false"), "", ""},
		{"holes stay empty", bench.Table{Layout: bench.Pivot, Rows: "requests", Columns: "Server", Filter: "-(Server:apache requests:100)", Metrics: columns("completed")},
			[]string{"Requests|nginx Completed|apache Completed", "100|100|", "1000|1000|failed"},
			pairs("File", "small", "Size", "1.5 kB", "Concurrency", "10", "Driver", "native", "Keep alive", "false"), "", ""},
		{"no cell", bench.Table{Title: "None", Layout: bench.Pivot, Rows: "requests", Filter: "Server:lighttpd"}, []string{"Requests"}, []bench.Pair{}, "empty-table", "None: no cell agrees with its filter."},
	} {
		r := Build(two(c.spec))
		if d := cmp.Diff(c.want, shown(r.Tables[0])); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if d := cmp.Diff(c.constant, r.Tables[0].Constant); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if c.code != "" && noteOf(r, c.code) != c.note {
			t.Errorf("%s: notes %v", c.name, r.Notes)
		}
	}
}

// TestBadTableIsNoted: a run.json that somebody edited still has its tables.
func TestBadTableIsNoted(t *testing.T) {
	r := Build(two(bench.Table{Title: "Bad", Filter: "Server:("}))
	if len(r.Tables) != 1 || len(r.Tables[0].Rows) != 4 || !strings.HasPrefix(noteOf(r, "bad-table"), `The table "Bad" cannot be laid out: reading filter: `) {
		t.Errorf("%d tables, %v", len(r.Tables), r.Notes)
	}
}

func TestCheck(t *testing.T) {
	_, records := two()
	var cells []bench.Cell
	for _, r := range records {
		cells = append(cells, r.Cell)
	}
	names := "Server, file, size, concurrency, requests, driver, keep_alive"
	for _, c := range []struct {
		spec       bench.Table
		cells      []bench.Cell
		part, want string
	}{
		{bench.Table{}, cells, "", ""},
		{bench.Table{Layout: bench.Pivot, Rows: ".metric", Columns: "Server", Filter: "Server:(nginx OR apache)"}, cells, "", ""},
		{bench.Table{Layout: bench.Pivot, Filter: ".metric:time_s"}, cells, "", ""},
		{bench.Table{Rows: ".config"}, cells, "", ""},
		{bench.Table{Filter: `"Kernel Tweaked?":No`}, nil, "", ""},
		{bench.Table{Filter: "Server"}, nil, "filter", "reading filter: syntax error: expected key:value, at character 1 of Server"},
		{bench.Table{Rows: "size@upwards"}, nil, "rows", `reading rows: syntax error: unknown order "upwards", at character 6 of size@upwards`},
		{bench.Table{Columns: "a,,("}, nil, "columns", "reading columns: syntax error: expected key, at character 3 of a,,("},
		{bench.Table{Rows: "Serve"}, cells, "rows", `there is no label and no axis "Serve": there are ` + names},
		{bench.Table{Layout: bench.Pivot, Columns: "OS"}, cells, "columns", `there is no label and no axis "OS": there are .metric, ` + names},
		{bench.Table{Filter: `-Server:x file:y "My OS":z`}, cells, "filter", `no cell agrees with it: there is no label and no axis "My OS"; there are ` + names},
		{bench.Table{Filter: "Server:lighttpd"}, cells, "filter", "no cell agrees with it"},
	} {
		part, err := Check(c.spec, c.cells)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if part != c.part || got != c.want {
			t.Errorf("%+v:\ngot  %s: %s\nwant %s: %s", c.spec, part, got, c.part, c.want)
		}
	}
}

// FuzzCheck: an expression either is an error or lays out a table whose rows are
// all as long as its head.
func FuzzCheck(f *testing.F) {
	f.Add("Server,requests@num", "", `Server:nginx OR -"file":/sm.*/`, false)
	f.Add(".metric", "Server,requests@(100 1000)", "*", true)
	f.Add(".config", ".fullname", ".unit:x", true)
	f.Fuzz(func(t *testing.T, rows, columns, filter string, isPivot bool) {
		spec := bench.Table{Layout: bench.Flat, Rows: rows, Columns: columns, Filter: filter}
		if isPivot {
			spec.Layout = bench.Pivot
		}
		info, records := two(spec)
		var cells []bench.Cell
		for _, r := range records {
			cells = append(cells, r.Cell)
		}
		part, err := Check(spec, nil)
		if (part == "") != (err == nil) {
			t.Errorf("part %q, error %v", part, err)
		}
		_, _ = Check(spec, cells)
		r := Build(info, records)
		if bad := slices.Contains(codes(r), "bad-table"); bad != (err != nil) {
			t.Errorf("checked as %v, laid out with %v", err, r.Notes)
		}
		for _, table := range r.Tables {
			for _, row := range table.Rows {
				if len(row.Cells) != len(table.Columns) {
					t.Errorf("%d cells under %d headings", len(row.Cells), len(table.Columns))
				}
			}
		}
	})
}
