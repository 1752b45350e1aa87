package transcript

import (
	"fmt"

	"matrix/internal/bench"
)

// unsound is why a run yields no figures, though its tool printed some: its
// report is cut short, or it never began. Other runs of the text stand.
type unsound struct{ Unreadable }

func (u unsound) Unwrap() error { return u.Unreadable }

// cutShort is the error of a report without a line that could contradict the
// others.
func (p part) cutShort(missing string) error {
	return unsound{Unreadable{p.lastLine(), "it is cut short: " + lacks(missing)}}
}

func lacks(line string) string { return fmt.Sprintf("there is no line %q", line) }

// lacking is the first of the lines, each of which every whole report has, that
// is not there; "" for none.
func (p part) lacking(lines ...string) string {
	for _, l := range lines {
		if !p.has(l) {
			return l
		}
	}
	return ""
}

// gap is the first of the lines that is not there between two of them that are:
// then somebody chose among the lines, and may have left out others as well.
func (p part) gap(lines ...string) string {
	missing, begun := "", false
	for _, l := range lines {
		switch {
		case !p.has(l):
			if begun && missing == "" {
				missing = l
			}
		case missing != "":
			return missing
		default:
			begun = true
		}
	}
	return ""
}

// Unexplained reports whether the tool ended, or was ended, without a report and
// without a word why.
func (r Report) Unexplained() bool { return r.Abort != "" && r.Abort == r.ended() }

// CutNote is what a record says of a report that is cut short.
func (r Report) CutNote() bench.Note {
	return bench.Note{Code: "cut-short", Text: fmt.Sprintf("%s's report is cut short: %s", r.Printed.Tool, r.Cut)}
}

// refused makes a failed run of an unsound one, for the sake of the others.
func (r *Report) refused(u unsound) {
	r.Measurement = bench.Measurement{Printed: &bench.Printed{Tool: r.Printed.Tool, Version: r.Printed.Version}}
	r.Abort = clip(fmt.Sprintf("line %d: %s", u.Line, u.Message))
	r.Issued = 1
	r.Fail(bench.Other, 1, r.Abort)
}
