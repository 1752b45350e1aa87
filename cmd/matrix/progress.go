package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"matrix/internal/bench"
	"matrix/internal/export"
	"matrix/internal/runner"
)

// progress shows a sweep: a bar on a terminal, a plain line now and then
// elsewhere.
type progress struct {
	w       io.Writer
	bar     *progressbar.ProgressBar // nil where w is no terminal
	width   func() int               // of that terminal, in columns
	atMost  bool                     // cells can end early, so that what is left is an upper bound
	started time.Time
	spoke   time.Time
	told    map[string]int // reasons of trials, and how often they were written out
}

// written is how often a reason is written out: as often as a system is brought up
// in vain before it is given up.
const written = 3

// quiet is the least time between two plain progress lines.
const quiet = 10 * time.Second

func newProgress(w io.Writer, atMost bool) *progress {
	p := &progress{w: w, atMost: atMost, started: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		p.width = func() int {
			w, _, err := term.GetSize(int(f.Fd()))
			if err != nil {
				return 80
			}
			return w
		}
		p.bar = progressbar.NewOptions(1,
			progressbar.OptionSetWriter(w), progressbar.OptionShowCount(), progressbar.OptionFullWidth(),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(false),
			progressbar.OptionEnableColorCodes(os.Getenv("NO_COLOR") == ""))
	}
	return p
}

func (p *progress) event(e runner.Event) {
	if p.bar != nil {
		p.onBar(e)
		return
	}
	begins := e.Record == nil && e.Ran == 0
	ends := e.Record != nil && e.Left == 0
	bad := e.Record != nil && !e.Record.State.Ranked() && e.Record.State != bench.StateSkipped
	if begins || ends || bad || time.Since(p.spoke) >= quiet {
		p.spoke = time.Now()
		fmt.Fprintln(p.w, p.line(e))
	}
}

func (p *progress) onBar(e runner.Event) {
	p.bar.ChangeMax(e.Total)
	p.bar.Describe(p.fit(fmt.Sprintf("round %d%s  %s", e.Trial.Round, p.left(e), export.Visible(string(e.Trial.Cell.Key)))))
	_ = p.bar.Set(e.Done) // a terminal that does not take the bar changes nothing
}

// fit cuts a description so that the bar and its counts fit beside it.
func (p *progress) fit(s string) string {
	const bar = 40 // columns of the bar and the counts
	room := max(p.width()-bar, 10)
	if displaywidth.String(s) <= room {
		return s
	}
	return displaywidth.TruncateString(s, room, "…")
}

// line is a plain progress line: how far, which trial, and what became of it.
func (p *progress) line(e runner.Event) string {
	s := fmt.Sprintf("%d/%d%s  %s  round %d", e.Done, e.Total, p.left(e), export.Visible(string(e.Trial.Cell.Key)), e.Trial.Round)
	if e.Record == nil || e.Record.State == bench.StateOK {
		return s
	}
	s += "  " + string(e.Record.State)
	switch reason := e.Record.Reason; {
	case reason == "":
	case p.told[reason] >= written:
		s += ": as before"
	default:
		if p.told == nil {
			p.told = map[string]int{}
		}
		p.told[reason]++
		s += ": " + export.Visible(reason)
	}
	return s
}

// left estimates the time left from the trials that this sweep has run, those
// of an earlier one not counted, and from what is left of the budget.
func (p *progress) left(e runner.Event) string {
	if e.Ran == 0 || e.Left == 0 {
		return ""
	}
	each := time.Since(p.started) / time.Duration(e.Ran)
	left, about := each*time.Duration(e.Left), "about"
	if p.atMost {
		about = "at most"
	}
	if e.Budget > 0 && e.Budget < left {
		left, about = e.Budget, "at most"
	}
	return fmt.Sprintf("  %s %v left", about, left.Round(time.Second))
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
