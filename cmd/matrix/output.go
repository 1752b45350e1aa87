package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// writeWhole writes a file that its readers see whole or not at all. What is no
// file of its own, such as a pipe or /dev/null, is written to and stays what it is:
// a file renamed into its place would take it away from everybody else.
func writeWhole(path string, write func(io.Writer) error) error {
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
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return errors.Join(err, f.Cleanup())
	}
	return f.CloseAtomicallyReplace()
}
