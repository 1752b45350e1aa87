package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// aNight is a scenario for nights without load: X_FAKE tells how one turns out.
const aNight = `title: nights
files: {small: 1500}
systems:
  - labels: {Server: nginx}
    url: http://192.0.2.1/
    headers: {X-Fake: "${X_FAKE}"}
load: {driver: fake}
grid: [{file: small, concurrency: [1, 2, 3], requests: 500}]
rounds: 12
`

// nights is a folder in which one night follows another.
type nights struct {
	t   *testing.T
	dir string
}

func newNights(t *testing.T) nights {
	need(t, "bash")
	n := nights{t, t.TempDir()}
	n.write("night.yaml", aNight)
	return n
}

func (n nights) write(name, text string) {
	n.t.Helper()
	path := filepath.Join(n.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		n.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		n.t.Fatal(err)
	}
}

func (n nights) read(name string) string {
	n.t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, name))
	if err != nil {
		n.t.Fatal(err)
	}
	return string(text)
}

// command is a command of a night that turns out as fake says.
func (n nights) command(fake string, argv ...string) (*exec.Cmd, *bytes.Buffer) {
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = n.dir
	c.Env = append(os.Environ(), "X_FAKE="+fake, "SITE=public", "SITE_URL=https://example.org/bench/", "METRICS=matrix.prom")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	return c, &out
}

// TestNightlyScript is a week of nights, one after the other over the same
// results.
func TestNightlyScript(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	n.write("slip.yaml", strings.Replace(aNight, "rounds", "runds", 1))
	n.write("plain", "a file where a folder should be")
	script := nightFile(t, "nightly.sh")
	for _, night := range []struct {
		name, fake string
		argv       []string
		want       int
		says       string // the last line
	}{
		{"the first", "seed=1", []string{"bash", script, "night.yaml"}, 0, "night: run 0 history 0 metrics 0 prune 0 site 0"},
		{"a quiet one", "seed=2", []string{"bash", script, "night.yaml"}, 0, "night: run 0 compare 0 history 0 metrics 0 prune 0 site 0"},
		{"slower", "seed=3,slow=1.3", []string{"bash", script, "night.yaml"}, 3, "night: run 0 compare 3 history 0 metrics 0 prune 0 site 0"},
		{"failed cells", "seed=4,fail", []string{"bash", script, "night.yaml"}, 4, "night: run 4 compare 3 history 0 metrics 0 prune 0 site 0"},
		{"flags of run", "seed=5", []string{"bash", script, "night.yaml", "--only", "concurrency=1"}, 0, "night: run 0 compare 0 history 0 metrics 0 prune 0 site 0"},
		{"gone on with", "seed=5", []string{"bash", script, "night.yaml", "--resume", "latest"}, 0, "night: run 0 compare 0 history 0 metrics 0 prune 0 site 0"},
		{"a mistake in the scenario", "", []string{"bash", script, "slip.yaml"}, 2, "night: run 2 prune 0 site 0"},
		{"no such program", "", []string{"env", "MATRIX=./none", "bash", script, "night.yaml"}, 1, "night: run 1 prune 1 site 1"},
		{"a program that is killed", "", []string{"bash", "-c", "matrix() { kill -KILL $BASHPID; }; . " + script, "nightly", "night.yaml"}, 1, "night: run 1 prune 1 site 1"},
		{"nowhere to write", "seed=6", []string{"env", "METRICS=plain/x", "bash", script, "night.yaml"}, 1, "night: run 0 compare 0 history 0 metrics 1 prune 0 site 0"},
	} {
		c, out := n.command(night.fake, night.argv...)
		err := c.Run()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if got := c.ProcessState.ExitCode(); got != night.want || lines[len(lines)-1] != night.says {
			t.Errorf("%s: exit status %d, want %d with %q\n%s", night.name, got, night.want, night.says, out)
		}
	}
	if text := n.read("matrix.prom"); !strings.HasSuffix(text, "# EOF\n") || !strings.Contains(text, "matrix_requests_per_second{") {
		t.Errorf("matrix.prom: %s", text)
	}
	if text := n.read("public/feed.xml"); !strings.Contains(text, "https://example.org/bench/") {
		t.Errorf("feed.xml: %s", text)
	}
}

// TestNightlyDiskFull: the disk is full in the middle of a sweep. What was
// measured by then is compared, and the night is ours to mend.
func TestNightlyDiskFull(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	script := nightFile(t, "nightly.sh")
	if c, out := n.command("seed=1", "bash", script, "night.yaml"); c.Run() != nil {
		t.Fatalf("the night before:\n%s", out)
	}
	c, out := n.command("seed=2", "sh", "-c", "ulimit -f 32; exec bash "+script+" night.yaml")
	_ = c.Run()
	if got := c.ProcessState.ExitCode(); got != exitOurs || !strings.Contains(out.String(), "night: run 1 compare ") {
		t.Errorf("exit status %d\n%s", got, out)
	}
	c, out = n.command("seed=2", "bash", script, "night.yaml", "--resume", "latest")
	if err := c.Run(); err != nil || !strings.Contains(out.String(), "night: run 0 compare 0 ") {
		t.Errorf("gone on with: %v\n%s", err, out)
	}
}

// TestNightlyStopped: a signal to the script, as systemd and cron send it, ends
// the sweep in order; what was measured is a run.
func TestNightlyStopped(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		n := newNights(t)
		c, out := n.command("hang@4", "bash", nightFile(t, "nightly.sh"), "night.yaml")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if err := awaitFile(filepath.Join(n.dir, "results/night/*/journal.jsonl")); err != nil {
			t.Fatal(err)
		}
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		if got := c.ProcessState.ExitCode(); got != exitInterrupted || !strings.HasSuffix(out.String(), "night: run 130\n") {
			t.Errorf("%v: exit status %d\n%s", signal, got, out)
		}
		if c, out := n.command("", "matrix", "report", "latest", "--format", "csv"); c.Run() != nil || !strings.Contains(out.String(), ",ok,") {
			t.Errorf("%v: the run: %s", signal, out)
		}
	}
}

// TestNightlyWorkflowRuns runs the workflow's own steps for three nights as a
// runner does, without those that install.
func TestNightlyWorkflowRuns(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	n.write("examples/nightly/nightly.yaml", strings.Replace(aNight, "requests: 500", "duration: 100ms", 1))
	for i, night := range []struct {
		fake    string
		failed  string // the steps that end red
		summary string
	}{
		{"seed=1", "", "The first night: nothing to compare with."},
		{"seed=2", "", "None of 3 cells measured in both is slower"},
		{"seed=3,slow=1.6", "Compare with the nights before 3", "slower"},
		{"seed=4,fail", "Sweep 4, Compare with the nights before 3", "connection refused"},
	} {
		n.write("summary.md", "")
		var failed []string
		for _, job := range readWorkflow(t).Jobs {
			for _, step := range job.Steps {
				if !strings.Contains(step.Run, "matrix ") {
					continue
				}
				n.write("step.sh", step.Run)
				c, out := n.command(night.fake, "bash", "-e", "step.sh")
				c.Env = append(c.Env, "GITHUB_STEP_SUMMARY="+filepath.Join(n.dir, "summary.md"))
				for name, value := range job.Env {
					c.Env = append(c.Env, name+"="+value)
				}
				c.Env = append(c.Env, "DURATION=100ms")
				_ = c.Run()
				if code := c.ProcessState.ExitCode(); code != 0 {
					failed = append(failed, step.Name+" "+strconv.Itoa(code))
					t.Logf("%s\n%s", step.Name, out)
				}
			}
		}
		if got := strings.Join(failed, ", "); got != night.failed || !strings.Contains(n.read("summary.md"), night.summary) {
			t.Errorf("night %d: %q failed, want %q, and %q in\n%s", i+1, got, night.failed, night.summary, n.read("summary.md"))
		}
		for _, file := range []string{"junit.xml", "bench.json", "public/index.html"} {
			n.read(file)
		}
	}
}
