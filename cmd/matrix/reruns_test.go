package main

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReruns runs the scenarios that repeat the published comparisons, in a form
// as short as can be, on real servers and tools.
func TestReruns(t *testing.T) {
	for _, c := range []struct {
		scenario string
		sets     []string
		trials   int
		shown    []string // in the text report
	}{
		{"solaris-http-load", []string{"duration=[200ms, 2s]"}, 4, []string{"Fetches/Second", "Beside the published: Apache 1.3.24 Benchmark", "Linux, Performance Tuned"}},
		{"rhel-ab", []string{"requests=300"}, 24, []string{"99 % (ms)", "Beside the published: Apache on RHEL 5 and RHEL 6"}},
		{"tomcat-connectors", []string{"requests=300"}, 30, []string{"Apache + mod_proxy_ajp", "How the systems compare, measured and published", "Without a published counterpart in tomcat-2004: 1 cell"}},
		{"zeusbench-smp", []string{"duration=100ms"}, 54, []string{"SMP, 2, 4", "Beside the published: ZeusBench"}},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			t.Parallel()
			path, err := filepath.Abs("../../scenarios/" + c.scenario + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			needTools(t, path, c.sets)
			dir := openDir(t)
			if err := os.CopyFS(filepath.Join(dir, "results", "published"), os.DirFS("../../results/published")); err != nil {
				t.Fatal(err)
			}
			args := []string{"run", path}
			for _, s := range c.sets {
				args = append(args, "--set", s)
			}
			cmd := exec.CommandContext(t.Context(), "matrix", args...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, words := range c.shown {
				if !strings.Contains(string(out), words) {
					t.Errorf("no %q in\n%s", words, out)
				}
			}
			states := column(t, filepath.Join(dir, "results", c.scenario, "*", "report.csv"), "state")
			if len(states) != c.trials || slices.ContainsFunc(states, func(s string) bool { return s != "ok" }) {
				t.Errorf("%d trials, want %d: %q\n%s", len(states), c.trials, states, out)
			}
		})
	}
}

// needTools skips where a server or tool of the scenario is absent, unless
// nothing may be skipped.
func needTools(t *testing.T, path string, sets []string) {
	t.Helper()
	_, plan, err := readPlan(path, "", sets...)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := checkTools(t.Context(), plan); err != nil {
		if os.Getenv("MATRIX_NO_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// openDir is a directory that servers which drop to another user may enter.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for d := dir; strings.HasPrefix(d, filepath.Clean(os.TempDir())+string(filepath.Separator)); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// column lists the values under a heading of the only CSV file that matches.
func column(t *testing.T, pattern, heading string) (values []string) {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %q, %v", pattern, found, err)
	}
	f, err := os.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%s: %v", found[0], err)
	}
	at := slices.Index(rows[0], heading)
	for _, row := range rows[1:] {
		values = append(values, row[at])
	}
	return values
}
