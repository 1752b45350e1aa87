package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"matrix/internal/bench"
)

// longestLine bounds one record of a journal, in bytes.
const longestLine = 64 << 20

// scan is what reading a journal found.
type scan struct {
	records  []bench.Record
	broken   []broken // whole lines that are not what was written
	unsealed int      // records of earlier versions, of which nobody can tell
	whole    int64    // bytes up to the end of the last whole line
	torn     int64    // bytes after it: the beginning of a record whose writing was cut short
}

// broken is a line of a journal that was changed since it was written, or never
// was a record.
type broken struct {
	line   int
	sealed bool // it once was a record
	err    error
}

// foreign returns the first broken line of what never was a journal.
func (s *scan) foreign() (broken, bool) {
	if len(s.records) > 0 || len(s.broken) == 0 || slices.ContainsFunc(s.broken, func(b broken) bool { return b.sealed }) {
		return broken{}, false
	}
	return s.broken[0], true
}

// readJournal reads records up to the end or to a torn last line. Lines that are
// broken are passed over. Its error names a line after which reading cannot go on.
func readJournal(r io.Reader, name string) (s scan, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, err := readLine(in)
		if errors.Is(err, io.EOF) {
			s.torn = int64(len(text))
			return s, nil
		}
		if err != nil {
			return s, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		s.whole += int64(len(text))
		if sealed, err := s.take(text); err != nil {
			s.broken = append(s.broken, broken{line, sealed, err})
		}
	}
}

// take adds the record of a line. All records after the first that has a seal
// have one: who seals once, seals always.
func (s *scan) take(text []byte) (sealed bool, err error) {
	sealed, err = unseal(text)
	if err != nil {
		return sealed, err
	}
	if !sealed && s.unsealed < len(s.records) {
		return sealed, errors.New("it has no checksum, and a line before it has one")
	}
	record, err := decode(text)
	if err != nil {
		return sealed, fmt.Errorf("not a record: %w", err)
	}
	if !sealed {
		s.unsealed++
	}
	s.records = append(s.records, record)
	return sealed, nil
}

// readLine returns the next line with its newline, or what is left and io.EOF.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > longestLine {
			return nil, fmt.Errorf("line is longer than %d MiB", longestLine>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func decode(line []byte) (bench.Record, error) {
	var r bench.Record
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	switch {
	case r.Cell.Key == "":
		return r, errors.New("it has no cell key")
	case r.Round < 1:
		return r, fmt.Errorf("its round is %d, not 1 or more", r.Round)
	case r.State == "":
		return r, errors.New("it has no state")
	}
	return r, nil
}

// encode writes a record as its line, newline included, and returns it as it
// reads back, too: its distributions then are packed, where those of a trial just
// ended take some hundred times the room.
func encode(r bench.Record) (line []byte, kept bench.Record, err error) {
	line, err = json.Marshal(r)
	if err != nil {
		return nil, kept, fmt.Errorf("encoding the record of %s: %w", r.ID(), err)
	}
	line = append(seal(line), '\n')
	if len(line) > longestLine {
		return nil, kept, fmt.Errorf("encoding the record of %s: longer than %d MiB", r.ID(), longestLine>>20)
	}
	// A record that cannot be read back would make the whole journal unreadable.
	if kept, err = decode(bytes.TrimSuffix(line, []byte{'\n'})); err != nil {
		return nil, kept, fmt.Errorf("encoding the record of %s: %w", r.ID(), err)
	}
	return line, kept, nil
}

// sink is what a journal is written to: an *os.File, or in tests a disk that
// fills up.
type sink interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// journal appends lines to a file, each with one write and on the disk before
// the next.
type journal struct {
	f    sink
	path string
	size int64 // bytes of whole lines
	torn bool  // a failed append left bytes behind that could not be cut
}

// openJournal opens the journal to append to it, and locks it: the file of the
// name lock may be removed, and then locks nobody out.
func openJournal(path string) (*journal, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NONBLOCK, 0o644) // else a pipe in its place holds us
	if err != nil {
		return nil, fmt.Errorf("opening journal: %w", err)
	}
	if err := lockFile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("locking journal: %s is being written by another matrix; wait for it or end it first (%w)", path, err), f.Close())
	}
	return &journal{f: f, path: path}, nil
}

// ErrGone says that the journal is no longer in its place: the folder was removed
// or put elsewhere while the run was under way.
var ErrGone = errors.New("it was removed, or something else was put in its place")

// there reports, by its error, whether the journal's path still names the file
// that is written to.
func (j *journal) there() error {
	f, ok := j.f.(*os.File)
	if !ok {
		return nil
	}
	open, err := f.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Stat(j.path); err != nil || !os.SameFile(open, named) {
		return fmt.Errorf("%s: %w", j.path, ErrGone)
	}
	return nil
}

func (j *journal) append(line []byte) error {
	if j.torn {
		return errors.New("appending to journal: an earlier append failed and left a torn line; resume the run to repair it")
	}
	n, err := j.f.Write(line)
	if err == nil {
		err = j.f.Sync()
	}
	if err == nil {
		j.size += int64(n)
		if err := j.there(); err != nil {
			return fmt.Errorf("appending to journal: %w", err)
		}
		return nil
	}
	// Cut what was written of the line, so that a later append, once there is
	// room again, starts on a fresh one.
	j.torn = j.f.Truncate(j.size) != nil
	return fmt.Errorf("appending to journal: %w", err)
}
