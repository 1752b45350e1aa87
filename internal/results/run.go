package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"matrix/internal/bench"
	"matrix/internal/unit"

	"github.com/gofrs/flock"
)

// The names within a run's folder.
const (
	headerName  = "run.json"
	journalName = "journal.jsonl"
	rawName     = "raw"
	lockName    = "lock"
)

// Run is one run's folder. It is safe for one goroutine at a time.
type Run struct {
	dir     string
	fsys    fs.FS // what it is read from; nil: the folder dir
	info    bench.RunInfo
	records []bench.Record
	index   map[string]int // trial ID to its last record
	journal *journal       // nil: opened to read only
	lock    *flock.Flock
	notes   []bench.Note

	unsealed int // see Unsealed
}

// Create makes the folder of a new run under root and locks it. The scenario's
// name and info.Started (now, when zero) name it; a further run of the same
// second gets a number. Version and ID of info are set by Create.
func Create(root string, info bench.RunInfo) (*Run, error) {
	if info.Started.IsZero() {
		info.Started = time.Now().UTC()
	}
	scenario := slug(info.Plan.Scenario)
	dir, err := makeFolder(filepath.Join(root, scenario), info.Started)
	if err != nil {
		return nil, fmt.Errorf("creating run: %w", err)
	}
	if n, back := clockBack(filepath.Dir(dir), filepath.Base(dir)); back {
		info.Notes = append(slices.Clone(info.Notes), n)
	}
	info.Version, info.ID = format, scenario+"/"+filepath.Base(dir)
	r := &Run{dir: dir, index: map[string]int{}}
	if err := r.take(); err != nil {
		return nil, err
	}
	if err := r.begin(info); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// clockBack is a note on a new run before which there is a later one: the clock
// went back since, or was ahead then.
func clockBack(parent, name string) (bench.Note, bool) {
	names, err := folders(parent)
	if err != nil {
		return bench.Note{}, false // it is only a help
	}
	at, _, _ := parseFolder(name)
	for _, other := range names {
		if t, _, ok := parseFolder(other); ok && t.After(at) {
			return bench.Note{Code: "clock-back", Text: fmt.Sprintf(
				"the clock says %s, but %s is a run of this scenario that is later: 'latest' means that one", name, other)}, true
		}
	}
	return bench.Note{}, false
}

func (r *Run) begin(info bench.RunInfo) (err error) {
	if err := r.Update(info); err != nil {
		return err
	}
	if r.journal, err = openJournal(filepath.Join(r.dir, journalName)); err != nil {
		return err
	}
	return syncDir(r.dir)
}

func makeFolder(parent string, started time.Time) (string, error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		dir := filepath.Join(parent, folder(started, n))
		err := os.Mkdir(dir, 0o755)
		if !errors.Is(err, os.ErrExist) {
			return dir, err
		}
	}
}

// Open reads the run in dir, which may still be under way, and writes nothing:
// a torn last line is passed over, with a note.
func Open(dir string) (*Run, error) {
	r := &Run{dir: dir}
	_, err := r.read()
	return r, err
}

// Resume opens the run in dir to append to it: it locks the folder, which
// fails while another process writes to it, reads the journal, and cuts a torn
// last line, with a note.
func Resume(dir string) (*Run, error) {
	if _, err := (&Run{dir: dir}).readHeader(); err != nil {
		return nil, err
	}
	r := &Run{dir: dir}
	if err := r.take(); err != nil {
		return nil, err
	}
	if err := r.repair(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Run) repair() (err error) {
	path := filepath.Join(r.dir, journalName)
	if r.journal, err = openJournal(path); err != nil {
		return err
	}
	s, err := r.read()
	if err != nil {
		return err
	}
	if s.torn > 0 {
		if err := os.Truncate(path, s.whole); err != nil {
			return fmt.Errorf("cutting the torn last line: %w", err)
		}
	}
	r.journal.size = s.whole
	return nil
}

// read loads header and journal. A journal that is not there has no records: the
// run ended between its first two files.
func (r *Run) read() (scan, error) {
	info, err := r.readHeader()
	if err != nil {
		return scan{}, err
	}
	r.info = info
	f, err := r.open(journalName)
	if errors.Is(err, os.ErrNotExist) {
		r.index = map[string]int{}
		return scan{}, nil
	}
	if err != nil {
		return scan{}, fmt.Errorf("opening journal: %w", err)
	}
	defer f.Close()
	path := r.path(journalName)
	s, err := readJournal(f, path)
	if err != nil {
		return s, fmt.Errorf("reading journal: %w", err)
	}
	if b, foreign := s.foreign(); foreign {
		return s, fmt.Errorf("reading journal: %s:%d: %w", path, b.line, b.err)
	}
	r.records, r.index = s.records, map[string]int{}
	for i, record := range s.records {
		r.index[record.ID()] = i
	}
	r.unsealed += s.unsealed
	r.notes = append(r.notes, brokenNotes(path, s.broken)...)
	if s.torn > 0 {
		r.notes = append(r.notes, bench.Note{Code: "torn-line", Text: fmt.Sprintf(
			"%s: the last line is torn (%d bytes after %d whole records): its trial counts as not run", path, s.torn, len(s.records))})
	}
	return s, nil
}

// brokenNotes name the broken lines of a journal, or some where there are many.
func brokenNotes(path string, lines []broken) (notes []bench.Note) {
	const few = 5
	for _, b := range lines[:min(few, len(lines))] {
		notes = append(notes, bench.Note{Code: "broken-line", Text: fmt.Sprintf(
			"%s:%d: the record is broken, and its trial counts as not run: %v", path, b.line, b.err)})
	}
	if more := len(lines) - few; more > 0 {
		notes = append(notes, bench.Note{Code: "broken-line", Text: fmt.Sprintf("%s: %s more", path, unit.Counted(more, "broken line"))})
	}
	return notes
}

// Unsealed is the number of parts of the run, header and records, that carry no
// checksum, since an earlier version wrote them: nobody would notice a change.
func (r *Run) Unsealed() int { return r.unsealed }

// Append adds a record. When it returns nil the record is on the disk; when it
// does not, the records before it still are.
func (r *Run) Append(record bench.Record) error {
	if r.journal == nil {
		return fmt.Errorf("appending to journal: %s was opened to be read", r.dir)
	}
	line, kept, err := encode(record)
	if err != nil {
		return err
	}
	if err := r.journal.append(line); err != nil {
		return err
	}
	r.index[kept.ID()] = len(r.records)
	r.records = append(r.records, kept)
	return nil
}

// Done reports whether the trial has a record that still holds: of a cell with
// the same digest, and not interrupted.
func (r *Run) Done(t bench.Trial) bool {
	i, ok := r.index[t.ID()]
	return ok && r.records[i].Cell.Digest == t.Cell.Digest && r.records[i].State != bench.StateInterrupted
}

// Kept is the record of a trial that is Done; false where there is none.
func (r *Run) Kept(t bench.Trial) (bench.Record, bool) {
	if !r.Done(t) {
		return bench.Record{}, false
	}
	return r.records[r.index[t.ID()]], true
}

// Records returns the last record of each trial, in the order of the journal.
func (r *Run) Records() []bench.Record {
	last := make([]bench.Record, 0, len(r.index))
	for i, record := range r.records {
		if r.index[record.ID()] == i {
			last = append(last, record)
		}
	}
	return last
}

// Info is the header of the run.
func (r *Run) Info() bench.RunInfo { return r.info }

// Dir is the folder of the run, or the name of one that is not on the disk.
func (r *Run) Dir() string { return r.dir }

func (r *Run) path(name string) string { return filepath.Join(r.dir, name) }

// Notes are remarks about the journal itself, such as a torn last line.
func (r *Run) Notes() []bench.Note { return r.notes }

// Close ends writing and frees the folder for others. It is safe to call twice.
func (r *Run) Close() error {
	var errs []error
	if r.journal != nil {
		if err := r.journal.f.Close(); err != nil {
			errs = append(errs, fmt.Errorf("closing journal: %w", err))
		}
		r.journal = nil
	}
	if r.lock != nil {
		errs = append(errs, r.lock.Close())
		r.lock = nil
	}
	return errors.Join(errs...)
}
