package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"matrix/internal/bench"
)

// longestLine bounds one record of a journal, in bytes.
const longestLine = 64 << 20

// scan is what reading a journal found.
type scan struct {
	records []bench.Record
	whole   int64 // bytes up to the end of the last whole line
	torn    int64 // bytes after it: the beginning of a record whose writing was cut short
}

// readJournal reads records up to the end or to a torn last line. Its error
// names the first line that is whole and yet not a record.
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
		record, err := decode(text)
		if err != nil {
			return s, fmt.Errorf("%s:%d: not a record: %w", name, line, err)
		}
		s.records = append(s.records, record)
		s.whole += int64(len(text))
	}
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
	line = append(line, '\n')
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
	size int64 // bytes of whole lines
	torn bool  // a failed append left bytes behind that could not be cut
}

func openJournal(path string, size int64) (*journal, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening journal: %w", err)
	}
	return &journal{f: f, size: size}, nil
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
		return nil
	}
	// Cut what was written of the line, so that a later append, once there is
	// room again, starts on a fresh one.
	j.torn = j.f.Truncate(j.size) != nil
	return fmt.Errorf("appending to journal: %w", err)
}
