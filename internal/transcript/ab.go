package transcript

import (
	"cmp"
	"io"
	"strings"

	"matrix/internal/bench"
)

var (
	abBanner   = lazily(`This is ApacheBench, Version (\S+)(?:[ \t]+<\$Revision(?::[ \t]*([0-9.]+)[ \t]*)?\$>)?`)
	abBegins   = lazily(`This is ApacheBench, Version |Benchmarking \S+ (?:\[through [^\]\n]*\] )?\(be patient\)`)
	abComplete = lazily(`\bComplete requests:\s*[-+]?\d`)
	abUsage    = lazily(`^\S*ab(?:\.exe)?: (.+)\n+Usage:`)
	abLine     = lazily(`(?m)^[^\pL\pN\n]{0,64}Complete requests:\s*[-+]?\d`)
)

var abDialect = dialect{
	tool: "ab", marks: abMarks, core: abCore, joined: abJoined, banner: abBegins, report: abReport, none: abNone,
	calls: called("ab", "ab2", "abs"), flags: abFlags, target: targetURL, unless: unlessKept,
}.made()

// unlessKept: without -k each request has a connection of its own.
func unlessKept(r *Report) {
	if r.KeepAlive == nil {
		r.KeepAlive = new(false)
	}
}

// abJoined reports whether the lines of a report were joined: its labels then
// stand anywhere.
func abJoined(text string) bool { return !abLine().MatchString(text) && abComplete().MatchString(text) }

// abNone is why a text has no report of ab or zb, where it has the label of one.
func abNone(text string) error {
	f := fields{text: text, all: text, line: 1, joined: !abLine().MatchString(text)}
	f.tally(true, complete)
	return f.err
}

// ParseAB reads the reports of ApacheBench (ab), of every version, in the order
// in which they stand. Times that ab prints as whole milliseconds become
// Printed summaries and quantiles with that resolution, never distributions.
//
// A run that ab gave up midway is a Report as well, with Abort in ab's words:
// the requests completed until then count as OK and the one that ended it as
// failed. A text without any run is an error, in ab's words where it printed
// only its usage.
func ParseAB(r io.Reader) ([]Report, error) { return abDialect.parse(r) }

// abReport reads one run; found is false for a text that holds none.
func abReport(r *Report, run part, before string) (found bool, err error) {
	if m := abUsage().FindStringSubmatch(run.text); m != nil && run.has(abRefusal) {
		return false, unsound{Unreadable{run.line, "it refused its arguments: " + clip(m[1])}}
	}
	r.Printed.Resolution, r.Protocol = 0.001, bench.HTTP10
	if m := abBanner().FindStringSubmatch(run.text); m != nil {
		r.Version, r.Revision = clip(m[1]), m[2]
		r.Printed.Version = r.Version
	}
	switch {
	case run.reports():
		f := fieldsOf(run)
		r.Server = f.text1("Server Software", "Server Hostname:")
		return true, abAll(r, run, before, &f)
	case run.has(benchmarking) || run.ended():
		abAborted(r, run)
		return true, nil
	}
	return false, nil
}

// abAll reads a whole report of ab or zb. The lines that tell of failures stand
// between two that are always there.
func abAll(r *Report, run part, before string, f *fields) error {
	abFacts(r, f)
	abCounts(r, f)
	if f.err != nil {
		return f.err
	}
	if missing := cmp.Or(run.lacking(abCore...), run.gap(concurrency, timeTaken, complete, failedLine, transferred, perSecond, transferLine)); missing != "" {
		return run.cutShort(missing)
	}
	if run.first[complete] == run.at && !run.has(perSecond) {
		return run.cutShort(timeTaken) // neither its beginning nor its end: lines of several may be mixed
	}
	abTimes(r, f)
	abBudget(r)
	abSent(r, f)
	if f.err != nil {
		return f.err
	}
	r.Cut = abTables(r, run, before)
	if missing := run.lacking(concurrency, timeTaken, perSecond, transferLine); missing != "" && !(missing == perSecond && r.Elapsed == 0 && run.has(timesTable)) {
		r.Cut = lacks(missing)
	}
	abNotes(r, run.text)
	r.KeepAlive = new(r.Kept != nil) // the line is there when it was asked for
	return nil
}

// abFacts reads what was measured.
func abFacts(r *Report, f *fields) {
	r.Host = cmp.Or(f.word("Server Hostname", "Server Port:"), r.Host)
	if target := f.word("Document Path", "Document Length:"); target != "" {
		r.Path, r.Query, _ = strings.Cut(target, "?")
	}
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

// abSent tells from the report what no command line told: that a body was sent,
// and that none came back, as of HEAD.
func abSent(r *Report, f *fields) {
	if r.Commanded {
		return
	}
	if n, ok := f.count("Total POSTed", "Total PUT", "Total body sent"); ok && n > 0 {
		r.set("body", "sent")
	}
	if body, ok := f.count("HTML transferred", "HTML transfered"); ok && body == 0 && r.OK > 0 && r.WireBytes > 0 {
		r.set("answers", "without body")
	}
}

// abNotes keeps ab's own warnings.
func abNotes(r *Report, text string) {
	for _, m := range abWarning().FindAllStringSubmatch(text, 8) {
		r.Notes = append(r.Notes, bench.Note{Code: "tool-warning", Text: "ab: " + strings.Join(strings.Fields(m[1]), " ")})
	}
}

var abWarning = lazily(`(?:WARN?ING|ERROR): (The median and mean for [^\n]*(?:\n[ \t]+[^\n:]*)?)`)
