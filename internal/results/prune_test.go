package results

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
)

// fill makes runs that started so many days before now, each of a scenario.
func fill(t *testing.T, now time.Time, days map[string][]int) (root string) {
	t.Helper()
	root = t.TempDir()
	for scenario, list := range days {
		for _, n := range list {
			info := bench.RunInfo{Started: now.AddDate(0, 0, -n)}
			info.Plan.Scenario = scenario
			run, err := Create(root, info)
			if err != nil {
				t.Fatal(err)
			}
			if err := run.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

func TestPrune(t *testing.T) {
	now := time.Date(2026, 6, 1, 3, 0, 0, 0, time.UTC)
	ago := func(days int) time.Time { return now.AddDate(0, 0, -days) }
	for _, x := range []struct {
		name    string
		options PruneOptions
		gone    []int // of scenario a, days ago
		goneB   int   // runs of scenario b
	}{
		{"by age", PruneOptions{Before: ago(30)}, []int{100, 40}, 1},
		{"to the second", PruneOptions{Before: ago(40)}, []int{100}, 1},
		{"by number", PruneOptions{Runs: 3}, []int{100}, 0},
		{"the newest stays", PruneOptions{Before: now.AddDate(1, 0, 0)}, []int{100, 40, 20}, 1},
		{"one scenario", PruneOptions{Runs: 1, Scenario: "a"}, []int{100, 40, 20}, 0},
		{"a dry run", PruneOptions{Before: ago(30), DryRun: true}, nil, 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			root := fill(t, now, map[string][]int{"a": {10, 20, 40, 100}, "b": {300, 200}})
			list, err := Prune(root, x.options)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range list {
				if p.Bytes == 0 || p.Kept != "" {
					t.Errorf("%+v", p)
				}
			}
			for _, days := range []int{10, 20, 40, 100} {
				want := !slices.Contains(x.gone, days)
				if got := isRun(filepath.Join(root, "a", folder(ago(days), 1))); got != want {
					t.Errorf("the run of %d days ago is there: %v, want %v", days, got, want)
				}
			}
			left, err := folders(filepath.Join(root, "b"))
			if err != nil || len(left) != 2-x.goneB {
				t.Errorf("of b there are %q (%v), want %d fewer", left, err, x.goneB)
			}
		})
	}
}

func TestPruneKeeps(t *testing.T) {
	now := time.Date(2026, 6, 1, 3, 0, 0, 0, time.UTC)
	root := fill(t, now, map[string][]int{"a": {1, 2, 3, 4}})
	dir := func(days int) string { return filepath.Join(root, "a", folder(now.AddDate(0, 0, -days), 1)) }
	running, err := Resume(dir(2))
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	if err := os.WriteFile(filepath.Join(dir(3), keepName), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	// What is no run: a folder of another name, a link to a run, and what an
	// earlier removal left, which goes.
	notes, link, rest := filepath.Join(root, "a", "notes"), filepath.Join(root, "a", "20200101T000000Z"), filepath.Join(root, "a", goneName+"20200102T000000Z")
	for _, d := range []string{notes, rest, filepath.Join(root, "a", goneName+"notes")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir(1), link); err != nil {
		t.Fatal(err)
	}
	list, err := Prune(root, PruneOptions{Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, p := range list {
		kept = append(kept, p.Kept)
	}
	if len(kept) != 3 || kept[0] != "" || kept[1] != "it has a file called keep" || kept[2] == "" {
		t.Errorf("kept for %q", kept)
	}
	for path, want := range map[string]bool{dir(1): true, dir(2): true, dir(3): true, dir(4): false, notes: true, link: true, rest: false,
		filepath.Join(root, "a", goneName+"notes"): true} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
}

// TestPruneGoesOn: the oldest run cannot be removed; those after it go.
func TestPruneGoesOn(t *testing.T) {
	now := time.Date(2026, 6, 1, 3, 0, 0, 0, time.UTC)
	root := fill(t, now, map[string][]int{"a": {1, 2, 3, 4}})
	dir := func(days int) string { return filepath.Join(root, "a", folder(now.AddDate(0, 0, -days), 1)) }
	lock := filepath.Join(dir(4), lockName) // a folder in its place cannot be locked, by root neither
	if err := os.RemoveAll(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(lock, 0o755); err != nil {
		t.Fatal(err)
	}
	list, err := Prune(root, PruneOptions{Runs: 1})
	if err == nil || !strings.Contains(err.Error(), dir(4)) {
		t.Errorf("got %v, want an error that names %s", err, dir(4))
	}
	if len(list) != 2 || list[0].Dir != dir(3) || list[1].Dir != dir(2) {
		t.Errorf("removed %+v, want the two others", list)
	}
	for days, want := range map[int]bool{1: true, 2: false, 3: false, 4: true} {
		if isRun(dir(days)) != want {
			t.Errorf("the run of %d days ago is there: %v, want %v", days, !want, want)
		}
	}
}

func TestStamp(t *testing.T) {
	root := fill(t, time.Now(), map[string][]int{"a": {0}})
	dir, err := Latest(root, "a")
	if err != nil {
		t.Fatal(err)
	}
	before := Stamp(dir)
	if again := Stamp(dir); again != before {
		t.Errorf("nothing changed, and yet %q became %q", before, again)
	}
	if err := os.WriteFile(filepath.Join(dir, journalName), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if Stamp(dir) == before {
		t.Error("the journal grew, and the stamp is the same")
	}
}
