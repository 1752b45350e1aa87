// Package file writes files that their readers see whole or not at all.
//
// A path and a text come in; an error goes out that names that path. What is
// written to in between, a file beside it, is nobody's business. The package reads
// nothing and decides on no names.
package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Write puts data in the place of the file at path, with permissions 0644 or those
// that it has.
func Write(path string, data []byte) error { return Copy(path, bytes.NewReader(data)) }

// Copy is Write with all that there is to be read.
func Copy(path string, from io.Reader) error {
	return replace(path, func(w io.Writer) error { _, err := io.Copy(w, from); return err }, renameio.WithExistingPermissions())
}

// Replace puts what write writes in the place of the file at path. A symbolic link
// is followed. What is no file of its own, such as a pipe or /dev/null, is written
// to and stays what it is: a file renamed into its place would take it away from
// everybody else.
func Replace(path string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if s, err := os.Stat(path); err == nil && !s.Mode().IsRegular() && !s.IsDir() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	return replace(path, write)
}

func replace(path string, write func(io.Writer) error, options ...renameio.Option) error {
	if s, err := os.Stat(path); err == nil && s.IsDir() {
		return fmt.Errorf("%s is a folder: name a file", path)
	}
	f, err := renameio.NewPendingFile(path, append([]renameio.Option{renameio.WithPermissions(0o644)}, options...)...)
	if err != nil {
		return Error(path, "", err)
	}
	defer f.Cleanup() // fails only where it was replaced
	if err := write(f); err != nil {
		return Error(path, f.Name(), err)
	}
	return Error(path, f.Name(), f.CloseAtomicallyReplace())
}

// Error is an error of writing a file under another name, aside, as one of the
// file itself. An error of some other file stays as it is; aside "" is any.
func Error(path, aside string, err error) error {
	var p *fs.PathError
	var l *os.LinkError
	name, cause := "", err
	switch {
	case err == nil:
		return nil
	case errors.As(err, &p):
		name, cause = p.Path, p.Err
	case errors.As(err, &l):
		name, cause = l.Old, l.Err
	}
	switch {
	case name == "" || aside != "" && name != aside:
		return err
	case errors.Is(cause, fs.ErrNotExist):
		return missing{path, cause}
	}
	return fmt.Errorf("%s: %w", path, cause)
}

// missing tells that a file cannot be made because its folder is not there.
type missing struct {
	path  string
	cause error
}

func (m missing) Error() string {
	return fmt.Sprintf("%s: there is no folder %s", m.path, filepath.Dir(m.path))
}
func (m missing) Unwrap() error { return m.cause }
