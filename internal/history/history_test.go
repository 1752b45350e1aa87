package history

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/results"
	"matrix/internal/table"
)

// slower is a grid of which one cell is 10 % slower from a night on.
func slower(cells, from int) grid {
	return grid{cells: cells, rounds: 2, rate: func(night, cell, round int) float64 {
		rate := 5000 * noise(0.02, night, cell, round)
		if cell == 3 && night >= from {
			rate *= 0.9
		}
		return rate
	}}
}

func TestStepOfOneCell(t *testing.T) {
	root := slower(20, 20).nights(t, 30)
	h := load(t, root, Options{})
	if h.Scenario != "nightly" || len(h.Runs) != 30 || len(h.Series) != 20 {
		t.Fatalf("got %d runs and %d series of %q", len(h.Runs), len(h.Series), h.Scenario)
	}
	if !h.Runs[0].Started.Equal(firstNight) || h.Runs[0].ID != "nightly/20260101T030000Z" {
		t.Errorf("the first run is %+v, not the oldest", h.Runs[0])
	}
	for i, s := range h.Series {
		switch {
		case i != 3 && len(s.Steps) > 0:
			t.Errorf("%s has steps that nobody planted: %+v", s.Key, s.Steps)
		case i == 3 && (len(s.Steps) != 1 || max(s.Steps[0].At-20, 20-s.Steps[0].At) > 1):
			t.Errorf("%s has the steps %+v, want one at 20", s.Key, s.Steps)
		}
	}
	change, _ := h.Series[3].Steps[0].Change()
	if math.Abs(change+0.1) > 0.02 {
		t.Errorf("the level changed by %v, want -0.1", change)
	}
	r := h.Report()
	if want := "Requests per second: the level moved and stayed in 1 of 20 cells."; r.Verdict[0] != want {
		t.Errorf("the verdict begins %q, want %q", r.Verdict[0], want)
	}
	if rows := r.Tables[0].Rows; rows[0].Key != h.Series[3].Key || rows[0].Finding == "" || rows[1].Finding != "" {
		t.Errorf("the cell that became slower is not the first row, or the only finding: %+v", rows[:2])
	}
}

// TestValues: medians of the rounds, failed nights, cells that come and go.
func TestValues(t *testing.T) {
	g := grid{cells: 3, rounds: 3, rate: func(night, cell, round int) float64 {
		switch {
		case cell == 1 && night == 1:
			return 0
		case cell == 2 && night > 0:
			return -1
		}
		return float64(1000*(night+1) + 10*round)
	}}
	h := load(t, g.nights(t, 3), Options{})
	want := map[bench.Key][]float64{
		"server=nginx,file=small,concurrency=1,requests=1000":  {1020, 2020, 3020},
		"server=apache,file=small,concurrency=1,requests=1000": {1020, math.NaN(), 3020},
		"server=nginx,file=small,concurrency=2,requests=1000":  {1020, math.NaN(), math.NaN()},
	}
	for _, s := range h.Series {
		for i, w := range want[s.Key] {
			switch v := s.Values[i]; {
			case (v == nil) != math.IsNaN(w):
				t.Errorf("%s, night %d: measured is %v", s.Key, i, v != nil)
			case v != nil && math.Abs(*v-w) > 0.01:
				t.Errorf("%s, night %d: %v, want %v", s.Key, i, *v, w)
			}
		}
	}
	if got := h.Series[1].States; !slices.Equal(got, []bench.State{"ok", "failed", "ok"}) {
		t.Errorf("states are %q", got)
	}
	if got := h.Series[2].States; !slices.Equal(got, []bench.State{"ok", "", ""}) {
		t.Errorf("states of the cell that went are %q", got)
	}
	for i, want := range []string{"▁▄█", "▁×█", "▅  "} {
		if got := h.Series[i].spark(); got != want {
			t.Errorf("cell %d is drawn %q, want %q", i, got, want)
		}
	}
}

func TestSectionsAreNotCompared(t *testing.T) {
	g := grid{cells: 2, rounds: 1, rate: func(night, cell, _ int) float64 {
		if cell == 0 && night >= 15 {
			return 500
		}
		return 1000 + float64(night%3)
	}, digest: func(night, cell int) string {
		if cell == 0 && night >= 15 {
			return "other"
		}
		return "d"
	}, info: func(night int, info *bench.RunInfo) {
		if night >= 20 {
			info.Host.Kernel = "Linux 6.6"
		}
	}}
	h := load(t, g.nights(t, 30), Options{})
	s := h.Series[0]
	if !slices.Equal(s.Sections, []int{15}) || len(s.Steps) != 0 || len(h.Series[1].Sections) != 0 {
		t.Errorf("sections %v and steps %+v, want one section at 15 and no step", s.Sections, s.Steps)
	}
	if got := s.spark(); strings.IndexRune(got, another) != len("█")*15 {
		t.Errorf("drawn %q, want a mark after 15 runs", got)
	}
	if want := []string{"kernel: Linux 6.1 -> Linux 6.6"}; !slices.Equal(h.Runs[20].Changes, want) || h.Runs[21].Changes != nil {
		t.Errorf("changes are %q, want %q once", h.Runs[20].Changes, want)
	}
	var notes []string
	for _, n := range h.Report().Notes {
		notes = append(notes, n.Text)
	}
	want := []string{"From 2026-01-21 03:00 on: kernel: Linux 6.1 -> Linux 6.6.",
		"From 2026-01-16 03:00 on the scenario asked for something else of 1 cell: values before and after are not compared."}
	if !slices.Equal(notes, want) {
		t.Errorf("notes are %q, want %q", notes, want)
	}
	if level, _ := s.level(); level != 500 {
		t.Errorf("the level is %v, want that of the section: 500", level)
	}
}

func TestOptions(t *testing.T) {
	g := slower(4, 99)
	root := g.nights(t, 5)
	h := load(t, root, Options{Where: "server=apache concurrency=2", Since: firstNight.AddDate(0, 0, 3), Metrics: []string{"time_s", "ok"}})
	if len(h.Runs) != 2 || len(h.Series) != 2 || h.Series[0].Metric != "time_s" || h.Series[1].Metric != "ok" {
		t.Fatalf("got %d runs, series %+v", len(h.Runs), h.Series)
	}
	if v := h.Series[1].Values[0]; v == nil || *v != 1000 {
		t.Errorf("ok is %v, want 1000", v)
	}
	for _, x := range []struct {
		o    Options
		want string
	}{
		{Options{Scenario: "other"}, "there are of nightly"},
		{Options{Metrics: []string{"nonsense"}}, `"nonsense"`},
		{Options{Metrics: []string{"errors"}}, "no metric with numbers"},
		{Options{Metrics: []string{"ok", "ok"}}, "named twice"},
		{Options{Where: "servr=nginx"}, "no label"},
		{Options{Where: "server=iis"}, "no cell has server=iis"},
		{Options{Since: firstNight.AddDate(1, 0, 0)}, "as young as that"},
	} {
		_, err := Load(root, x.o)
		if !errors.As(err, new(Mistake)) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: got %v, want a mistake with %q", x.o, err, x.want)
		}
	}
	if _, err := Load(t.TempDir(), Options{}); !errors.As(err, new(Mistake)) {
		t.Errorf("of no runs: %v, want a mistake", err)
	}
}

// TestUnreadableNight: one night that cannot be read costs itself only.
func TestUnreadableNight(t *testing.T) {
	root := slower(2, 99).nights(t, 3)
	journal := filepath.Join(root, "nightly", "20260102T030000Z", "journal.jsonl")
	if err := os.WriteFile(journal, []byte("nonsense\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h := load(t, root, Options{})
	if h.Runs[1].Problem == "" || h.Series[0].Values[1] != nil || h.Series[0].Values[0] == nil || h.Series[0].Values[2] == nil {
		t.Errorf("got %+v", h.Runs)
	}
	if n := h.Report().Notes; len(n) != 1 || n[0].Code != "unreadable" {
		t.Errorf("notes are %+v", n)
	}
	// Of it alone there is no history; and whoever asked made no mistake.
	alone := filepath.Join(t.TempDir(), "results")
	if err := os.CopyFS(filepath.Join(alone, "nightly", "20260102T030000Z"), os.DirFS(filepath.Dir(journal))); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(alone, Options{Where: "server=nginx"}); err == nil || errors.As(err, new(Mistake)) || !strings.Contains(err.Error(), "journal.jsonl:1") {
		t.Errorf("got %v, want an error that is no mistake of the options", err)
	}
}

// TestCharts: those cells whose level moved and no other; where none did, a few.
func TestCharts(t *testing.T) {
	for from, want := range map[int]int{10: 1, 99: fewCharts} {
		h := load(t, slower(20, from).nights(t, 20), Options{})
		groups := h.Report().Charts
		if len(groups) != 1 {
			t.Fatalf("slower from night %d on: %d groups of charts", from, len(groups))
		}
		if n := len(groups[0].Charts); n != want {
			t.Errorf("slower from night %d on: %d charts, want %d", from, n, want)
		}
	}
}

func TestIndex(t *testing.T) {
	g := slower(4, 2)
	root := g.nights(t, 4)
	fresh := load(t, root, Options{})
	dir := filepath.Join(root, "nightly", "20260102T030000Z")
	index := filepath.Join(dir, indexName)
	text, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string) {
		t.Helper()
		again := load(t, root, Options{})
		for i := range fresh.Series {
			for j, v := range fresh.Series[i].Values {
				if w := again.Series[i].Values[j]; (v == nil) != (w == nil) || v != nil && *v != *w {
					t.Errorf("%s: series %d, night %d differs", what, i, j)
				}
			}
			if !slices.Equal(fresh.Series[i].States, again.Series[i].States) {
				t.Errorf("%s: states of series %d differ", what, i)
			}
		}
	}
	same("from the index")
	for name, damaged := range map[string][]byte{
		"empty":   nil,
		"cut":     text[:len(text)/2],
		"altered": bytes.Replace(text, []byte("ok\t2"), []byte("ok\t3"), 1),
		"newer":   sealed(bytes.Replace(text, []byte(`{"index":1`), []byte(`{"index":9`), 1)),
	} {
		if err := os.WriteFile(index, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		same(name)
		if mended, _ := os.ReadFile(index); !bytes.Equal(mended, text) {
			t.Errorf("%s: the index was not made anew", name)
		}
	}
	load(t, root, Options{Metrics: []string{"latency_p66_ms"}})
	if wider, _ := os.ReadFile(index); !bytes.Contains(wider, []byte(`"latency_p66_ms"`)) || !bytes.Contains(wider, []byte(`"latency_p99_ms"`)) {
		t.Error("the index does not cover a further metric that was asked for, beside the usual ones")
	}
	same("with a further metric")

	// What another version may have looked for is looked for no more.
	odd := bytes.Replace(text, []byte(`"metrics":[`), []byte(`"metrics":["nonsense","errors",`), 1)
	odd = bytes.Replace(odd, []byte(`"stamp":"`), []byte(`"stamp":"stale `), 1)
	if err := os.WriteFile(index, sealed(odd), 0o644); err != nil {
		t.Fatal(err)
	}
	same("with unknown metrics")
	if mended, _ := os.ReadFile(index); !bytes.Equal(mended, text) {
		t.Error("the index was not made anew with the metrics that there are")
	}
}

// sealed gives a body that was tampered with a last line that fits.
func sealed(text []byte) []byte {
	i := bytes.LastIndex(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) + 1
	return append(slices.Clone(text[:i]), seal(text[:i])...)
}

func TestIndexFollowsTheJournal(t *testing.T) {
	g := slower(2, 99)
	root := g.nights(t, 2)
	load(t, root, Options{})
	g.rate = func(int, int, int) float64 { return 77 }
	g.write(t, root, 1)
	if v := load(t, root, Options{}).Series[0].Values[1]; v == nil || math.Abs(*v-77) > 0.01 {
		t.Errorf("after the run was written anew its value is %v, want 77", v)
	}
	run, err := results.Resume(filepath.Join(root, "nightly", "20260102T030000Z"))
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if err := run.Append(g.record(g.cell(1, 0), 1, 99)); err != nil {
		t.Fatal(err)
	}
	if v := load(t, root, Options{}).Series[0].Values[1]; v == nil || math.Abs(*v-88) > 0.01 {
		t.Errorf("after a further record the value is %v, want the median 88", v)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	root := slower(2, 99).nights(t, 2)
	dir := filepath.Join(root, "nightly", "20260101T030000Z")
	// A folder in its place keeps the index from being written, for root, too.
	if err := os.Mkdir(filepath.Join(dir, indexName), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if h := load(t, root, Options{}); h.Series[0].Values[0] == nil {
			t.Error("without an index nothing was measured")
		}
	}
}

func unknown(metric string) bool {
	m, known := table.Lookup(metric)
	return !known || m.Of == nil
}

func FuzzIndex(f *testing.F) {
	root := slower(3, 1).nights(f, 1)
	dir := filepath.Join(root, "nightly", "20260101T030000Z")
	if _, err := Load(root, Options{}); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, indexName))
	if err != nil {
		f.Fatal(err)
	}
	i := bytes.LastIndex(text[:len(text)-1], []byte("\n")) + 1
	f.Add(text[:i])
	f.Add([]byte("{\"index\":1,\"cells\":1,\"metrics\":[\"ok\"]}\nok\t1\td\tk=v\nok 1\n"))
	f.Add([]byte("{\"index\":1,\"cells\":999999999}\n"))
	stamp := results.Stamp(dir)
	f.Fuzz(func(t *testing.T, body []byte) {
		s, ok := parseIndex(append(slices.Clone(body), seal(body)...), stamp, []string{"ok"})
		if !ok {
			if s != nil && (len(s.covered) > len(indexed())+mostFurther || slices.ContainsFunc(s.covered, unknown)) {
				t.Errorf("covers %q", s.covered)
			}
			return
		}
		for _, c := range s.cells {
			if c.key == "" || c.rounds < 1 || !slices.Contains(bench.States, c.state) {
				t.Errorf("cell %+v", c)
			}
		}
		again, sound := formatIndex(stamp, s)
		if back, ok := parseIndex(again, stamp, []string{"ok"}); sound && (!ok || !slices.Equal(back.cells, s.cells) || len(back.values) != len(s.values)) {
			t.Errorf("written and read again: %+v, want %+v", back, s)
		}
		for name, values := range s.values {
			if len(values) != len(s.cells) || slices.ContainsFunc(values, func(v float64) bool { return math.IsInf(v, 0) }) {
				t.Errorf("%s: %v of %d cells", name, values, len(s.cells))
			}
		}
	})
}
