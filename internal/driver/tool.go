package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/transcript"
)

// longestOutput bounds what an external tool may print, in bytes.
const longestOutput = 4 << 20

// Tool is an external load generator, as a value: how it is called and how its
// words are read. Everything else, from process groups to secrets, is the same
// for all of them.
type Tool struct {
	Bin     string // looked up in PATH
	Package string // Debian's, which holds it; "" for none
	Home    string // where it is to be had when Debian has no package

	// VersionArgs make the tool print its version, and Version finds it there.
	VersionArgs []string
	Version     func(output string) (string, bool)

	// Args are the arguments for a load. Files that they name, such as one with
	// the body to send, go into scratch, which is removed afterwards.
	Args func(l bench.Load, scratch string) ([]string, error)

	// Parse reads what the tool printed, on stdout and stderr together.
	Parse func(io.Reader) ([]transcript.Report, error)

	// Amend, when not nil, corrects a report by what the load expects and the
	// tool does not check. It may ask the server, which has nothing else to do by
	// then.
	Amend func(ctx context.Context, l bench.Load, r *transcript.Report)
}

func (t Tool) driver() Driver { return t }

// Check runs the tool for its version.
func (t Tool) Check(ctx context.Context) (string, error) {
	path, err := t.path()
	if err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	out := &bounded{most: 64 << 10}
	cmd := exec.CommandContext(ctx, path, t.VersionArgs...)
	cmd.Stdout, cmd.Stderr, cmd.Env = out, out, environment()
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if version, ok := t.Version(out.String()); ok {
		return version, nil
	}
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", t.Bin, err)
	}
	return "", fmt.Errorf("asking %s for its version: it printed none", t.Bin)
}

func (t Tool) path() (string, error) {
	path, err := exec.LookPath(t.Bin)
	if err != nil && t.Package == "" {
		return "", fmt.Errorf("%s is not installed: it is to be had from %s", t.Bin, t.Home)
	}
	if err != nil {
		return "", fmt.Errorf("%s is not installed: on Debian it is in the package %s", t.Bin, t.Package)
	}
	return path, nil
}

// Run starts the tool in a process group of its own and reads its report.
func (t Tool) Run(ctx context.Context, trial bench.Trial, raw io.Writer) (m bench.Measurement, err error) {
	l := trial.Cell.Load
	hide := secrets(l)
	scratch, err := os.MkdirTemp("", "matrix-")
	if err != nil {
		return m, fmt.Errorf("making room for %s: %w", t.Bin, err)
	}
	defer os.RemoveAll(scratch)
	path, err := t.path()
	if err != nil {
		return m, err
	}
	args, err := t.Args(l, scratch)
	if err != nil {
		return m, hide.err(err)
	}
	p, err := run(ctx, command(path, args, l.OpenFiles), l.Nice)
	if _, werr := io.WriteString(raw, hide.text(p.output)); werr != nil {
		return m, fmt.Errorf("keeping what %s printed: %w", t.Bin, werr)
	}
	if err != nil && ctx.Err() == nil && p.client == nil {
		return m, fmt.Errorf("running %s: %w", t.Bin, hide.err(err))
	}
	m, rerr := t.conclude(ctx, l, p, err)
	m.Client = p.client
	hide.measurement(&m)
	if ctx.Err() != nil {
		return m, fmt.Errorf("%s was stopped: %w", t.Bin, context.Cause(ctx))
	}
	return m, hide.err(rerr)
}

// conclude makes of what the tool printed and how it ended a measurement.
func (t Tool) conclude(ctx context.Context, l bench.Load, p ended, exit error) (m bench.Measurement, err error) {
	if errors.Is(exit, errTooMuch) {
		return m, fmt.Errorf("%s printed more than %d MiB", t.Bin, longestOutput>>20)
	}
	reports, err := t.Parse(strings.NewReader(p.output))
	if err != nil {
		if exit == nil {
			return m, fmt.Errorf("%s ended well, but without a report: %w", t.Bin, err)
		}
		return m, fmt.Errorf("%s ended with %w: %s", t.Bin, exit, lastWords(p.output, err))
	}
	r := reports[len(reports)-1]
	if t.Amend != nil {
		t.Amend(ctx, l, &r)
	}
	m = r.Measurement
	if exit != nil && r.Unexplained() {
		return m, fmt.Errorf("%s ended with %w: %s", t.Bin, exit, lastWords(p.output, errors.New(r.Abort)))
	}
	if exit != nil && r.Cut != "" { // what a tool printed that ended well is all there is
		m.Notes = append(m.Notes, r.CutNote())
	}
	if state, _ := m.State(); r.Abort != "" && state.Ranked() {
		// What it had counted until then is no measurement of the whole load.
		return m, fmt.Errorf("%s gave up after %d requests", t.Bin, m.OK)
	}
	return m, nil
}

// lastWords is the last line that a tool printed, bounded and on one line; what
// its parser says where it printed none, or only how it is used.
func lastWords(output string, parse error) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "" || strings.Contains(output, "Usage:") {
		return parse.Error()
	}
	if len(last) > 500 {
		last = strings.ToValidUTF8(last[:500], "") + "..."
	}
	return strings.Map(printable, strings.ToValidUTF8(last, "?"))
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '?'
	}
	return r
}

// environment makes a tool speak English and write numbers with a point.
func environment() []string { return append(os.Environ(), "LC_ALL=C") }
