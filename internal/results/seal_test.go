package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matrix/internal/bench"
)

// TestBrokenLines: a line that is not what was written is named, its trial counts
// as not run, and the rest is read.
func TestBrokenLines(t *testing.T) {
	first, _, err := encode(record("c=1", 1))
	if err != nil {
		t.Fatal(err)
	}
	last, _, err := encode(record("c=1", 3))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(first), `"round":1`, `"round":2`, 1)
	for _, c := range []struct{ name, line, want string }{
		{"noise", "\x00\xff{", "it has no checksum"},
		{"blank", "", "it has no checksum"},
		{"null", "null", "it has no checksum"},
		{"changed", strings.TrimSpace(changed), "its checksum does not fit"},
		{"sealed, no round", string(seal([]byte(`{"cell":{"key":"c=1"},"state":"ok"}`))), "not a record: its round is 0, not 1 or more"},
		{"sealed, no state", string(seal([]byte(`{"cell":{"key":"c=1"},"round":1}`))), "not a record: it has no state"},
		{"two on one line", strings.TrimSpace(string(first)) + strings.TrimSpace(string(last)), "its checksum does not fit"},
		{"without its seal", `{"cell":{"key":"c=1"},"round":2,"state":"ok"}`, "it has no checksum, and a line before it has one"},
	} {
		for _, open := range []func(string) (*Run, error){Open, Resume} {
			r := create(t, t.TempDir(), "quick")
			r.Close()
			path := filepath.Join(r.Dir(), journalName)
			writeFile(t, path, string(first)+c.line+"\n"+string(last))
			r, err := open(r.Dir())
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(ids(r.Records()), " "); got != "c=1#1 c=1#3" {
				t.Errorf("%s: read %s", c.name, got)
			}
			if n := r.Notes(); len(n) != 1 || n[0].Code != "broken-line" || !strings.Contains(n[0].Text, path+":2: ") || !strings.Contains(n[0].Text, c.want) {
				t.Errorf("%s: noted %v, not %s:2: %s", c.name, n, journalName, c.want)
			}
			r.Close()
		}
	}
}

// TestForeignJournal: a file that never was a journal is no run without records.
func TestForeignJournal(t *testing.T) {
	r := create(t, t.TempDir(), "quick")
	r.Close()
	path := filepath.Join(r.Dir(), journalName)
	writeFile(t, path, "nonsense\n{}\n")
	if _, err := Open(r.Dir()); err == nil || !strings.Contains(err.Error(), path+":1: not a record: invalid character") {
		t.Errorf("opened: %v", err)
	}
}

// TestUnsealed: journals of earlier versions are read, and said to be unsealed;
// what is appended to them is sealed.
func TestUnsealed(t *testing.T) {
	const old = `{"cell":{"key":"c=1","digest":"d1"},"round":1,"state":"ok"}` + "\n"
	r := create(t, t.TempDir(), "quick")
	r.Close()
	writeFile(t, filepath.Join(r.Dir(), headerName), `{"version": 1}`)
	writeFile(t, filepath.Join(r.Dir(), journalName), old)
	r, err := Resume(r.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if len(r.Records()) != 1 || r.Unsealed() != 2 || len(r.Notes()) != 0 {
		t.Errorf("%d records, %d unsealed, noted %v; want 1, header and record, nothing", len(r.Records()), r.Unsealed(), r.Notes())
	}
	appendAll(t, r, record("c=1", 2))
	again, err := Open(r.Dir())
	if err != nil || len(again.Records()) != 2 || again.Unsealed() != 2 || len(again.Notes()) != 0 {
		t.Errorf("%v: %d records, %d unsealed, noted %v; want 2, 2, nothing", err, len(again.Records()), again.Unsealed(), again.Notes())
	}
}

// TestBitFlips: whichever bit of a run is flipped, what is read is what was
// written, or less and a word about it.
func TestBitFlips(t *testing.T) {
	var journal []byte
	var whole []string
	for round := range 3 {
		line, kept, err := encode(record("c=1", round+1))
		if err != nil {
			t.Fatal(err)
		}
		journal = append(journal, line...)
		whole = append(whole, text(t, kept))
	}
	for bit := range 8 * len(journal) {
		flipped := slices.Clone(journal)
		flipped[bit/8] ^= 1 << (bit % 8)
		s, err := readJournal(bytes.NewReader(flipped), "journal")
		told := err != nil || len(s.broken) > 0 || s.torn > 0 || s.unsealed > 0
		if len(s.records) < len(whole) && !told {
			t.Errorf("bit %d: %d records and no word", bit, len(s.records))
		}
		for _, r := range s.records {
			if !slices.Contains(whole, text(t, r)) {
				t.Errorf("bit %d: a record was changed:\n%s", bit, text(t, r))
			}
		}
	}
	info := bench.RunInfo{Version: format, Plan: bench.Plan{Scenario: "quick", Title: "A title"}}
	header, err := encodeHeader(info)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	want := text(t, info)
	for bit := range 8 * len(header) {
		flipped := slices.Clone(header)
		flipped[bit/8] ^= 1 << (bit % 8)
		writeFile(t, filepath.Join(dir, headerName), string(flipped))
		r := &Run{dir: dir}
		got, err := r.readHeader()
		if err == nil && len(r.notes) == 0 && text(t, got) != want {
			t.Errorf("bit %d: the header was changed without a word:\n%s", bit, flipped)
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLockIsTheJournals: removing the file of the name lock lets nobody in.
func TestLockIsTheJournals(t *testing.T) {
	r := create(t, t.TempDir(), "quick")
	if err := os.Remove(filepath.Join(r.Dir(), lockName)); err != nil {
		t.Fatal(err)
	}
	if other, err := Resume(r.Dir()); err == nil || !strings.Contains(err.Error(), "is being written by another matrix") {
		t.Errorf("a second writer: %v", err)
		other.Close()
	}
	if !written(r.Dir()) {
		t.Error("prune would remove what is being written")
	}
}

// TestGone: a run whose folder is removed, or replaced, says so with the next
// record, and does not call it kept.
func TestGone(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, dir+"-elsewhere") },
		"replaced": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"-elsewhere"), os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, journalName), nil, 0o644))
		},
	} {
		r := create(t, t.TempDir(), "quick")
		appendAll(t, r, record("c=1", 1))
		if err := change(r.Dir()); err != nil {
			t.Fatal(err)
		}
		if err := r.Append(record("c=1", 2)); !errors.Is(err, ErrGone) {
			t.Errorf("%s: appending: %v", name, err)
		}
		if err := r.Update(r.Info()); !errors.Is(err, ErrGone) {
			t.Errorf("%s: updating: %v", name, err)
		}
	}
}
