package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"unicode"
)

// Files names the files of a run that are data, relative to its folder and with
// slashes: run.json, journal.jsonl, then those under raw/ in order of their names.
// Links, folders and devices are passed over, whatever they lead to, and so are
// names that Raw never gives: those that mean something elsewhere.
func (r *Run) Files() ([]string, error) {
	if r.fsys != nil {
		return filesIn(r.fsys)
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, fmt.Errorf("listing the files of a run: %w", err)
	}
	defer root.Close()
	var names []string
	for _, name := range []string{headerName, journalName} {
		if isRegular(root, name) {
			names = append(names, name)
		}
	}
	if info, err := root.Lstat(rawName); err != nil || !info.IsDir() {
		return names, nil // no tool printed anything
	}
	entries, err := fs.ReadDir(root.FS(), rawName)
	if err != nil {
		return nil, fmt.Errorf("listing the files of a run: %w", err)
	}
	for _, e := range entries {
		if name := path.Join(rawName, e.Name()); e.Type().IsRegular() && plain(e.Name()) {
			names = append(names, name)
		}
	}
	return names, nil
}

// OpenFile opens one of Files. Its error is fs.ErrInvalid where a link or a device
// stands in its place.
func (r *Run) OpenFile(name string) (io.ReadCloser, error) {
	if r.fsys != nil {
		return r.fsys.Open(name)
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, fmt.Errorf("opening a file of a run: %w", err)
	}
	defer root.Close()
	before, err := root.Lstat(name)
	if err == nil && !before.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", name, fs.ErrInvalid)
	}
	if err != nil {
		return nil, fmt.Errorf("opening a file of a run: %w", err)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening a file of a run: %w", err)
	}
	// What was opened must be what was looked at.
	if after, err := f.Stat(); err != nil || !os.SameFile(before, after) {
		return nil, errors.Join(fmt.Errorf("opening a file of a run: %s: %w", name, fs.ErrInvalid), err, f.Close())
	}
	return f, nil
}

// openRegular opens a file to be read. A pipe or a device in its place, on which
// one would wait or which has no end, is an error.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // else a pipe that nobody writes to holds us
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, fs.ErrInvalid), err, f.Close())
	}
	return f, nil
}

// plain reports whether a name is one on every system, of nothing but what shows.
func plain(name string) bool {
	return fs.ValidPath(name) && !strings.ContainsAny(name, `\:*?"<>|`) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

func isRegular(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}
