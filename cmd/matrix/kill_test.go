package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/results"
)

const killScenario = `
files: {small: 1.5kB, large: 100kB}
systems:
  - {labels: {Server: embedded}, server: embedded}
  - {labels: {Server: kept}, server: embedded, keep_alive: true}
grid:
  - {file: [small, large], concurrency: [1, 10], requests: [50, 200]}
rounds: 3
`

// TestKilledRunsResumeToTheSameCells ends a sweep with SIGKILL at ten random
// moments and takes it up again each time. In the end the journal holds just
// the trials of an undisturbed run, each whole, and no server is left.
func TestKilledRunsResumeToTheSameCells(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kill.yaml")
	if err := os.WriteFile(path, []byte(killScenario), 0o644); err != nil {
		t.Fatal(err)
	}
	calm, rough := filepath.Join(dir, "calm"), filepath.Join(dir, "rough")
	if out, err := exec.Command("matrix", "run", path, "--results", calm).CombinedOutput(); err != nil {
		t.Fatalf("undisturbed run: %v\n%s", err, out)
	}
	r := rand.New(rand.NewPCG(20, 1))
	for range 10 {
		runAndKill(t, resumeArgs(path, rough), 30*time.Millisecond+time.Duration(r.Int64N(int64(400*time.Millisecond))))
		awaitNoProcess(t, rough)
	}
	if out, err := exec.Command("matrix", resumeArgs(path, rough)...).CombinedOutput(); err != nil {
		t.Fatalf("last resume: %v\n%s", err, out)
	}
	awaitNoProcess(t, rough)
	got, want := trialsOf(t, rough), trialsOf(t, calm)
	if !slices.Equal(got, want) {
		t.Errorf("trials after the kills:\n%s\nundisturbed:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(want) != 2*2*2*2*3 {
		t.Errorf("%d trials, want 48", len(want))
	}
}

func resumeArgs(path, root string) []string {
	args := []string{"run", path, "--results", root}
	if _, err := results.Latest(root, "kill"); err == nil {
		args = append(args, "--resume", "latest")
	}
	return args
}

func runAndKill(t *testing.T, args []string, after time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	var out bytes.Buffer
	c := exec.CommandContext(ctx, "matrix", args...) // ends it with SIGKILL
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil && ctx.Err() == nil {
		t.Fatalf("matrix %v: %v\n%s", args, err, &out)
	}
}

// awaitNoProcess waits until no process but this one names the folder in its
// command line.
func awaitNoProcess(t *testing.T, folder string) {
	t.Helper()
	deadline, tick := time.After(15*time.Second), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for {
		left := processesNaming(t, folder)
		if len(left) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("still there: %q", left)
		}
	}
}

func processesNaming(t *testing.T, folder string) (found []string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range lines {
		line, err := os.ReadFile(f)
		if err == nil && bytes.Contains(line, []byte(folder)) {
			found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// trialsOf lists the trials that a run's journal holds, in lexical order, each
// with its state.
func trialsOf(t *testing.T, root string) (ids []string) {
	t.Helper()
	dir, err := results.Latest(root, "kill")
	if err != nil {
		t.Fatal(err)
	}
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range run.Records() {
		if r.State == bench.StateOK && r.Issued != r.Cell.Load.Requests {
			t.Errorf("%s issued %d of %d", r.ID(), r.Issued, r.Cell.Load.Requests)
		}
		ids = append(ids, r.ID()+" "+string(r.State))
	}
	slices.Sort(ids)
	return ids
}
