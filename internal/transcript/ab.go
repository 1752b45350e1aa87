package transcript

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"matrix/internal/bench"
)

var (
	abBanner      = regexp.MustCompile(`This is ApacheBench, Version (\S+)(?:[ \t]+<\$Revision(?::[ \t]*([0-9.]+)[ \t]*)?\$>)?`)
	abBegin       = regexp.MustCompile(`Benchmarking \S+ (?:\[through [^\]\n]*\] )?\(be patient\)`)
	abComplete    = regexp.MustCompile(`Complete requests:`)
	abUsage       = regexp.MustCompile(`(?m)^\S*ab(?:\.exe)?: (.+)\n+Usage:`)
	abLine        = regexp.MustCompile(`(?m)^[ \t]*Complete requests:`)
	errNoABReport = errors.New("reading ab's report: there is none in the text")
)

// ParseAB reads the reports of ApacheBench (ab), of every version, in the order
// in which they stand. Times that ab prints as whole milliseconds become
// Printed summaries and quantiles with that resolution, never distributions.
//
// A run that ab gave up midway is a Report as well, with Abort in ab's words:
// the requests completed until then count as OK and the one that ended it as
// failed. A text without any run is an error, in ab's words where it printed
// only its usage.
func ParseAB(r io.Reader) ([]Report, error) {
	text, err := read(r)
	if err != nil {
		return nil, err
	}
	text = normalise(text)
	if m := abUsage.FindStringSubmatch(text); m != nil && !abBanner.MatchString(text) {
		return nil, fmt.Errorf("ab refused its arguments: %s", m[1])
	}
	var reports []Report
	for _, part := range abRuns(text) {
		report, found, err := abReport(part)
		if err != nil {
			return nil, err
		}
		if found {
			reports = append(reports, report)
		}
	}
	if len(reports) == 0 {
		return nil, errNoABReport
	}
	return reports, nil
}

// abRuns cuts a text into its runs: at each banner, and where the banner was
// left out, at each "Benchmarking".
func abRuns(text string) (runs []string) {
	for _, part := range cutBefore(text, abBanner) {
		runs = append(runs, cutBefore(part, abBegin)...)
	}
	return runs
}

// cutBefore cuts text before every match but the first, so that what stands
// before the first match belongs to it.
func cutBefore(text string, at *regexp.Regexp) (parts []string) {
	from := 0
	for i, m := range at.FindAllStringIndex(text, -1) {
		if i > 0 {
			parts = append(parts, text[from:m[0]])
			from = m[0]
		}
	}
	return append(parts, text[from:])
}

// abReport reads one run; found is false for a text that holds none.
func abReport(text string) (r Report, found bool, err error) {
	r.Printed = &bench.Printed{Tool: "ab", Resolution: 0.001}
	if m := abBanner.FindStringSubmatch(text); m != nil {
		r.Version, r.Revision = m[1], m[2]
		r.Printed.Version = m[1]
	}
	f := fields{text: text, anywhere: !abLine.MatchString(text)}
	switch {
	case abComplete.MatchString(text):
		abFacts(&r, &f)
		abCounts(&r, &f)
		abTimes(&r, &f)
		abTables(&r, text)
		abNotes(&r, text)
		found = true
	default:
		found = abAborted(&r, &f)
	}
	if f.err != nil {
		return r, false, fmt.Errorf("reading ab's report: %w", f.err)
	}
	if !found {
		return r, false, nil
	}
	if err := r.Check(); err != nil {
		return r, false, fmt.Errorf("reading ab's report: %w", err)
	}
	return r, true, nil
}

// abFacts reads what was measured.
func abFacts(r *Report, f *fields) {
	r.Server = f.text1("Server Software", "Server Hostname:")
	r.Host = f.text1("Server Hostname", "Server Port:")
	r.Path = f.text1("Document Path", "Document Length:")
	if port, ok := f.count("Server Port"); ok {
		if port < 0 {
			port += 1 << 16 // printed as a signed 16-bit number through 2.2.8
		}
		if port > 0 && port < 1<<16 {
			r.Port = int(port)
		}
	}
	if n, ok := f.count("Document Length", "Doucment Length"); ok && n >= 0 {
		r.Document = &n
	}
	if n, ok := f.count("Concurrency Level", "Concurency Level"); ok && n > 0 && n < 1<<31 {
		r.Concurrency = int(n)
	}
}

// abNotes keeps ab's own warnings.
func abNotes(r *Report, text string) {
	for _, m := range abWarning.FindAllStringSubmatch(text, 8) {
		r.Notes = append(r.Notes, bench.Note{Code: "tool-warning", Text: "ab: " + strings.Join(strings.Fields(m[1]), " ")})
	}
}

var abWarning = regexp.MustCompile(`(?:WARN?ING|ERROR): (The median and mean for [^\n]*(?:\n[ \t]+[^\n:]*)?)`)
