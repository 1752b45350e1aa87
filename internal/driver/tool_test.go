package driver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/transcript"
)

// script is a Tool that runs a shell script, and reads its output as ab's.
func script(text string) Tool {
	return Tool{
		Bin: "sh", Package: "dash", Parse: transcript.ParseAB,
		VersionArgs: []string{"-c", "echo version 7"},
		Version:     func(s string) (string, bool) { return strings.TrimSpace(strings.TrimPrefix(s, "version ")), s != "" },
		Args:        func(_ bench.Load, scratch string) ([]string, error) { return []string{"-c", text, scratch}, nil },
	}
}

func TestTool(t *testing.T) {
	const report = "echo This is ApacheBench, Version 2.3; echo Complete requests: 3; echo Failed requests: 0; echo Total transferred: 9 bytes; "
	secret := bench.Load{Header: []bench.Header{{Name: "Cookie", Value: "sesame"}}, URLs: []string{"http://u:pass@h/?key=v1234"}}
	for _, c := range []struct {
		name, script string
		ok           int64
		raw, err     string
	}{
		{"well", report, 3, "This is ApacheBench, Version 2.3\nComplete requests: 3\nFailed requests: 0\nTotal transferred: 9 bytes\n", ""},
		{"on stderr", "{ " + report + "} >&2", 3, "This is ApacheBench, Version 2.3\nComplete requests: 3\nFailed requests: 0\nTotal transferred: 9 bytes\n", ""},
		{"well, with a bad status", report + "exit 9", 3, "This is ApacheBench, Version 2.3\nComplete requests: 3\nFailed requests: 0\nTotal transferred: 9 bytes\n", ""},
		{"no words", "exit 3", 0, "", "sh ended with exit status 3: reading transcript: it is empty"},
		{"words", "echo cannot do; exit 3", 0, "cannot do\n", "sh ended with exit status 3: cannot do"},
		{"control characters", `printf 'a\033[31mb\007'; exit 3`, 0, "a\x1b[31mb\a", "sh ended with exit status 3: a?[31mb?"},
		{"ends well without a report", "echo hello", 0, "hello\n", "sh ended well, but without a report: reading ab's report: there is none in the text"},
		{"secrets", "echo sesame u:pass pass key=v1234 sesame; exit 3", 0, "*** *** *** *** ***\n", "sh ended with exit status 3: *** *** *** *** ***"},
		{"began and ended", "echo 'Benchmarking h (be patient)'; echo Completed 100 requests; exit 3", 100, "Benchmarking h (be patient)\nCompleted 100 requests\n",
			"sh ended with exit status 3: Completed 100 requests"},
		{"gave up midway", "echo This is ApacheBench, Version 2.3; echo 'recv: x (104)'; echo Total of 3 requests completed; exit 104", 3,
			"This is ApacheBench, Version 2.3\nrecv: x (104)\nTotal of 3 requests completed\n", "sh gave up after 3 requests"},
		{"speaks plain English", report + `echo "$LC_ALL" >"$0/f"; grep -q '^C$' "$0/f" || exit 1`, 3, "This is ApacheBench, Version 2.3\nComplete requests: 3\nFailed requests: 0\nTotal transferred: 9 bytes\n", ""},
	} {
		var raw bytes.Buffer
		m, err := script(c.script).Run(t.Context(), trialOf(secret), &raw)
		words := ""
		if err != nil {
			words = err.Error()
		}
		if m.OK != c.ok || raw.String() != c.raw || words != c.err {
			t.Errorf("%s: ok %d, raw %q, error %q", c.name, m.OK, raw.String(), words)
		}
		if m.Client == nil {
			t.Errorf("%s: no cost", c.name)
		}
	}
}

func TestMissingTool(t *testing.T) {
	missing := Tool{Bin: "no-such-tool", Package: "some-package", Args: func(bench.Load, string) ([]string, error) { return nil, nil }}
	const want = "no-such-tool is not installed: on Debian it is in the package some-package"
	if _, err := missing.Check(t.Context()); err == nil || err.Error() != want {
		t.Errorf("Check: %v", err)
	}
	if _, err := missing.Run(t.Context(), trialOf(bench.Load{}), io.Discard); err == nil || err.Error() != want {
		t.Errorf("Run: %v", err)
	}
	if v, err := script("").Check(t.Context()); err != nil || v != "7" {
		t.Errorf("Check of a tool that is there: %q, %v", v, err)
	}
}

func TestTooMuchOutput(t *testing.T) {
	var raw bytes.Buffer
	_, err := script("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done").Run(t.Context(), trialOf(bench.Load{}), &raw)
	if err == nil || err.Error() != "sh printed more than 4 MiB" {
		t.Error(err)
	}
	if raw.Len() != longestOutput {
		t.Errorf("raw has %d bytes", raw.Len())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestRawUnwritable(t *testing.T) {
	_, err := script("echo x").Run(t.Context(), trialOf(bench.Load{}), full{})
	if !errors.Is(err, syscall.ENOSPC) || err.Error() != "keeping what sh printed: no space left on device" {
		t.Error(err)
	}
}

// A tool that is stopped takes its children with it, even those that ignore
// being asked.
func TestStopWithChildren(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pid")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		until(func() bool { return readPID(file) != 0 })
		cancel()
	}()
	tool := script(`sh -c 'trap "" INT TERM; echo $$ >"$0.new"; mv "$0.new" "$0"; sleep 600' "` + file + `" & wait`)
	_, err := tool.Run(ctx, trialOf(bench.Load{}), io.Discard)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	pid := readPID(file)
	if pid == 0 || !until(func() bool { return !alive(pid) }) {
		t.Errorf("child %d outlived the trial", pid)
	}
}

// until waits for a condition, for ten seconds at most.
func until(is func() bool) bool {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); !is(); <-tick.C {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

func readPID(file string) int {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return n
}

// alive reports whether a process is there and more than a zombie that nobody
// has reaped yet.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(b), ") Z ")
}
