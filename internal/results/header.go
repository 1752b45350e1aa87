package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"matrix/internal/bench"
	"matrix/internal/file"
)

// format is the version of run.json and journal.jsonl that is written, and the
// newest that is read.
const format = 1

const longestHeader = 64 << 20 // bytes

// Update writes the header of the run anew: whole or not at all.
func (r *Run) Update(info bench.RunInfo) error {
	if r.lock == nil {
		return fmt.Errorf("writing header: %s was opened to be read", r.dir)
	}
	if r.journal != nil {
		if err := r.journal.there(); err != nil {
			return fmt.Errorf("writing header: %w", err)
		}
	}
	text, err := encodeHeader(info)
	if err != nil {
		return err
	}
	if err := file.Write(filepath.Join(r.dir, headerName), text); err != nil {
		return fmt.Errorf("writing header: %w", err)
	}
	r.info = info
	return nil
}

func encodeHeader(info bench.RunInfo) ([]byte, error) {
	text, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing header: %w", err)
	}
	return append(seal(text), '\n'), nil
}

func (r *Run) readHeader() (info bench.RunInfo, err error) {
	path := r.path(headerName)
	f, err := r.open(headerName)
	if errors.Is(err, os.ErrNotExist) {
		return info, fmt.Errorf("opening run: %s holds no %s, so it is not the folder of a run", r.dir, headerName)
	}
	if err != nil {
		return info, fmt.Errorf("opening run: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longestHeader))
	if err != nil {
		return info, fmt.Errorf("reading header: %w", err)
	}
	if err := json.Unmarshal(text, &info); err != nil {
		return info, fmt.Errorf("reading header: %s: %w", path, err)
	}
	if info.Version < 1 || info.Version > format {
		return info, fmt.Errorf("reading header: %s: its format is %d; this matrix reads 1 to %d", path, info.Version, format)
	}
	switch sealed, err := unseal(text); {
	case err != nil:
		r.notes = append(r.notes, bench.Note{Code: "changed-header", Text: fmt.Sprintf("%s: %v: labels, settings and hosts may not be what was measured", path, err)})
	case !sealed:
		r.unsealed++
	}
	return info, nil
}

// syncDir makes the names within a folder last, not only the files' contents.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("syncing %s: %w", dir, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("syncing %s: %w", dir, err)
	}
	return nil
}
