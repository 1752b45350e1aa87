package transcript

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
)

// Every transcript is cut at every line, and some of each kind at every byte.
// What is left gives the figures of the whole; or some of them, said
// to be cut short; or a run that failed; or an error. It never gives another
// figure, nor less than all without a word.
func TestCutAnywhere(t *testing.T) {
	for _, name := range transcripts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain := mustRead(t, name)
			if shell, rest, ok := strings.Cut(plain, "\n"); ok && strings.HasPrefix(shell, "# cmd:") && !strings.Contains(shell, " -d ") {
				plain = rest // without the word that a shell adds at the end, too
			}
			plain, _, _ = strings.Cut(plain, "# exit=")
			parse := anyParserOf(t, name)
			whole, err := parse(strings.NewReader(plain))
			if err != nil {
				whole = nil
			}
			every := everyByte[name]
			for n := range len(plain) {
				line := strings.LastIndexByte(plain[:n], '\n') + 1
				if every || n-line < 2 || plain[n-1] == ' ' && plain[line] != ' ' {
					checkCut(t, parse, whole, plain[:n])
				}
			}
		})
	}
}

// everyByte names a transcript of each tool, era and kind that is cut at every
// byte; the others are cut before and behind the words of their lines.
var everyByte = map[string]bool{
	"ab11-ok.txt": true, "ab23-503-alternate.txt": true, "ab23-reset-noR.txt": true, "hl-port03.txt": true, "hl-rate600.txt": true,
	"wrk-latency.txt": true, "wrk-close.txt": true, "h2-503.txt": true,
}

func checkCut(t *testing.T, parse parser, whole []Report, text string) {
	t.Helper()
	tail := text[max(len(text)-60, 0):]
	got, err := parse(strings.NewReader(text))
	if err != nil {
		return
	}
	if len(got) > max(len(whole), 1) {
		t.Fatalf("...%q: %d reports, not %d", tail, len(got), len(whole))
	}
	for i, g := range got {
		if g.Abort != "" {
			if state, _ := g.State(); state == bench.StateOK {
				t.Fatalf("...%q: %q is ok", tail, g.Abort)
			}
			continue
		}
		if len(whole) == 0 {
			t.Fatalf("...%q: a report, where the whole has none", tail)
		}
		less, diff := compareCut(whole[i], g)
		if diff != "" {
			t.Fatalf("...%q: %s", tail, diff)
		}
		if less != "" && g.Cut == "" {
			t.Fatalf("...%q: %s is not there, and nothing is said of it", tail, less)
		}
	}
}

// compareCut tells a figure that a report lacks, and one that differs.
func compareCut(whole, got Report) (less, diff string) {
	if got.Issued != whole.Issued || got.OK != whole.OK && got.Cut == "" || got.Aborted != whole.Aborted {
		return "", cmp.Diff(whole.Measurement, got.Measurement, cmp.AllowUnexported())
	}
	if !cmp.Equal(got.Failed, whole.Failed) && got.Cut == "" {
		return "", cmp.Diff(whole.Failed, got.Failed)
	}
	lacks := func(what string, absent, equal bool) {
		switch {
		case equal:
		case absent:
			less = what
		default:
			diff += what + " differs; "
		}
	}
	number := func(what string, w, g *float64) {
		lacks(what, g == nil, g == w || g != nil && w != nil && *g == *w)
	}
	summary := func(what string, w, g *bench.Summary) {
		if w == nil || g == nil {
			lacks(what, g == nil, g == w)
			return
		}
		for _, x := range [][2]*float64{{w.Min, g.Min}, {w.Mean, g.Mean}, {w.SD, g.SD}, {w.Median, g.Median}, {w.Max, g.Max}} {
			number(what, x[0], x[1])
		}
	}
	lacks("elapsed", got.Elapsed == 0, math.Abs((got.Elapsed-whole.Elapsed).Seconds()) <= 0.0005)
	lacks("wire bytes", got.WireBytes == 0, got.WireBytes == whole.WireBytes)
	lacks("body bytes", got.BodyBytes == 0, got.BodyBytes == whole.BodyBytes)
	lacks("concurrency", got.Concurrency == 0, got.Concurrency == whole.Concurrency)
	lacks("host", got.Host == "", got.Host == whole.Host)
	lacks("path", got.Path == "", got.Path == whole.Path)
	lacks("server", got.Server == "", got.Server == whole.Server)
	number("rate", whole.Printed.RequestsPerSecond, got.Printed.RequestsPerSecond)
	number("bytes/s", whole.Printed.BytesPerSecond, got.Printed.BytesPerSecond)
	summary("connect", whole.Printed.Connect, got.Printed.Connect)
	summary("first byte", whole.Printed.FirstByte, got.Printed.FirstByte)
	summary("processing", whole.Printed.Processing, got.Printed.Processing)
	summary("latency", whole.Printed.Latency, got.Printed.Latency)
	q, all := got.Printed.Quantiles, whole.Printed.Quantiles
	lacks("quantiles", len(q) < len(all), slices.Equal(q, all))
	if len(q) > len(all) || !slices.Equal(q, all[:len(q)]) {
		diff += "quantiles differ; "
	}
	lacks("kept", got.Kept == nil, cmp.Equal(got.Kept, whole.Kept))
	lacks("protocol", got.Protocol == "", got.Protocol == whole.Protocol)
	lacks("status", len(got.Status) < len(whole.Status), cmp.Equal(got.Status, whole.Status))
	return less, diff
}

func anyParserOf(t *testing.T, name string) parser {
	switch {
	case name == "zb":
		return ParseZB
	case strings.Contains(name, "ab"):
		return ParseAB
	}
	return parserOf(t, name)
}

type parser = func(io.Reader) ([]Report, error)
