package results

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// TestFilesAreOnlyDataOfTheRun holds that nothing outside the folder, and no link
// within, is ever handed out.
func TestFilesAreOnlyDataOfTheRun(t *testing.T) {
	root := t.TempDir()
	r := create(t, root, "s")
	appendAll(t, r, record("a", 1))
	outside := filepath.Join(root, "secret")
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(outside, "secret")
	for _, name := range []string{"b.txt", "a.txt", `c\d.txt`, "e\nf.txt", "folder/x.txt"} {
		write(filepath.Join(r.Dir(), "raw", name), name)
	}
	for name, to := range map[string]string{"out.txt": outside, "within.txt": "a.txt"} {
		if err := os.Symlink(to, filepath.Join(r.Dir(), "raw", name)); err != nil {
			t.Fatal(err)
		}
	}
	names, err := r.Files()
	want := []string{"run.json", "journal.jsonl", "raw/a.txt", "raw/b.txt"}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("got %q, %v; want %q", names, err, want)
	}
	f, err := r.OpenFile("raw/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil || string(text) != "a.txt" {
		t.Errorf("read %q, %v", text, err)
	}
	for _, name := range []string{"raw/out.txt", "raw/within.txt", "../secret", outside, "raw", "raw/gone"} {
		if f, err := r.OpenFile(name); err == nil {
			t.Errorf("%s was opened: %v", name, f.Close())
		} else if name == "raw/within.txt" && !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFilesOfALinkedRawFolder(t *testing.T) {
	root := t.TempDir()
	r := create(t, root, "s")
	elsewhere := filepath.Join(r.Dir(), "servers")
	if err := errors.Join(os.Mkdir(elsewhere, 0o755), os.WriteFile(filepath.Join(elsewhere, "x.txt"), nil, 0o600), os.Symlink("servers", filepath.Join(r.Dir(), "raw"))); err != nil {
		t.Fatal(err)
	}
	if names, err := r.Files(); err != nil || !slices.Equal(names, []string{"run.json", "journal.jsonl"}) {
		t.Errorf("got %q, %v", names, err)
	}
}

// TestNoFileOfARunHoldsUs holds that a pipe or a device in the place of a file is
// an error at once, and nothing to wait for or to read without end.
func TestNoFileOfARunHoldsUs(t *testing.T) {
	for _, name := range []string{"run.json", "journal.jsonl"} {
		r := create(t, t.TempDir(), "s")
		path := filepath.Join(r.Dir(), name)
		if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(r.Dir()); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("a pipe as %s: %v", name, err)
		}
		if err := errors.Join(os.Remove(path), os.Symlink("/dev/zero", path)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(r.Dir()); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("a device as %s: %v", name, err)
		}
	}
}
