package results

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"matrix/internal/unit"
)

// latest is the reference to the newest run.
const latest = "latest"

// Entry is a run as its folder tells it, without reading a file of it.
type Entry struct {
	Dir      string
	Scenario string    // folder of the scenario
	Started  time.Time // UTC, to the second
	number   int       // among the runs of that second
}

// Of reports whether the run is one of a scenario: its name, or its folder's.
func (e Entry) Of(scenario string) bool {
	return e.Scenario == scenario || e.Scenario == slug(scenario)
}

// List returns the runs under root, newest first. A root that does not exist
// holds none; folders that are not runs are passed over.
func List(root string) ([]Entry, error) {
	names, err := scenarios(root)
	if err != nil {
		return nil, fmt.Errorf("listing runs: %w", err)
	}
	var all []Entry
	for _, scenario := range names {
		runs, err := folders(filepath.Join(root, scenario))
		if err != nil {
			return nil, fmt.Errorf("listing runs: %w", err)
		}
		for _, name := range runs {
			dir := filepath.Join(root, scenario, name)
			t, n, ok := parseFolder(name)
			if ok && isRun(dir) {
				all = append(all, Entry{dir, scenario, t, n})
			}
		}
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.number, a.number), strings.Compare(a.Scenario, b.Scenario))
	})
	return all, nil
}

// Latest returns the folder of the newest run of a scenario, or of any scenario
// when that is "".
func Latest(root, scenario string) (string, error) { return nth(root, scenario, 0) }

// Find resolves a reference to a run's folder. It is, in this order: a path to
// the folder or to its run.json or journal.jsonl; "<scenario>/<UTC time>" under
// root; "latest" or a scenario's name for the newest run, of all or of that
// scenario ("<scenario>/latest" says the same), with "~1" behind it for the one
// before, "~2" and so on.
func Find(root, ref string) (string, error) {
	if ref == "" {
		return "", errors.New("finding run: the reference is empty")
	}
	dir := filepath.Clean(ref)
	if base := filepath.Base(dir); base == headerName || base == journalName {
		dir = filepath.Dir(dir)
	}
	for _, d := range []string{dir, filepath.Join(root, dir)} {
		if isRun(d) {
			return d, nil
		}
		if err := shut(d); err != nil {
			return "", fmt.Errorf("finding run: %w", err)
		}
	}
	scenario, back := ref, 0
	if before, after, ok := cutLast(ref, "~"); ok {
		if n, err := unit.ParseCount(after); err == nil && !isDir(filepath.Join(root, ref)) {
			scenario, back = before, int(n)
		}
	}
	scenario = strings.TrimSuffix(scenario, "/"+latest)
	if scenario == latest {
		scenario = ""
	}
	return nth(root, scenario, back)
}

func nth(root, scenario string, back int) (string, error) {
	all, err := List(root)
	if err != nil {
		return "", err
	}
	var known []string
	n := 0
	for _, e := range all {
		known = append(known, e.Scenario)
		if scenario != "" && !e.Of(scenario) {
			continue
		}
		if n == back {
			return e.Dir, nil
		}
		n++
	}
	return "", notFound(root, scenario, n, known)
}

func notFound(root, scenario string, n int, known []string) error {
	slices.Sort(known)
	known = slices.Compact(known)
	switch {
	case len(known) == 0:
		return fmt.Errorf("finding run: there are no runs in %s", root)
	case scenario == "":
		return fmt.Errorf("finding run: there are only %d runs in %s", n, root)
	case n > 0:
		return fmt.Errorf("finding run: there are only %d runs of %s in %s", n, scenario, root)
	default:
		return fmt.Errorf("finding run: %q is neither the folder of a run nor a scenario with runs in %s (%s)",
			scenario, root, strings.Join(known, ", "))
	}
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func folders(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// scenarios are the folders of scenarios in a results folder. One may be a link to
// a folder elsewhere, with more room; a link to a run is none of its scenario.
func scenarios(root string) (names []string, err error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if e.IsDir() || e.Type()&os.ModeSymlink != 0 && isDir(filepath.Join(root, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func isDir(path string) bool {
	s, err := os.Stat(path)
	return err == nil && s.IsDir()
}

// shut is why a folder cannot be looked into; nil where there is none, or none is
// meant.
func shut(dir string) error {
	_, err := os.Stat(filepath.Join(dir, headerName))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
		return nil
	}
	return err
}

func isRun(dir string) bool {
	s, err := os.Stat(filepath.Join(dir, headerName))
	return err == nil && s.Mode().IsRegular()
}
