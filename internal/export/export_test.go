package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"matrix/internal/bench"
	"matrix/internal/table"
)

var update = flag.Bool("update", false, "write the golden files")

var reports = []struct {
	name  string
	build func() *table.Report
}{
	{"full", full}, {"repeated", repeated}, {"narrow", narrowed}, {"single", single}, {"hopeless", hopeless}, {"nothing", nothing},
}

func written(t *testing.T, export Exporter, r *table.Report) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := export(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	for _, f := range Formats {
		for _, r := range reports {
			if r.name == "narrow" && f.Name != "text" {
				continue // only a terminal has a width
			}
			if r.name == "repeated" && !slices.Contains([]string{"text", "html", "markdown", "junit", "github-action-benchmark"}, f.Name) {
				continue // as full, with more lines
			}
			t.Run(f.Name+"/"+r.name, func(t *testing.T) {
				got := withoutParts(written(t, f.Export, r.build()))
				if again := withoutParts(written(t, f.Export, r.build())); !bytes.Equal(got, again) {
					t.Error("the same data gave other bytes")
				}
				golden := filepath.Join("testdata", r.name+f.Ext)
				if *update {
					if err := os.WriteFile(golden, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("differs from %s; look at it and run with -update:\n%s", golden, got)
				}
				for _, word := range []string{"NaN", "Inf\"", "+Inf", "-0.00", "%!"} {
					if bytes.Contains(got, []byte(word)) {
						t.Errorf("%q in the output", word)
					}
				}
			})
		}
	}
}

func TestCSVReadBack(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(written(t, CSV, full()))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	head := strings.Join(rows[0], ",")
	const promised = "OS,Kernel Tweaked?,driver (label),driver,file,size_bytes,concurrency,requests,round,time_s,issued,completed,ok,failed," +
		"requests_per_second,reported_requests_per_second,bytes_per_second,connect_mean_ms,first_byte_mean_ms,latency_mean_ms,latency_p50_ms,latency_p99_ms," +
		"load_average,zombies,state,reason,duration_s,protocol,keep_alive,failed_non_2xx,"
	if !strings.HasPrefix(head, promised) {
		t.Errorf("header is %s", head)
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(rows[0]))); len(sorted) != len(rows[0]) {
		t.Errorf("names stand twice: %v", rows[0])
	}
	if len(rows) != 1+3*11 {
		t.Errorf("%d lines, want one header and 33 trials", len(rows))
	}
	get := func(row int, name string) string { return rows[row][slices.Index(rows[0], name)] }
	for _, c := range []struct {
		row        int
		name, want string
	}{
		{1, "OS", nasty}, {1, "round", "1"}, {3, "round", "3"}, {1, "size_bytes", "1500"}, {1, "issued", "100"}, {1, "ok", "100"}, {1, "failed", "0"},
		{1, "reported_requests_per_second", ""}, {4, "reported_requests_per_second", "1037"}, {4, "latency_p50_ms", "11"}, {4, "latency_p99_ms", "91"},
		{4, "connect_mean_ms", ""}, {1, "load_average", "1.4"}, {1, "zombies", "1"}, {1, "state", "ok"}, {1, "reason", ""}, {1, "duration_s", ""},
		{7, "state", "failed"}, {7, "requests_per_second", ""}, {7, "ok", ""}, {7, "failed", ""}, {7, "time_s", ""}, {7, "reason", "socket: Too many open files (24) | <i>"},
		{10, "requests", ""}, {10, "duration_s", "60"}, {10, "body_bytes", "9007199254740993"}, {10, "wire_bytes", "1152921504606846977"},
		{13, "Kernel Tweaked?", `'=HYPERLINK("http://192.0.2.1/")`}, {13, "multi_times", "4/5"}, {13, "multi_time_error", "'=cmd|' /C calc'!A0"},
		{22, "state", "degraded"}, {22, "failed_reset", "3"}, {22, "failed_connect", "0"}, {22, "remarks", "client-bound"},
		{25, "OS", "two\nlines\\x1b[31m\u202e"}, {25, "Kernel Tweaked?", "-5"}, {25, "driver (label)", "'+1"}, {25, "driver", "ab"},
	} {
		if got := get(c.row, c.name); got != c.want {
			t.Errorf("row %d, %s: got %q, want %q", c.row, c.name, got, c.want)
		}
	}
	if rate := get(1, "requests_per_second"); !strings.HasPrefix(rate, "1037.") || len(rate) < 10 {
		t.Errorf("rate %q lacks precision", rate)
	}
}

func TestInert(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "plain": "plain", "=1+1": "'=1+1", "+1": "'+1", "@a": "'@a", "-5": "-5", "-5.25": "-5.25", "-": "'-", "-5.": "'-5.", "-a": "'-a", "\t=1": "'\t=1", "＝1": "'＝1", "a=b": "a=b",
	} {
		if got := inert(s); got != want {
			t.Errorf("inert(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestJSONReadBack(t *testing.T) {
	var back struct {
		Tables []struct {
			Rows []struct {
				State string
				Cells []struct {
					Text  string
					Value *float64
				}
			}
		}
		Records []bench.Record
		Info    bench.RunInfo
	}
	text := written(t, JSON, full())
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if got := back.Records[9].WireBytes; got != 1<<60+1 {
		t.Errorf("wire bytes came back as %d", got)
	}
	if !bytes.Contains(text, []byte("1152921504606846977")) || bytes.Contains(text, []byte("<")) {
		t.Error("a counter lost digits, or < stands unescaped")
	}
	if n := len(back.Tables[0].Rows); n != 11 || back.Tables[0].Rows[2].State != "failed" {
		t.Errorf("%d rows, third is %q", n, back.Tables[0].Rows[2].State)
	}
	if back.Info.ID != "sample/20261130T143000Z" {
		t.Errorf("run is %q", back.Info.ID)
	}
}

func TestMarkdownStaysInItsCells(t *testing.T) {
	for line := range strings.SplitSeq(string(written(t, Markdown, full())), "\n") {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		bars := strings.Count(line, "|") - strings.Count(line, `\|`)
		if bars != 18 {
			t.Errorf("%d bars in %s", bars, line)
		}
	}
	for s, want := range map[string]string{
		"a|b": `a\|b`, "`x`": "\\`x\\`", "1. x": `1\. x`, "1.5 kB": "1.5 kB", "# x": `\# x`, "<b>&": "&lt;b&gt;&amp;", "a\nb": "a b", `\|`: `\\\|`, "- x": `\- x`,
	} {
		if got := inline(s); got != want {
			t.Errorf("inline(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestTextFits(t *testing.T) {
	for _, width := range []int{60, 80, 100, 120, 200} {
		r := full()
		r.Width = width
		text := string(written(t, Text, r))
		for line := range strings.SplitSeq(text, "\n") {
			if w := displaywidth.String(line); w > max(width, 78) { // what must stay needs 78
				t.Errorf("at %d columns a line takes %d: %s", width, w, line)
			}
		}
		if strings.ContainsAny(text, "\x1b\r\u202e") {
			t.Error("an escape came through")
		}
		if !strings.Contains(text, " Requests") || !strings.Contains(text, "Errors") {
			t.Errorf("at %d columns a column that matters is gone", width)
		}
	}
}

func TestTextAlignsByDisplayWidth(t *testing.T) {
	lines := strings.Split(string(written(t, Text, full())), "\n")
	var at []int
	for _, line := range lines {
		if before, _, ok := strings.Cut(line, "143 kB  1025"); ok {
			at = append(at, displaywidth.String(before))
		}
	}
	if len(at) != 3 || slices.Min(at) != slices.Max(at) {
		t.Errorf("sizes start at columns %v", at)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrorsAreTold(t *testing.T) {
	for _, f := range Formats {
		if err := f.Export(brokenPipe{}, full()); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: got %v", f.Name, err)
		}
	}
}

// unspelled undoes spelled, as docs/formats.md tells readers of CSV to.
func unspelled(s string) string {
	return spelling.ReplaceAllStringFunc(s, func(e string) string {
		if e == `\\` {
			return `\`
		}
		n, _ := strconv.ParseUint(e[2:], 16, 8)
		return string([]byte{byte(n)})
	})
}

var spelling = regexp.MustCompile(`\\\\|\\x[0-9a-f]{2}`)

func FuzzWords(f *testing.F) {
	for _, s := range []string{nasty, "=1", "|", "a\nb", "\xff", "日本", "</title>", "`", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l := labels("A", s, s+"x", "1")
		c := newCell(0, 0, l, point{file: small, conns: 1, requests: 1, driver: "native"})
		r := table.Build(info([][]bench.Pair{l}, 1), []bench.Record{bad(c, 1, bench.StateFailed, s)})
		rows, err := csv.NewReader(bytes.NewReader(written(t, CSV, r))).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("csv: %d rows, %v", len(rows), err)
		}
		if got, want := rows[1][0], strings.ReplaceAll(inert(spelled(s)), "\r\n", "\n"); got != want || unspelled(spelled(s)) != s {
			t.Errorf("csv: %q came back as %q, and %q", want, got, unspelled(spelled(s)))
		}
		if strings.ContainsFunc(rows[1][0], control) {
			t.Errorf("csv holds control characters: %q", rows[1][0])
		}
		if !json.Valid(written(t, JSON, r)) {
			t.Error("json is not valid")
		}
		plain := string(written(t, Text, r))
		if strings.ContainsAny(plain, "\x00\x1b\r\t\u202e") {
			t.Errorf("text holds control characters: %q", plain)
		}
		for line := range strings.SplitSeq(string(written(t, Markdown, r)), "\n") {
			if strings.HasPrefix(line, "| ") && !strings.HasSuffix(line, "|") {
				t.Errorf("markdown row broken: %q", line)
			}
		}
		checkPage(t, written(t, HTML, r))
	})
}

// BenchmarkTenThousandCells says how long the page of a huge run takes.
func BenchmarkTenThousandCells(b *testing.B) {
	var systems [][]bench.Pair
	var records []bench.Record
	for s := range 10 {
		l := labels("Server", strings.Repeat("x", s+1))
		systems = append(systems, l)
		for i := range 1000 {
			r := good(newCell(s, i, l, point{file: small, conns: i + 1, requests: 1000, driver: "native"}), 1, float64(1000+i))
			r.Latency, r.FirstByte, r.Connect = nil, nil, nil
			records = append(records, r)
		}
	}
	run := info(systems, 1)
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			table.Build(run, records)
		}
	})
	r := table.Build(run, records)
	for _, f := range Formats {
		b.Run(f.Name, func(b *testing.B) {
			for b.Loop() {
				if err := f.Export(&bytes.Buffer{}, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
