package driver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"matrix/internal/bench"
)

// The replay program stands in for a tool that no Debian package holds: this test
// binary under the tool's name. It notes its arguments and the files they name,
// and prints a log.
const (
	replayLog  = "MATRIX_TEST_REPLAY"       // file to print
	replayArgs = "MATRIX_TEST_REPLAY_NOTES" // file to note the arguments in
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "http_load" {
		os.Exit(replay())
	}
	if len(os.Args) == 2 && os.Args[1] == "generate" {
		if err := Generate(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func replay() int {
	text, err := os.ReadFile(os.Getenv(replayLog))
	if err != nil {
		fmt.Println(err)
		return 9
	}
	var notes bytes.Buffer
	for _, a := range os.Args[1:] {
		if content, err := os.ReadFile(a); err == nil {
			a = "<" + strings.TrimSpace(string(content)) + ">"
		}
		fmt.Fprintln(&notes, a)
	}
	if err := os.WriteFile(os.Getenv(replayArgs), notes.Bytes(), 0o600); err != nil {
		fmt.Println(err)
		return 9
	}
	os.Stdout.Write(text)
	if strings.Contains(string(text), "# exit=1") {
		return 1
	}
	return 0
}

// replayed puts the replay program into PATH and lets it print a log. The
// returned function tells the arguments it was called with.
func replayed(t *testing.T, log string) (args func() string) {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "http_load")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "log"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(replayLog, filepath.Join(dir, "log"))
	t.Setenv(replayArgs, filepath.Join(dir, "args"))
	return func() string {
		b, err := os.ReadFile(filepath.Join(dir, "args"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Split(strings.TrimSpace(string(b)), "\n"), " ")
	}
}

// needTool skips where a tool is not installed, unless nothing may be skipped.
func needTool(t *testing.T, tool Tool) {
	t.Helper()
	if _, err := exec.LookPath(tool.Bin); err == nil {
		return
	}
	if os.Getenv("MATRIX_NO_SKIP") != "" {
		t.Fatalf("%s is not installed", tool.Bin)
	}
	t.Skipf("%s is not installed (Debian: %s)", tool.Bin, tool.Package)
}

// measure runs a tool once and checks that the counters add up.
func measure(t *testing.T, tool Tool, l bench.Load) (bench.Measurement, string, error) {
	t.Helper()
	var raw bytes.Buffer
	m, err := tool.Run(t.Context(), trialOf(l), &raw)
	if cerr := m.Check(); cerr != nil {
		t.Error(cerr)
	}
	return m, raw.String(), err
}

// refusals asks for each change of a load what a driver says to it.
func refusals(t *testing.T, tool string, refuse func(bench.Load) error, base bench.Load, cases []refusalCase) {
	t.Helper()
	for _, c := range cases {
		l := base
		l.URLs = append([]string(nil), base.URLs...)
		c.change(&l)
		got := ""
		if err := refuse(l); err != nil {
			got = strings.TrimPrefix(err.Error(), tool+" cannot make this load: ")
		}
		if got != c.want {
			t.Errorf("%s refused with %q, not %q", tool, got, c.want)
		}
	}
}

type refusalCase struct {
	change func(*bench.Load)
	want   string
}
