package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

const nightly = "../../examples/nightly"

func nightFile(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(nightly, name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// need returns the path of a real tool; without it the test is skipped, or
// fails where nothing may be.
func need(t *testing.T, tool string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err != nil {
		if os.Getenv("MATRIX_NO_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return path
}

func TestNightlyScriptIsClean(t *testing.T) {
	if out, err := exec.Command(need(t, "shellcheck"), nightFile(t, "nightly.sh")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNightlyUnits has systemd check the units, with the script in its place.
func TestNightlyUnits(t *testing.T) {
	analyze := need(t, "systemd-analyze")
	dir := t.TempDir()
	argv := []string{"verify", "--man=no"}
	for _, name := range []string{"matrix-nightly.service", "matrix-nightly.timer", "matrix-mail@.service"} {
		text, err := os.ReadFile(nightFile(t, name))
		if err != nil {
			t.Fatal(err)
		}
		const installed = "/usr/local/lib/matrix/nightly.sh"
		text = bytes.ReplaceAll(text, []byte(installed), []byte(nightFile(t, "nightly.sh")))
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		argv = append(argv, path)
	}
	if out, err := exec.Command(analyze, argv...).CombinedOutput(); err != nil || bytes.Contains(out, []byte("matrix-")) {
		t.Errorf("%v\n%s", err, out)
	}
	out, err := exec.Command(analyze, "calendar", setting(t, "matrix-nightly.timer", "OnCalendar")).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Next elapse") || strings.Contains(string(out), "never") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNightlyScenario: the scenario is in order, and its budget ends it before
// the service's own limit does.
func TestNightlyScenario(t *testing.T) {
	s, plan, err := readPlan(nightFile(t, "nightly.yaml"), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, notice := range s.Notices() {
		t.Errorf("%s", notice)
	}
	text, err := os.ReadFile(nightFile(t, "nightly.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile("../../scenarios/scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
	limit, err := time.ParseDuration(setting(t, "matrix-nightly.service", "TimeoutStartSec"))
	if err != nil || plan.Budget <= 0 || plan.Budget+15*time.Minute > limit {
		t.Errorf("a budget of %v, and %v for the service (%v)", plan.Budget, limit, err)
	}
}

// setting is the value of a unit's only setting of that name.
func setting(t *testing.T, unit, name string) string {
	t.Helper()
	text, err := os.ReadFile(nightFile(t, unit))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^`+name+`=(.*)$`).FindAllSubmatch(text, -1)
	if len(found) != 1 {
		t.Fatalf("%s has %d settings %s", unit, len(found), name)
	}
	return string(found[0][1])
}

// TestNightlyCrontab runs the line as cron does: what it prints is mailed.
func TestNightlyCrontab(t *testing.T) {
	flock := need(t, "flock")
	text, err := os.ReadFile(nightFile(t, "crontab"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	_, line, _ := strings.Cut(string(text), "* * * ")
	line = strings.NewReplacer("/var/lib/matrix", dir, "/usr/local/lib/matrix/nightly.sh /etc/matrix/nightly.yaml", "sh night.sh").Replace(line)
	for _, c := range []struct{ name, night, before, mail, log string }{
		{"a good night", "echo fine", "", "", "fine\n"},
		{"slower", "echo slow; exit 3", "", "exit status 3\nslow\n", "slow\n"},
		{"one is at work", "echo twice", flock + " night.lock ", "no night was begun: another one is at work\n", "slow\n"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "night.sh"), []byte(c.night), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "line.sh"), []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		run := exec.Command("sh", "-c", "exec "+c.before+"sh line.sh")
		run.Dir = dir
		mail, err := run.CombinedOutput()
		if err != nil || string(mail) != c.mail {
			t.Errorf("%s: %v, mailed %q, want %q", c.name, err, mail, c.mail)
		}
		if log, err := os.ReadFile(filepath.Join(dir, "night.log")); err != nil || string(log) != c.log {
			t.Errorf("%s: log %q, want %q (%v)", c.name, log, c.log, err)
		}
	}
}

// TestNightlyCrontabTellsWhyNoNightBegan: item 18: only a lock that is held means
// that another night is at work.
func TestNightlyCrontabTellsWhyNoNightBegan(t *testing.T) {
	need(t, "flock")
	text, err := os.ReadFile(nightFile(t, "crontab"))
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(text), "* * * ")
	for _, c := range []struct{ name, folder, path, want string }{
		{"no folder", filepath.Join(t.TempDir(), "gone"), os.Getenv("PATH"), "gone"},
		{"no flock", t.TempDir(), t.TempDir(), "flock"},
	} {
		cron := exec.Command("/bin/sh", "-c", strings.ReplaceAll(line, "/var/lib/matrix", c.folder))
		cron.Env = []string{"PATH=" + c.path}
		mail, err := cron.CombinedOutput()
		if err != nil || !strings.Contains(string(mail), c.want) || strings.Contains(string(mail), "another one") || !strings.Contains(string(mail), "no night was begun") {
			t.Errorf("%s: %v, mailed %q", c.name, err, mail)
		}
	}
}

// workflow is what of a GitHub workflow is looked at.
type workflow struct {
	On struct {
		Schedule []struct {
			Cron string `yaml:"cron"`
		} `yaml:"schedule"`
	} `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Concurrency struct {
		Group string `yaml:"group"`
	} `yaml:"concurrency"`
	Jobs map[string]struct {
		RunsOn  string            `yaml:"runs-on"`
		Minutes int               `yaml:"timeout-minutes"`
		Env     map[string]string `yaml:"env"`
		Steps   []struct {
			Name string         `yaml:"name"`
			Uses string         `yaml:"uses"`
			Run  string         `yaml:"run"`
			If   string         `yaml:"if"`
			With map[string]any `yaml:"with"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

func readWorkflow(t *testing.T) (w workflow) {
	t.Helper()
	text, err := os.ReadFile(nightFile(t, "github-workflow.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestNightlyWorkflow(t *testing.T) {
	w := readWorkflow(t)
	if len(w.On.Schedule) != 1 || len(strings.Fields(w.On.Schedule[0].Cron)) != 5 {
		t.Errorf("on: %+v", w.On)
	}
	if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" || w.Concurrency.Group == "" {
		t.Errorf("permissions %v, concurrency %+v", w.Permissions, w.Concurrency)
	}
	pinned := regexp.MustCompile(`^[a-z-]+/[a-z-]+(/[a-z]+)?@v\d+$`)
	for name, job := range w.Jobs {
		if job.RunsOn == "" || job.Minutes <= 0 || len(job.Steps) == 0 {
			t.Errorf("%s: %+v", name, job)
		}
		for _, step := range job.Steps {
			if (step.Uses == "") == (step.Run == "") || step.Uses != "" && !pinned.MatchString(step.Uses) {
				t.Errorf("%s: %+v", name, step)
			}
		}
	}
}

var (
	command = regexp.MustCompile(`(?m)(?:^|\s)matrix ([a-z]+ .*)$`)
	inline  = regexp.MustCompile("`matrix ([^`]+)`")
)

// TestNightlyCommands: every command that the page and the files name, is one
// of this program and has these flags.
func TestNightlyCommands(t *testing.T) {
	page, err := os.ReadFile("../../docs/nightly.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, block := range fenced.FindAllStringSubmatch(string(page), -1) {
		for _, m := range command.FindAllStringSubmatch(block[2], -1) {
			lines = append(lines, m[1])
		}
	}
	for _, m := range inline.FindAllStringSubmatch(string(page), -1) {
		lines = append(lines, m[1])
	}
	scenario, err := os.ReadFile(nightFile(t, "nightly.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^# +matrix (.*)$`).FindAllStringSubmatch(string(scenario), -1) {
		lines = append(lines, m[1])
	}
	if len(lines) < 8 {
		t.Fatalf("only %q", lines)
	}
	for _, line := range lines {
		knows(t, line)
	}
}

// knows fails the test where this program has no such command, or the command
// not these flags. A shell splits the words.
func knows(t *testing.T, line string) {
	t.Helper()
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+line).Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	c, rest, err := rootCommand().Find(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"))
	if err != nil {
		t.Errorf("%s: %v", line, err)
		return
	}
	if err := c.ParseFlags(rest); err != nil {
		t.Errorf("%s: %v", line, err)
	}
}
