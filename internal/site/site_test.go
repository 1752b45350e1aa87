package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/html"

	"matrix/internal/bench"
	"matrix/internal/results"
	"matrix/internal/table"
)

var firstNight = time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)

// night writes a run of a scenario of one system and the given cells, whose
// rounds took the given milliseconds; 0 is a failed round.
func night(t testing.TB, root, scenario string, n int, cells map[string][]int) (dir string) {
	t.Helper()
	started := firstNight.AddDate(0, 0, n)
	finished := started.Add(time.Hour)
	info := bench.RunInfo{
		ID: scenario + "/" + started.Format("20060102T150405Z"), Started: started, Finished: &finished, Command: []string{"matrix", "run", scenario + ".yaml"},
		Plan: bench.Plan{Scenario: scenario, Title: "Nights of " + scenario, Labels: []string{"Server"}, Axes: []bench.Axis{{Name: "file"}}},
	}
	var records []bench.Record
	for i, file := range slices.Sorted(maps.Keys(cells)) {
		labels := []bench.Pair{{Name: "Server", Value: "nginx"}}
		point := []bench.Pair{{Name: "file", Value: file}}
		cell := bench.Cell{Key: bench.KeyOf(append(slices.Clone(labels), point...)), Digest: "d", Labels: labels, Axes: point, Point: i, Driver: "fake"}
		info.Plan.Cells = append(info.Plan.Cells, cell)
		for round, ms := range cells[file] {
			r := bench.Record{Trial: bench.Trial{Cell: cell, Round: round + 1}, Started: started, State: bench.StateOK}
			r.Issued, r.OK, r.Elapsed = 1000, 1000, time.Duration(ms)*time.Millisecond
			if ms == 0 {
				r.State, r.Reason, r.Issued, r.OK, r.Raw = bench.StateFailed, "connection refused", 0, 0, "t.txt"
			}
			records = append(records, r)
		}
	}
	dir = filepath.Join(root, scenario, started.Format("20060102T150405Z"))
	if err := results.Write(dir, info, records); err != nil {
		t.Fatal(err)
	}
	return dir
}

func options(t testing.TB) Options {
	t.Helper()
	top := t.TempDir()
	o := Options{Results: filepath.Join(top, "results"), Dir: filepath.Join(top, "site"), Program: "1"}
	o.Report = func(r *results.Run) *table.Report { return table.Build(r.Info(), r.Records()) }
	if err := os.Mkdir(o.Results, 0o755); err != nil {
		t.Fatal(err)
	}
	return o
}

func build(t testing.TB, o Options) *Made {
	t.Helper()
	made, err := Make(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func read(t testing.TB, o Options, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(o.Dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tree is every file of the site with its text, but for the manifest, whose
// stamps are of this very results folder.
func tree(t testing.TB, o Options) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(o.Dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == manifestName {
			return err
		}
		rel, err := filepath.Rel(o.Dir, p)
		all[filepath.ToSlash(rel)] = read(t, o, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func steady(ms int) []int { return slices.Repeat([]int{ms, ms + 1, ms + 2}, 4) }

func TestOnlyWhatChangedIsMade(t *testing.T) {
	o := options(t)
	for n := range 3 {
		night(t, o.Results, "night", n, map[string][]int{"small": steady(100), "large": steady(300)})
	}
	night(t, o.Results, "other", 1, map[string][]int{"small": steady(100)})
	if made := build(t, o); made.Runs != 4 || made.Pages != 9 { // 4 runs, 2 scenarios, a comparison, a history, the front
		t.Errorf("first pass: %d runs, %d pages made, want 4 and 9", made.Runs, made.Pages)
	}
	if made := build(t, o); made.Pages != 0 || len(made.Changed) != 0 {
		t.Errorf("nothing changed, and these were made: %v", made.Changed)
	}

	night(t, o.Results, "night", 3, map[string][]int{"small": steady(100), "large": steady(300)})
	want := []string{
		"feed.xml", "index.html", "night/20261103T030000Z/index.html", "night/20261104T030000Z/index.html",
		"night/20261104T030000Z/report-wide.csv", "night/20261104T030000Z/report.csv", "night/compare.html", "night/history.html", "night/index.html",
	}
	if made := build(t, o); !slices.Equal(made.Changed, want) {
		t.Errorf("a further night changed\n%v, want\n%v", made.Changed, want)
	}

	lost := []string{"night/20261102T030000Z/report.csv", "night/compare.html"}
	for _, name := range lost {
		if err := os.Remove(filepath.Join(o.Dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	if made := build(t, o); !slices.Equal(made.Changed, lost) {
		t.Errorf("%v were lost, and these were made: %v", lost, made.Changed)
	}

	o.Program = "2"
	if made := build(t, o); made.Pages != 0 {
		t.Errorf("another version that writes the same changed %v", made.Changed)
	}
	o.Title = "Other"
	if made := build(t, o); !slices.Contains(made.Changed, "index.html") {
		t.Errorf("another title changed %v", made.Changed)
	}
}

func TestSameResultsGiveTheSameBytes(t *testing.T) {
	o := options(t)
	for n := range 3 {
		night(t, o.Results, "night", n, map[string][]int{"small": steady(100 + 20*n), "large": {0}})
	}
	build(t, o)
	before := tree(t, o)
	o.Dir += "-again"
	build(t, o)
	after := tree(t, o)
	if len(before) != len(after) {
		t.Errorf("%d files, then %d", len(before), len(after))
	}
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s differs", name)
		}
	}
}

func TestWhatIsGoneIsRemoved(t *testing.T) {
	o := options(t)
	var dirs []string
	for n := range 3 {
		dirs = append(dirs, night(t, o.Results, "night", n, map[string][]int{"small": steady(100)}))
	}
	lone := night(t, o.Results, "lone", 0, map[string][]int{"small": steady(100)})
	build(t, o)
	guest := filepath.Join(o.Dir, "CNAME")
	if err := os.WriteFile(guest, []byte("bench.example.org\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dirs[0], filepath.Dir(lone)} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	made := build(t, o)
	if made.Removed != 11 { // 5 of each run, and the page of a scenario
		t.Errorf("removed %d files: %v", made.Removed, made.Changed)
	}
	for _, gone := range []string{"night/20261101T030000Z", "lone"} {
		if _, err := os.Stat(filepath.Join(o.Dir, gone)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there (%v)", gone, err)
		}
	}
	if _, err := os.Stat(guest); err != nil {
		t.Errorf("a file that is none of the site's: %v", err)
	}
	checkLinks(t, o)
}

func TestForeignFolders(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		foreign          bool
	}{
		{"a file", "notes.txt", "x", true},
		{"another manifest", manifestName, `{"name": "x"}`, true},
		{"no manifest at all", manifestName, `<html>`, true},
		{"a manifest that leads out", manifestName, `{"matrix_site": 1, "files": ["../../etc/passwd"]}`, true},
		{"a newer manifest", manifestName, `{"matrix_site": 2}`, true},
		{"a checkout", ".git/HEAD", "ref", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options(t)
			at := filepath.Join(o.Dir, c.file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(c.text), 0o644)); err != nil {
				t.Fatal(err)
			}
			_, err := Make(t.Context(), o)
			if errors.Is(err, ErrNotSite) != c.foreign {
				t.Errorf("error %v", err)
			}
			entries, err := os.ReadDir(o.Dir)
			if c.foreign && (err != nil || len(entries) != 1) {
				t.Errorf("it wrote there: %v, %v", entries, err)
			}
		})
	}
	o := options(t)
	o.Dir = o.Results
	if _, err := Make(t.Context(), o); !errors.Is(err, ErrNotSite) {
		t.Errorf("the results folder as a site: %v", err)
	}
}

// TestStrangers is a site of runs that mean no good, or are broken.
func TestStrangers(t *testing.T) {
	o := options(t)
	hostile := `<img src=x onerror=alert(1)> & "'`
	night(t, o.Results, hostile[1:3]+"e", 0, map[string][]int{hostile: steady(100)})
	dir := night(t, o.Results, "feed.xml", 0, map[string][]int{"small": {0, 0}})
	raw := filepath.Join(dir, "raw")
	for name, text := range map[string]string{"t.txt": "<script>alert(1)</script>", "page.html": "<script>alert(1)</script>", ".hidden": "x", "a b.txt": "x"} {
		if err := errors.Join(os.MkdirAll(raw, 0o755), os.WriteFile(filepath.Join(raw, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("key"), 0o600), os.Symlink(secret, filepath.Join(raw, "link.txt"))); err != nil {
		t.Fatal(err)
	}
	broken := night(t, o.Results, "Broken Ones", 0, map[string][]int{"small": steady(100)})
	if err := os.WriteFile(filepath.Join(broken, "journal.jsonl"), []byte("{}\n{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for scenario, header := range map[string]string{"ahead": "9999-12-31T23:59:59-23:59", "ago": "0000-01-01T00:00:00+01:00"} {
		dir := night(t, o.Results, scenario, 0, map[string][]int{"small": steady(100)})
		edit(t, filepath.Join(dir, headerFile), `"started": "2026-11-01T03:00:00Z"`, `"started": "`+header+`"`)
	}
	torn := night(t, o.Results, "torn", 0, map[string][]int{"small": steady(100)})
	appendTo(t, filepath.Join(torn, "journal.jsonl"), `{"cell":`)

	made := build(t, o)
	if len(made.Unreadable) != 1 || !strings.Contains(made.Unreadable[0], "journal.jsonl:1: not a record") {
		t.Errorf("unreadable: %q", made.Unreadable)
	}
	if again := build(t, o); len(again.Unreadable) != 1 || again.Pages != 0 {
		t.Errorf("again: unreadable %q, made %v", again.Unreadable, again.Changed)
	}
	for _, scenario := range []string{"ahead", "ago"} { // no time that anything can tell
		if !strings.Contains(read(t, o, scenario+"/index.html"), `<time datetime="2026-11-01T03:00:00Z">`) {
			t.Errorf("the run of %s is not told at the time of its folder", scenario)
		}
	}
	place := place("feed.xml")
	for name, want := range map[string]bool{"raw/t.txt": true, "raw/index.html": true, "raw/page.html": false, "raw/link.txt": false, "raw/.hidden": false, "raw/a b.txt": false} {
		if _, err := os.Stat(filepath.Join(o.Dir, place, filepath.Base(dir), name)); (err == nil) != want {
			t.Errorf("%s in the site: %v, want %v", name, err == nil, want)
		}
	}
	checkLinks(t, o)
	for name, text := range tree(t, o) {
		if strings.Contains(text, filepath.Dir(o.Results)) {
			t.Errorf("%s tells where the results are on this machine", name)
		}
	}

	o.NoRaw = true
	build(t, o)
	if _, err := os.Stat(filepath.Join(o.Dir, place, filepath.Base(dir), "raw")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("raw output is still there: %v", err)
	}
	checkLinks(t, o)
}

func edit(t testing.TB, name, from, to string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil || strings.Count(string(text), from) != 1 {
		t.Fatalf("%q in %s, %v", from, text, err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), from, to, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t testing.TB, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// checkLinks parses every page: what it links to is there, and nothing in it is
// of a stranger's making.
func checkLinks(t *testing.T, o Options) {
	t.Helper()
	pages := 0
	for name, text := range tree(t, o) {
		if path.Ext(name) != ".html" {
			continue
		}
		pages++
		top, err := html.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for n := range top.Descendants() {
			if n.Type == html.ElementNode && n.Data == "img" {
				t.Errorf("%s has an image", name)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s has a handler: %s", name, a.Val)
				}
				if a.Key == "href" || a.Key == "src" {
					checkLink(t, o, name, a.Val)
				}
			}
		}
	}
	if pages < 3 {
		t.Errorf("only %d pages", pages)
	}
}

func checkLink(t *testing.T, o Options, from, address string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || u.IsAbs() || strings.HasPrefix(u.Path, "/") {
		t.Errorf("%s links to %q, which is not relative (%v)", from, address, err)
		return
	}
	if u.Path == "" { // within the page
		return
	}
	to := path.Join(path.Dir(from), u.Path)
	if s, err := os.Stat(filepath.Join(o.Dir, filepath.FromSlash(to))); err != nil || !s.Mode().IsRegular() {
		t.Errorf("%s links to %s, which is not there (%v)", from, address, err)
	}
}

func TestManyRuns(t *testing.T) {
	o := options(t)
	const nights = mostDrawn + 3
	for n := range nights {
		night(t, o.Results, "night", n, map[string][]int{"small": {100}})
	}
	build(t, o)
	if n := strings.Count(read(t, o, indexName), "<time"); n != newest+1 {
		t.Errorf("the front page tells %d times, want those of %d runs and of one scenario", n, newest)
	}
	home := read(t, o, "night/index.html")
	if n := strings.Count(home, "<time"); n != nights {
		t.Errorf("the page of the scenario lists %d runs, want all", n)
	}
	if want := fmt.Sprintf("And %d more, in the lists of their scenarios.", nights-newest); !strings.Contains(read(t, o, indexName), want) {
		t.Error("the front page does not say that there are more")
	}
	for name, page := range map[string]string{"index": home, "history": read(t, o, "night/history.html")} {
		if !strings.Contains(page, fmt.Sprintf("Drawn are the newest %d of %d runs.", mostDrawn, nights)) {
			t.Errorf("the chart of the %s does not say that it leaves runs out", name)
		}
	}
}

func TestAnInterruptedPassIsTakenUp(t *testing.T) {
	o := options(t)
	for n := range 4 {
		night(t, o.Results, "night", n, map[string][]int{"small": steady(100)})
	}
	ctx, stop := context.WithCancel(t.Context())
	report := o.Report
	o.Report = func(r *results.Run) *table.Report {
		if _, err := os.Stat(filepath.Join(o.Dir, manifestName)); err != nil { // else a pass that is killed here is not taken up
			t.Error(err)
		}
		stop()
		return report(r)
	}
	if _, err := Make(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	o.Report = report
	build(t, o)
	checkLinks(t, o)
}

func TestPlace(t *testing.T) {
	seen := map[string]string{}
	for _, folder := range []string{"night", "Night", "feed.xml", "index.html", "site.json", "..", ".git", "a b", "a/b", "<b>", "", "ü", strings.Repeat("x", 300)} {
		got := place(folder)
		if !plainFolder.MatchString(got) || slices.Contains(ownNames, got) || seen[got] != "" {
			t.Errorf("place(%q) is %q, which is no name or that of %q", folder, got, seen[got])
		}
		seen[got] = folder + " "
	}
	if place("night") != "night" {
		t.Errorf("a plain name becomes %q", place("night"))
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"matrix_site": 1, "runs": {"a/b": {"files": ["a/b/index.html"]}}}`))
	f.Add([]byte(`{"matrix_site": 1, "files": ["../x", "/etc/passwd", "a\u0000b"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseManifest(text)
		if err != nil {
			if !errors.Is(err, ErrNotSite) {
				t.Errorf("error %v is of no kind", err)
			}
			return
		}
		for _, name := range m.all() {
			if !filepath.IsLocal(filepath.FromSlash(name)) {
				t.Errorf("lists %q", name)
			}
		}
		if m.Runs == nil || m.Scenarios == nil {
			t.Error("a manifest without maps")
		}
	})
}

// BenchmarkIncremental is a pass over 100 nights of 300 cells after one more, or
// over as many as MATRIX_SITE_NIGHTS says: CPU seconds, also of the first pass,
// and the bytes of the scenario's page.
func BenchmarkIncremental(b *testing.B) {
	nights := 100
	if n, err := strconv.Atoi(os.Getenv("MATRIX_SITE_NIGHTS")); err == nil {
		nights = n
	}
	o := options(b)
	cells := map[string][]int{}
	for i := range 300 {
		cells[fmt.Sprintf("f%03d", i)] = []int{100, 101, 102}
	}
	for n := range nights {
		night(b, o.Results, "night", n, cells)
	}
	began := cpuSeconds(b)
	build(b, o)
	first, used := cpuSeconds(b)-began, 0.0
	for n := nights; b.Loop(); n++ {
		b.StopTimer()
		night(b, o.Results, "night", n, cells)
		b.StartTimer()
		began := cpuSeconds(b)
		build(b, o)
		used += cpuSeconds(b) - began
	}
	b.ReportMetric(first, "first-cpu-s")
	b.ReportMetric(used/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(len(read(b, o, "night/index.html"))), "page-bytes")
}

// cpuSeconds is what the process has used.
func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// TestLinkOutOfTheSite: a link in the site's folder that leads out of it is not
// written through.
func TestLinkOutOfTheSite(t *testing.T) {
	o := options(t)
	night(t, o.Results, "nightly", 0, map[string][]int{"small": steady(100)})
	build(t, o)
	elsewhere := t.TempDir()
	place := filepath.Join(o.Dir, "nightly")
	if err := errors.Join(os.RemoveAll(place), os.Symlink(elsewhere, place)); err != nil {
		t.Fatal(err)
	}
	if _, err := Make(t.Context(), o); err == nil || !strings.Contains(err.Error(), "escapes") {
		t.Errorf("made through a link: %v", err)
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) != 0 {
		t.Errorf("written outside: %v, %v", left, err)
	}
}
