package transcript

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"matrix/internal/bench"
)

// mostRuns bounds the runs of a text.
const mostRuns = 10_000

// dialect is how one tool writes its reports.
type dialect struct {
	tool  string
	marks []mark
	core  []string // the marks without which a report tells nothing for sure

	// joined reports whether the lines of a text were joined, and banner is where
	// another run surely begins; nil where marks are found anywhere.
	joined func(text string) bool
	banner pattern

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

	// none is why a text without any run cannot be read; nil where it never says.
	none func(text string) error

	lexicon func(joined bool) []word // finds the marks
}

// made is the dialect with what follows from its marks.
func (d dialect) made() dialect {
	d.lexicon = lexicons(d.marks)
	return d
}

// Unreadable is why a transcript cannot be read, and where.
type Unreadable struct {
	Line    int // from 1
	Message string
}

func (u Unreadable) Error() string { return u.Message }

// parse reads every run of a text. It fails as a whole where a number cannot be
// read: half of a comparison would look like the whole. A run that is unsound is
// a failed one among others, and an error where there is no other.
func (d dialect) parse(r io.Reader) ([]Report, error) {
	text, err := read(r)
	if err != nil {
		return nil, err
	}
	reports, err := d.reports(normalise(text))
	if err != nil {
		return nil, fmt.Errorf("reading %s's report: %w", d.tool, err)
	}
	return reports, nil
}

func (d dialect) reports(text string) (reports []Report, err error) {
	text, rest := unfinished(text)
	text, marks, err := d.legible(text)
	if err != nil {
		return nil, err
	}
	runs := d.runs(text, marks)
	if len(runs) > mostRuns {
		return nil, Unreadable{runs[mostRuns].line, fmt.Sprintf("there are more than %d in the text", mostRuns)}
	}
	runs[len(runs)-1].rest = rest
	var first error       // of those that are unsound
	var commanded *Report // the last one with a command line of its own
	sound, last := false, 0
	for _, run := range runs {
		report, found, err := d.one(run, text[last:run.at])
		last = run.at
		var u unsound
		switch {
		case errors.As(err, &u):
			report.refused(u)
			first, commanded = cmp.Or(first, err), nil
		case err != nil:
			return nil, err
		case !found:
			continue
		default:
			sound = true
			if report.Commanded {
				commanded = &report
			} else if commanded != nil {
				report.adopt(*commanded)
			}
		}
		reports = append(reports, report)
	}
	switch {
	case sound:
		return reports, nil
	case first == nil && d.none != nil:
		first = d.none(text)
	}
	if first != nil {
		return nil, first
	}
	return nil, Unreadable{lastLine(text), "there is none in the text"}
}

// one reads one run.
func (d dialect) one(run part, before string) (report Report, found bool, err error) {
	report = Report{Measurement: bench.Measurement{Printed: &bench.Printed{Tool: d.tool}}}
	d.asked(&report, before)
	if found, err = d.report(&report, run, before); err != nil || !found {
		return report, found, err
	}
	if run.quoted {
		report.Notes = append(report.Notes, bench.Note{Code: "quoted-again", Text: "some lines of the report stand in the log again: they are not taken for another report"})
	}
	return report, true, report.Check()
}

// lastLine is the number of the last line that is not blank.
func lastLine(text string) int {
	return 1 + strings.Count(strings.TrimRight(text, " \t\n"), "\n")
}
