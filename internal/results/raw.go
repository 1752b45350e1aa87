package results

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Raw names a file under raw/ for what a tool prints during a trial, and
// returns a writer to it. The file comes into being with the first byte: a
// trial that prints nothing leaves none. A trial that is run again gets a
// further file; nothing is overwritten.
func (r *Run) Raw(trialID string) (name string, w io.WriteCloser, err error) {
	if r.journal == nil {
		return "", nil, fmt.Errorf("naming raw output: %s was opened to be read", r.dir)
	}
	base := slug(trialID)
	for n := 1; ; n++ {
		name = base + ".txt"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.txt", base, n)
		}
		path := filepath.Join(r.dir, rawName, name)
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return name, &rawFile{path: path}, nil
		} else if err != nil {
			return "", nil, fmt.Errorf("naming raw output: %w", err)
		}
	}
}

// OpenRaw opens what a tool printed during a trial: name is bench.Record.Raw.
func (r *Run) OpenRaw(name string) (io.ReadCloser, error) {
	if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
		return nil, fmt.Errorf("opening raw output: %q is not the name of a file under %s/", name, rawName)
	}
	f, err := os.Open(filepath.Join(r.dir, rawName, name))
	if err != nil {
		return nil, fmt.Errorf("opening raw output: %w", err)
	}
	return f, nil
}

type rawFile struct {
	path string
	f    *os.File
}

func (r *rawFile) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if r.f == nil {
		if err := os.MkdirAll(filepath.Dir(r.path), 0o755); err != nil {
			return 0, fmt.Errorf("creating raw output: %w", err)
		}
		f, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return 0, fmt.Errorf("creating raw output: %w", err)
		}
		r.f = f
	}
	return r.f.Write(p)
}

func (r *rawFile) Close() error {
	if r.f == nil {
		return nil
	}
	return r.f.Close()
}
