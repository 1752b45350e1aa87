package published

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
	"matrix/internal/table"
)

const root = "../../results/published"

// read makes the run of a folder in the repository and its report.
func read(t *testing.T, name string) *table.Report {
	t.Helper()
	info, records, err := Read(os.DirFS(filepath.Join(root, name)), name)
	if err != nil {
		t.Fatal(err)
	}
	return table.Build(info, records)
}

func rows(t *testing.T, path string) (header []string, rows [][]string) {
	t.Helper()
	f, err := os.Open(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[0], all[1:]
}

func texts(row table.Row) (list []string) {
	for _, c := range row.Cells {
		list = append(list, c.Text)
	}
	return list
}

func heads(t table.Table) (list []string) {
	for _, c := range t.Columns {
		list = append(list, c.Head())
	}
	return list
}

// TestCCP14 finds every cell of the page's three tables again, 73 x 15, under
// its own heading and in its place. The first table has no failed requests.
func TestCCP14(t *testing.T) {
	report := read(t, "ccp14-2001")
	header, printed := rows(t, "ccp14-2001/table.csv")
	const failed = 7 // the column, behind that of the table's number
	cells, at := 0, map[string]int{}
	for _, row := range printed {
		n := int(row[0][0] - '1')
		want, heading := row[1:], header[1:]
		if n == 0 {
			if row[failed+1] != "" {
				t.Fatalf("the first table has failed requests: %q", row)
			}
			want = slices.Delete(slices.Clone(want), failed, failed+1)
			heading = slices.Delete(slices.Clone(heading), failed, failed+1)
		}
		shown := report.Tables[n]
		if !slices.Equal(heads(shown), heading) {
			t.Fatalf("table %d: headings %q, want %q", n+1, heads(shown), heading)
		}
		if got := texts(shown.Rows[at[row[0]]]); !slices.Equal(got, want) {
			t.Errorf("table %s, row %d:\ngot  %q\nwant %q", row[0], at[row[0]]+1, got, want)
		}
		at[row[0]]++
		cells += len(row) - 1
	}
	if cells != 73*15 || at["1"] != 27 || at["2"] != 19 || at["3"] != 27 || len(report.Tables) != 3 {
		t.Errorf("%d cells in tables of %v rows", cells, at)
	}
	for i, n := range at {
		if shown := report.Tables[i[0]-'1']; len(shown.Rows) != n {
			t.Errorf("table %s has %d rows, want %d", i, len(shown.Rows), n)
		}
	}
}

// TestValues holds what is read from a cell against what stands in it.
func TestValues(t *testing.T) {
	_, records, err := Read(os.DirFS(filepath.Join(root, "ccp14-2001")), "ccp14-2001")
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[bench.Key]bench.Record{}
	for _, r := range records {
		byKey[r.Cell.Key] = r
	}
	for _, c := range []struct {
		key, metric string
		want        float64
		none        bool
	}{
		{"OS=Redhat 7.0,Kernel Tweaked?=No,file=small,concurrency=250,requests=2500", "time_s", 3.8, false},
		{"OS=Redhat 7.0,Kernel Tweaked?=No,file=small,concurrency=250,requests=2500", "requests_per_second", 651, false},
		{"OS=Redhat 7.0,Kernel Tweaked?=No,file=small,concurrency=250,requests=2500", "bytes_per_second", 1207000, false},
		{"OS=Redhat 7.0,Kernel Tweaked?=No,file=small,concurrency=10,requests=1000", "load_average", 0.5, false},
		{"OS=Redhat 7.0,Kernel Tweaked?=No,file=medium,concurrency=10,requests=1000", "zombies", 1, false},
		{"OS=Redhat 7.0,Kernel Tweaked?=No,file=small,concurrency=250,requests=250", "multi_times", 0, true},
		{`OS=FreeBSD 4.2,Kernel Tweaked?=No,file=small,concurrency=150,requests=150`, "multi_times", 0, true}, // "6" of words
		{"OS=Redhat 7.0,Kernel Tweaked?=No,file=small,concurrency=10,requests=10", "failed", 0, true},
		{"OS=Redhat 7.0,Kernel Tweaked?=No,file=small,concurrency=1025,requests=1025", "time_s", 0, true},
	} {
		r, ok := byKey[bench.Key(c.key)]
		if !ok {
			t.Fatalf("no cell %s", c.key)
		}
		v := r.AsPrinted[c.metric].Value
		if (v == nil) != c.none || (v != nil && *v != c.want) {
			t.Errorf("%s %s: %v, want %v", c.key, c.metric, v, c.want)
		}
	}
	failed := 0
	for _, r := range records {
		if r.State == bench.StateFailed {
			failed++
		}
		if r.State == bench.StateFailed && r.Reason == "" || r.Issued != 0 {
			t.Errorf("%s: %s %q, %d issued", r.Cell.Key, r.State, r.Reason, r.Issued)
		}
	}
	if failed != 12 {
		t.Errorf("%d failed cells, want 12", failed)
	}
}

// TestSolaris finds both tables again, metrics down and systems across, under
// the headings that were printed.
func TestSolaris(t *testing.T) {
	report := read(t, "solaris-2002")
	header, printed := rows(t, "solaris-2002/table.csv")
	if len(report.Tables) != 2 || len(printed) != 18 {
		t.Fatalf("%d tables, %d rows", len(report.Tables), len(printed))
	}
	for i, row := range printed {
		shown := report.Tables[i/9]
		if shown.Caption != row[0] {
			t.Errorf("table %q, want %q", shown.Caption, row[0])
		}
		if got := heads(shown)[1:]; !slices.Equal(got, header[2:]) {
			t.Errorf("headings %q, want %q", got, header[2:])
		}
		if got := texts(shown.Rows[i%9]); !slices.Equal(got, row[1:]) {
			t.Errorf("row %d:\ngot  %q\nwant %q", i+1, got, row[1:])
		}
	}
}

// TestSolarisCharts holds what the charts of both tables draw against the rows
// that they are of.
func TestSolarisCharts(t *testing.T) {
	report := read(t, "solaris-2002")
	_, printed := rows(t, "solaris-2002/table.csv")
	at := []table.Tick{{At: 60, Text: "1m"}, {At: 300, Text: "5m"}, {At: 900, Text: "15m"}, {At: 1800, Text: "30m"}, {At: 3600, Text: "1h"}}
	for i, shown := range report.Tables {
		if len(shown.Charts) != 3 {
			t.Fatalf("%s has %d charts", shown.Caption, len(shown.Charts))
		}
		for j, c := range shown.Charts {
			row := printed[9*i+j]
			want := table.Chart{Kind: bench.Lines, Title: row[0] + ": " + row[1], About: c.About, XLabel: "Duration", YLabel: row[1], Ticks: at, XLog: true,
				YLog: row[1] == "FR/ms" && i == 0, Series: []table.Series{{Name: "Solaris 2.6"}, {Name: "Solaris 8"}}}
			for k, text := range row[2:] {
				y, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				want.Series[k%2].Points = append(want.Series[k%2].Points, table.Point{X: at[k/2].At, Y: &y})
			}
			if d := cmp.Diff(want, c); d != "" {
				t.Error(d)
			}
		}
	}
	const said = "Lines of FR/ms by Duration, 1m to 1h. Solaris 2.6: 5.81 to 6082. Solaris 8: 6.65 to 16.26."
	if got := report.Tables[0].Charts[2].About; got != said {
		t.Errorf("about: %s", got)
	}
}

func TestZeusBench(t *testing.T) {
	report := read(t, "zeusbench-1998")
	header, printed := rows(t, "zeusbench-1998/table.csv")
	shown := report.Tables[0]
	for i, row := range printed {
		got := map[string]string{}
		for j, text := range texts(shown.Rows[i]) {
			got[heads(shown)[j]] = text
		}
		for j, want := range row {
			if got[header[j]] != want {
				t.Errorf("row %d, %s: %q, want %q", i+1, header[j], got[header[j]], want)
			}
		}
	}
}

// cell is the text of a table in the row and under the heading that begin so.
func cell(t *testing.T, of table.Table, row, heading string) string {
	t.Helper()
	for _, r := range of.Rows {
		if !strings.HasPrefix(r.Cells[0].Text, row) {
			continue
		}
		for i, c := range of.Columns {
			if strings.HasPrefix(c.Head(), heading) {
				return r.Cells[i].Text
			}
		}
	}
	t.Errorf("%s has no %q, %q", of.Caption, row, heading)
	return ""
}

// TestLogs holds the tables of the ab logs against what the logs say.
func TestLogs(t *testing.T) {
	rhel, tomcat := read(t, "rhel-2010"), read(t, "tomcat-2004")
	for _, c := range []struct {
		of                 table.Table
		row, heading, want string
	}{
		{rhel.Tables[0], "RHEL 5", "Reported requests per second", "9426.71"},
		{rhel.Tables[0], "RHEL 6", "Reported requests per second", "5595.64"},
		{rhel.Tables[0], "RHEL 6", "Time taken", "17.87"},
		{rhel.Tables[0], "RHEL 6", "Ratio to the baseline", "0.5936"},
		{rhel.Tables[0], "RHEL 6", "Slower than the baseline", "40.64"},
		{rhel.Tables[0], "RHEL 5", "Server header", "Apache/2.2.3"},
		{rhel.Tables[0], "RHEL 6", "Completed", "100000"},
		{rhel.Tables[1], "Processing, max", "RHEL 5", "24"},
		{rhel.Tables[1], "Processing, max", "RHEL 6", "277"},
		{rhel.Tables[1], "Connect, +/-sd", "RHEL 6", "0.2"},
		{rhel.Tables[1], "Waiting, max", "RHEL 5", "23"},
		{rhel.Tables[1], "Total, median", "RHEL 6", "1"},
		{rhel.Tables[2], "50 %", "RHEL 6", "1"},
		{rhel.Tables[2], "100 %", "RHEL 5", "24"},
		{tomcat.Tables[0], "Apache alone", "Reported requests per second", "1202.65"},
		{tomcat.Tables[0], "Tomcat alone", "Slower than the baseline", "26.57"},
		{tomcat.Tables[0], "Apache + jk", "Slower than the baseline", "24.63"},
		{tomcat.Tables[0], "Apache + mod_proxy", "Slower than the baseline", "60.27"},
		{tomcat.Tables[0], "Apache + mod_proxy", "Time per request", "32.14"},
		{tomcat.Tables[1], "Apache + mod_proxy", "Failed: non-2xx", "8046"},
		{tomcat.Tables[1], "Apache + mod_proxy", "Failed: length", "0"},
		{tomcat.Tables[1], "Tomcat alone", "Failed", "0"},
	} {
		if got := cell(t, c.of, c.row, c.heading); got != c.want {
			t.Errorf("%s, %s, %s: %q, want %q", c.of.Caption, c.row, c.heading, got, c.want)
		}
	}
	for report, code := range map[*table.Report]string{rhel: "tool-warning", tomcat: "never-kept"} {
		if !slices.ContainsFunc(report.Notes, func(n table.Footnote) bool { return n.Code == code }) {
			t.Errorf("%s: no note %s", report.Title, code)
		}
	}
}

const small = `{"plan": {"title": "T", "labels": ["OS"], "files": [{"name": "f", "size_bytes": 10}]}, "driver": "ab", "load": {"method": "GET"},
	"table": {"file": "t.csv", "columns": [{"column": "os", "label": "OS"}, {"column": "file", "axis": "file"}, {"column": "c", "axis": "concurrency"}, {"column": "took", "metric": "time_s"}]}}`

func TestErrorsNameThePlace(t *testing.T) {
	for _, c := range []struct{ mapping, csv, want string }{
		{small, "os,file,c,took\na,f,1,2\n", ""},
		{small, "os,file,took,c\na,f,1,2\n", `t.csv:1: column 3 is "took", and in the mapping "c"`},
		{small, "os,file,c\na,f,1\n", "t.csv:1: it has 3 columns, and the mapping 4"},
		{small, "os,file,c,took\na,g,1,2\n", `t.csv: row 1: the plan has no file "g"`},
		{small, "os,file,c,took\na,f,1,2\na,f,x,2\n", `t.csv: row 2: "x" is not a whole number`},
		{small, "os,file,c,took\na,f,1,2\na,f,1,3\n", `is printed as "2" and as "3"`},
		{small, "os,file,c,took\na,f,1\n", "wrong number of fields"},
		{small, "os,file,c,took\n", "hold no figures"},
		{small, "", "reading the header"},
		{strings.Replace(small, `"metric": "time_s"`, `"cell": {"os": "a"}`, 1), "os,file,c,took\na,f,1,2\n", "column took: its cell has a name"},
		{`{"plam": {}}`, "", `unknown field "plam"`},
		{`{"plan": {}}`, "", "either a table or logs"},
		{`{"plan": {}, "logs": [{"file": "x"}]}`, "", "x"},
		{`[`, "", "reading mapping.json"},
		{small + "{}", "os,file,c,took\na,f,1,2\n", "there is more behind its object"},
	} {
		_, _, err := Read(fstest.MapFS{MappingName: {Data: []byte(c.mapping)}, "t.csv": {Data: []byte(c.csv)}}, "small")
		if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.40q %q: error %v, want %q", c.mapping, c.csv, err, c.want)
		}
	}
}

// FuzzTable reads tables of strangers: each record is whole and one of its kind,
// and every value is a number that stands in its text.
func FuzzTable(f *testing.F) {
	f.Add("os,file,c,took\na,f,1,2\n")
	f.Add("os,file,c,took\n\"a,\nb\",f,7,..5 = 1.5\n")
	f.Fuzz(func(t *testing.T, text string) {
		info, records, err := Read(fstest.MapFS{MappingName: {Data: []byte(small)}, "t.csv": {Data: []byte(text)}}, "small")
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, r := range records {
			if seen[r.ID()] || r.State == "" || r.Round != 1 || r.Cell.System >= len(info.Plan.Systems) || r.Check() != nil {
				t.Errorf("%+v", r)
			}
			seen[r.ID()] = true
			for name, figure := range r.AsPrinted {
				if figure.Value != nil && !strings.ContainsAny(figure.Text, "0123456789") {
					t.Errorf("%s: %q is %v", name, figure.Text, *figure.Value)
				}
			}
		}
	})
}
