package results

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
)

func TestSlug(t *testing.T) {
	for _, plain := range []string{"quickstart", "freebsd-vs-redhat", "a.b_c", "4.2", strings.Repeat("x", 64)} {
		if got := slug(plain); got != plain {
			t.Errorf("slug(%q) = %q: a plain name stays as it is", plain, got)
		}
	}
	hostile := []string{
		"", ".", "..", "...", "---", "-", "/", "a/b", "../x", "a/../b", "Quickstart", "QUICKSTART", "quickstart ", "a..b", ".a", "a.",
		"a~1", "con\x00", "日本語", "é", "latest", strings.Repeat("x", 65), strings.Repeat("x", 300), strings.Repeat("x", 299) + "y", "x\ny",
	}
	safe := regexp.MustCompile(`^[a-z0-9-]*~[0-9a-f]{12}$`)
	seen := map[string]string{}
	for _, name := range hostile {
		got := slug(name)
		if !safe.MatchString(got) {
			t.Errorf("slug(%q) = %q", name, got)
		}
		if other, taken := seen[got]; taken {
			t.Errorf("%q and %q share the slug %q", name, other, got)
		}
		seen[got] = name
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	dirs := map[string]string{}
	for i, name := range []string{"alpha", "beta", "alpha", "Beta!"} {
		r, err := Create(root, bench.RunInfo{Started: start.Add(time.Duration(i) * time.Minute), Plan: bench.Plan{Scenario: name}})
		if err != nil {
			t.Fatal(err)
		}
		dirs[string("abcd"[i])] = r.Dir()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	all, err := List(root)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, e := range all {
		order = append(order, e.Dir)
	}
	if diff := cmp.Diff([]string{dirs["d"], dirs["c"], dirs["b"], dirs["a"]}, order); diff != "" {
		t.Errorf("newest first: %s", diff)
	}
	for _, c := range []struct{ ref, want string }{
		{"latest", "d"}, {"latest~0", "d"}, {"latest~1", "c"}, {"latest~3", "a"},
		{"alpha", "c"}, {"alpha~1", "a"}, {"alpha/latest", "c"}, {"alpha/latest~1", "a"}, {"beta", "b"}, {"Beta!", "d"}, {slug("Beta!"), "d"}, {slug("Beta!") + "~0", "d"},
		{"alpha/20261130T143000Z", "a"}, {dirs["b"], "b"}, {dirs["b"] + "/", "b"}, {filepath.Join(dirs["b"], "run.json"), "b"},
		{filepath.Join(dirs["b"], "journal.jsonl"), "b"},
	} {
		if got, err := Find(root, c.ref); err != nil || got != dirs[c.want] {
			t.Errorf("Find(%q) = %q, %v, not %q", c.ref, got, err, dirs[c.want])
		}
	}
	for _, c := range []struct{ ref, want string }{
		{"", "finding run: the reference is empty"},
		{"latest~4", "finding run: there are only 4 runs in " + root},
		{"alpha~2", "finding run: there are only 2 runs of alpha in " + root},
		{"gamma", `finding run: "gamma" is neither the folder of a run nor a scenario with runs in ` + root + " (alpha, beta, " + slug("Beta!") + ")"},
	} {
		if _, err := Find(root, c.ref); err == nil || err.Error() != c.want {
			t.Errorf("Find(%q): %v, not %s", c.ref, err, c.want)
		}
	}
	if _, err := Latest(filepath.Join(root, "none"), ""); err == nil || !strings.Contains(err.Error(), "there are no runs") {
		t.Errorf("Latest of a root that does not exist: %v", err)
	}
}

// Two runs of one second are told apart by number, not by text: 10 follows 9.
// TestLinkedFolders: runs of a scenario whose folder is a link, and of a results
// folder that is one, are listed, found, resumed and pruned.
func TestLinkedFolders(t *testing.T) {
	root, elsewhere := filepath.Join(t.TempDir(), "results"), t.TempDir()
	if err := errors.Join(os.Symlink(t.TempDir(), root), os.Symlink(elsewhere, filepath.Join(root, "alpha"))); err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for i := range 2 {
		r, err := Create(root, bench.RunInfo{Started: start.Add(time.Duration(i) * time.Minute), Plan: bench.Plan{Scenario: "alpha"}})
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, r.Dir())
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := List(root); err != nil || len(all) != 2 || all[0].Dir != dirs[1] {
		t.Errorf("listed %v, %v", all, err)
	}
	if dir, err := Find(root, "alpha"); err != nil || dir != dirs[1] {
		t.Errorf("found %s, %v", dir, err)
	}
	r, err := Resume(dirs[1])
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if gone, err := Prune(root, PruneOptions{Runs: 1}); err != nil || len(gone) != 1 || gone[0].Dir != dirs[0] {
		t.Errorf("pruned %v, %v", gone, err)
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestListSameSecond(t *testing.T) {
	root := t.TempDir()
	var last string
	for range 11 {
		r, err := Create(root, bench.RunInfo{Started: start, Plan: bench.Plan{Scenario: "quick"}})
		if err != nil {
			t.Fatal(err)
		}
		last = r.Dir()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Latest(root, "quick"); err != nil || got != last || filepath.Base(got) != "20261130T143000Z-11" {
		t.Errorf("Latest = %q, %v, not %q", got, err, last)
	}
}
