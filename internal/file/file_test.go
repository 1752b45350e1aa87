package file

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestErrorsNameTheFile: item 18: never the file beside it that is written first.
func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	gone := filepath.Join(dir, "gone", "report.html")
	for _, err := range []error{Write(gone, nil), Replace(gone, func(io.Writer) error { return nil })} {
		want := gone + ": there is no folder " + filepath.Dir(gone)
		if err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, err := range []error{Write(dir, nil), Replace(dir, nil)} {
		if err == nil || err.Error() != dir+" is a folder: name a file" {
			t.Error(err)
		}
	}
	path := filepath.Join(dir, "report.html")
	full := func(w io.Writer) error {
		return &fs.PathError{Op: "write", Path: w.(interface{ Name() string }).Name(), Err: syscall.ENOSPC}
	}
	if err := Replace(path, full); err == nil || err.Error() != path+": no space left on device" {
		t.Error(err)
	}
	other := &fs.PathError{Op: "read", Path: "/other", Err: syscall.EIO}
	if err := Replace(path, func(io.Writer) error { return other }); err == nil || err.Error() != "read /other: input/output error" {
		t.Error(err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// TestReplace: whole files, their permissions, and what is no file.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := Write(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(path, 0o600), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("two")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := Replace(link, func(w io.Writer) error { _, err := io.Copy(w, strings.NewReader("three")); return err }); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "three" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if err := Replace(os.DevNull, func(w io.Writer) error { _, err := w.Write([]byte("x")); return err }); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%v: %v", info.Mode(), err)
	}
}
