package transcript

import (
	"fmt"
	"io"
	"strings"

	"matrix/internal/bench"
)

// mostRuns bounds the runs of a text.
const mostRuns = 10_000

// dialect is how one tool writes its reports.
type dialect struct {
	tool   string
	begins []pattern // each marks where a further run of the same text begins

	// The tool's command line, where a log shows it.
	calls   pattern // finds where a line calls it
	flags   []flag
	oneDash bool                       // flags are words with one dash, which may be shortened
	target  func(r *Report, c command) // takes what the words that are no flags tell
	unless  func(r *Report)            // fills in what the tool does unless told

	// report adds what one run tells to what its command line told; found is false
	// for a text that holds no run. before is what stands between the beginnings
	// of the run before and of this one.
	report func(r *Report, run part, before string) (found bool, err error)
}

// part is a piece of a transcript and the line it begins on, from 1.
type part struct {
	text string
	line int
}

// Unreadable is why a transcript cannot be read, and where.
type Unreadable struct {
	Line    int // from 1
	Message string
}

func (u Unreadable) Error() string { return u.Message }

// parse reads every run of a text. It fails as a whole where one run cannot be
// read: half of a comparison would look like the whole.
func (d dialect) parse(r io.Reader) ([]Report, error) {
	text, err := read(r)
	if err != nil {
		return nil, err
	}
	text = normalise(text)
	var reports []Report
	last, offset := 0, 0
	var commanded *Report // the last one with a command line of its own
	runs := d.runs(text)
	if len(runs) > mostRuns {
		return nil, fmt.Errorf("reading %s's report: %w", d.tool, Unreadable{runs[mostRuns].line, fmt.Sprintf("there are more than %d in the text", mostRuns)})
	}
	for _, run := range runs {
		at := offset + d.beginning(run.text)
		before := text[last:at]
		last, offset = at, offset+len(run.text)
		report := Report{Measurement: bench.Measurement{Printed: &bench.Printed{Tool: d.tool}}}
		d.asked(&report, before)
		found, err := d.report(&report, run, before)
		if err == nil && found {
			err = report.Check()
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s's report: %w", d.tool, err)
		}
		if found {
			if report.Commanded {
				commanded = &report
			} else if commanded != nil {
				report.adopt(*commanded)
			}
			reports = append(reports, report)
		}
	}
	if len(reports) == 0 {
		return nil, fmt.Errorf("reading %s's report: %w", d.tool, Unreadable{lastLine(text), "there is none in the text"})
	}
	return reports, nil
}

// runs cuts a text into its runs, by one mark after the other.
func (d dialect) runs(text string) []part {
	parts := []part{{text, 1}}
	for _, at := range d.begins {
		var finer []part
		for _, p := range parts {
			finer = append(finer, cutBefore(p, at)...)
		}
		parts = finer
	}
	return parts
}

// beginning is where in a part its first mark stands: its end where there is none.
func (d dialect) beginning(text string) int {
	first := len(text)
	for _, at := range d.begins {
		if m := at().FindStringIndex(text); m != nil {
			first = min(first, m[0])
		}
	}
	return first
}

// cutBefore cuts a part before every match but the first, so that what stands
// before the first match belongs to it.
func cutBefore(p part, at pattern) (parts []part) {
	from, line := 0, p.line
	for i, m := range at().FindAllStringIndex(p.text, -1) {
		if i > 0 {
			parts = append(parts, part{p.text[from:m[0]], line})
			line += strings.Count(p.text[from:m[0]], "\n")
			from = m[0]
		}
	}
	return append(parts, part{p.text[from:], line})
}

// lastLine is the number of the last line that is not blank.
func lastLine(text string) int {
	return 1 + strings.Count(strings.TrimRight(text, " \t\n"), "\n")
}
