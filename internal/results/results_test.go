package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"

	"github.com/google/go-cmp/cmp"
)

var start = time.Date(2026, 11, 30, 14, 30, 0, 0, time.UTC)

func trial(key string, round int) bench.Trial {
	return bench.Trial{Cell: bench.Cell{Key: bench.Key(key), Digest: "d1", Driver: "fake"}, Round: round}
}

func record(key string, round int) bench.Record {
	h := hist.New(0)
	h.Record(3 * time.Millisecond)
	return bench.Record{
		Trial: trial(key, round), Started: start, State: bench.StateOK,
		Measurement: bench.Measurement{Elapsed: time.Second, Issued: 1, OK: 1, Latency: h},
	}
}

func create(t *testing.T, root, scenario string) *Run {
	t.Helper()
	r, err := Create(root, bench.RunInfo{Started: start, Plan: bench.Plan{Scenario: scenario}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func appendAll(t *testing.T, r *Run, records ...bench.Record) {
	t.Helper()
	for _, record := range records {
		if err := r.Append(record); err != nil {
			t.Fatal(err)
		}
	}
}

func ids(records []bench.Record) (ids []string) {
	for _, r := range records {
		ids = append(ids, r.ID())
	}
	return ids
}

func TestLayout(t *testing.T) {
	root := t.TempDir()
	a, b := create(t, root, "quick"), create(t, root, "quick")
	if want := filepath.Join(root, "quick", "20261130T143000Z"); a.Dir() != want {
		t.Errorf("first run is in %s, not %s", a.Dir(), want)
	}
	if want := filepath.Join(root, "quick", "20261130T143000Z-2"); b.Dir() != want {
		t.Errorf("second run of the same second is in %s, not %s", b.Dir(), want)
	}
	if got := b.Info().ID; got != "quick/20261130T143000Z-2" {
		t.Errorf("ID is %q", got)
	}
	if got := b.Info().Version; got != 1 {
		t.Errorf("Version is %d", got)
	}
}

// TestClockBack: a run before which there is a later one is told so, and has a
// folder of its own.
func TestClockBack(t *testing.T) {
	root := t.TempDir()
	first := create(t, root, "quick")
	if n := first.Info().Notes; len(n) != 0 {
		t.Errorf("notes of the first run: %+v", n)
	}
	for i := range 2 {
		r, err := Create(root, bench.RunInfo{Started: start.Add(-time.Hour), Plan: bench.Plan{Scenario: "quick"}})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		name := []string{"20261130T133000Z", "20261130T133000Z-2"}[i]
		want := "the clock says " + name + ", but 20261130T143000Z is a run of this scenario that is later: 'latest' means that one"
		if n := r.Info().Notes; filepath.Base(r.Dir()) != name || len(n) != 1 || n[0].Code != "clock-back" || n[0].Text != want {
			t.Errorf("%s: notes %+v", r.Dir(), n)
		}
	}
	if dir, err := Latest(root, "quick"); err != nil || dir != first.Dir() {
		t.Errorf("latest is %s, %v", dir, err)
	}
}

func TestKept(t *testing.T) {
	r := create(t, t.TempDir(), "quick")
	cut := record("c=2", 1)
	cut.State = bench.StateInterrupted
	appendAll(t, r, record("c=1", 1), cut)
	if got, ok := r.Kept(trial("c=1", 1)); !ok || got.ID() != "c=1#1" || got.State != bench.StateOK {
		t.Errorf("%s %s, %v", got.ID(), got.State, ok)
	}
	for _, id := range []bench.Trial{trial("c=2", 1), trial("c=1", 2)} {
		if got, ok := r.Kept(id); ok || got.State != "" {
			t.Errorf("%s is kept: %+v", id.ID(), got)
		}
	}
}

func TestAppendAndOpen(t *testing.T) {
	r := create(t, t.TempDir(), "quick")
	appendAll(t, r, record("c=1", 1), record("c=2", 1))
	read, err := Open(r.Dir()) // while r still writes
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c=1#1", "c=2#1"}, ids(read.Records())); diff != "" {
		t.Error(diff)
	}
	if max, ok := read.Records()[0].Latency.Max(); !ok || max != 3*time.Millisecond {
		t.Errorf("latency of a record read back: %v, %v", max, ok)
	}
	if err := read.Append(record("c=3", 1)); err == nil || !strings.Contains(err.Error(), "opened to be read") {
		t.Errorf("appending to a run that was opened: %v", err)
	}
}

// A night of thousands of trials stays in memory until its reports are written.
func TestDistributionsAreKeptPacked(t *testing.T) {
	r := create(t, t.TempDir(), "s")
	inUse := func() (bytes uint64) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const trials, most = 100, 1 << 20 // laid out, one distribution takes some 200 kB
	before := inUse()
	for i := range trials {
		appendAll(t, r, record("k", i+1))
	}
	if grown := int64(inUse()) - int64(before); grown > most {
		t.Errorf("%d records take %d bytes, more than %d", trials, grown, most)
	}
	runtime.KeepAlive(r)
}

func TestDone(t *testing.T) {
	r := create(t, t.TempDir(), "quick")
	interrupted, failed, skipped := record("c=2", 1), record("c=3", 1), record("c=4", 1)
	interrupted.State, failed.State, skipped.State = bench.StateInterrupted, bench.StateFailed, bench.StateSkipped
	appendAll(t, r, record("c=1", 1), interrupted, failed, skipped)
	edited := trial("c=1", 1)
	edited.Cell.Digest = "d2"
	for _, c := range []struct {
		name  string
		trial bench.Trial
		want  bool
	}{
		{"ok", trial("c=1", 1), true},
		{"another round", trial("c=1", 2), false},
		{"edited since", edited, false},
		{"interrupted", trial("c=2", 1), false},
		{"failed", trial("c=3", 1), true},
		{"skipped", trial("c=4", 1), true},
	} {
		if got := r.Done(c.trial); got != c.want {
			t.Errorf("%s: Done is %v", c.name, got)
		}
	}
	appendAll(t, r, record("c=2", 1))
	if !r.Done(trial("c=2", 1)) {
		t.Error("an interrupted trial that ran again is not done")
	}
	if diff := cmp.Diff([]string{"c=1#1", "c=3#1", "c=4#1", "c=2#1"}, ids(r.Records())); diff != "" {
		t.Errorf("of one trial the last record wins: %s", diff)
	}
}

func TestLock(t *testing.T) {
	r := create(t, t.TempDir(), "quick")
	_, err := Resume(r.Dir())
	want := fmt.Sprintf("locking run: %s is being written by another matrix (process %d); wait for it or end it first", r.Dir(), os.Getpid())
	if err == nil || err.Error() != want {
		t.Fatalf("resuming a run that is under way: %v, not %s", err, want)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Resume(r.Dir())
	if err != nil {
		t.Fatalf("resuming after the end: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// A kill may stop an append after any byte: whatever is left, the whole
// records survive, and the next one stands on a line of its own.
func TestTornAnywhere(t *testing.T) {
	r := create(t, t.TempDir(), "quick")
	appendAll(t, r, record("c=1", 1))
	path := filepath.Join(r.Dir(), journalName)
	first := readFile(t, path)
	appendAll(t, r, record("c=2", 1))
	both := readFile(t, path)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for cut := len(first) + 1; cut < len(both); cut += 1 + (len(both)-len(first))/40 {
		writeFile(t, path, both[:cut])
		opened, err := Open(r.Dir())
		if err != nil || len(opened.Records()) != 1 || len(opened.Notes()) != 1 {
			t.Fatalf("opening with %d bytes: %v", cut, err)
		}
		if got := readFile(t, path); got != both[:cut] {
			t.Fatalf("opening with %d bytes wrote to the journal", cut)
		}
		resumed, err := Resume(r.Dir())
		if err != nil {
			t.Fatal(err)
		}
		if n := resumed.Notes(); len(n) != 1 || n[0].Code != "torn-line" {
			t.Fatalf("no notice of the torn line: %v", n)
		}
		appendAll(t, resumed, record("c=2", 1))
		if err := resumed.Close(); err != nil {
			t.Fatal(err)
		}
		if got := readFile(t, path); got != both {
			t.Fatalf("after a cut at %d the journal is not as it was undisturbed:\n%s", cut, got)
		}
	}
}

func TestFormat(t *testing.T) {
	r := create(t, t.TempDir(), "quick")
	r.Close()
	path := filepath.Join(r.Dir(), headerName)
	writeFile(t, path, `{"version": 2}`)
	want := fmt.Sprintf("reading header: %s: its format is 2; this matrix reads 1 to 1", path)
	if _, err := Open(r.Dir()); err == nil || err.Error() != want {
		t.Errorf("a newer format: %v, not %s", err, want)
	}
	if _, err := Open(filepath.Dir(r.Dir())); err == nil || !strings.Contains(err.Error(), "holds no run.json") {
		t.Errorf("a folder that is not a run: %v", err)
	}
}

func TestUpdate(t *testing.T) {
	r := create(t, t.TempDir(), "quick")
	info := r.Info()
	info.Finished = new(start.Add(time.Minute))
	if err := r.Update(info); err != nil {
		t.Fatal(err)
	}
	read, err := Open(r.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(info, read.Info()); diff != "" {
		t.Error(diff)
	}
}

// disk is a file on a device with room for so many more bytes.
type disk struct {
	text string
	room int
}

func (d *disk) Write(p []byte) (int, error) {
	n := min(len(p), d.room)
	d.text += string(p[:n])
	d.room -= n
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}
func (d *disk) Sync() error               { return nil }
func (d *disk) Truncate(size int64) error { d.text = d.text[:size]; return nil }
func (d *disk) Close() error              { return nil }

func TestDiskFull(t *testing.T) {
	line, _, err := encode(record("c=1", 1))
	if err != nil {
		t.Fatal(err)
	}
	d := &disk{room: len(line) + 10}
	r := &Run{dir: "run", index: map[string]int{}, journal: &journal{f: d}}
	appendAll(t, r, record("c=1", 1))
	err = r.Append(record("c=2", 1))
	if !errors.Is(err, syscall.ENOSPC) || err.Error() != "appending to journal: no space left on device" {
		t.Errorf("a full disk: %v", err)
	}
	if r.Done(trial("c=2", 1)) {
		t.Error("a record that is not on the disk counts as done")
	}
	d.room = 1 << 20
	appendAll(t, r, record("c=2", 1))
	s, err := readJournal(strings.NewReader(d.text), "journal")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c=1#1", "c=2#1"}, ids(s.records)); diff != "" {
		t.Errorf("once there is room again: %s", diff)
	}
}

func TestRaw(t *testing.T) {
	r := create(t, t.TempDir(), "quick")
	seen := map[string]bool{}
	for _, id := range []string{"c=1#1", "c=1#2", "C=1#1", "../../x#1", "a/b#1", strings.Repeat("x", 300) + "#1", "---"} {
		for range 2 { // a trial that is run again keeps what it printed before
			name, w, err := r.Raw(id)
			if err != nil {
				t.Fatal(err)
			}
			if seen[strings.ToLower(name)] || name != filepath.Base(name) || len(name) > 80 {
				t.Errorf("%s: %q is taken, unsafe or too long", id, name)
			}
			seen[strings.ToLower(name)] = true
			if _, err := fmt.Fprint(w, id); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got := readFile(t, filepath.Join(r.Dir(), rawName, name)); got != id {
				t.Errorf("%s holds %q, not %q", name, got, id)
			}
		}
	}
	name, w, err := r.Raw("silent#1")
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	if _, err := r.OpenRaw(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a tool that printed nothing left a file: %v", err)
	}
	if _, err := r.OpenRaw("../run.json"); err == nil {
		t.Error("a raw name left its folder")
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
