package transcript

import (
	"cmp"
	"io"
	"strings"

	"matrix/internal/bench"
)

var (
	abBanner   = lazily(`This is ApacheBench, Version (\S+)(?:[ \t]+<\$Revision(?::[ \t]*([0-9.]+)[ \t]*)?\$>)?`)
	abBegin    = lazily(`Benchmarking \S+ (?:\[through [^\]\n]*\] )?\(be patient\)`)
	abComplete = lazily(`Complete requests:`)
	abUsage    = lazily(`(?m)^\S*ab(?:\.exe)?: (.+)\n+Usage:`)
	abLine     = lazily(`(?m)^[ \t]*Complete requests:`)
)

var abDialect = dialect{
	tool: "ab", begins: []pattern{abBanner, abBegin}, report: abReport,
	calls: called("ab", "ab2", "abs"), flags: abFlags, target: targetURL, unless: unlessKept,
}

// unlessKept: without -k each request has a connection of its own.
func unlessKept(r *Report) {
	if r.KeepAlive == nil {
		r.KeepAlive = new(false)
	}
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
func abReport(r *Report, run part, _ string) (found bool, err error) {
	text := run.text
	if m := abUsage().FindStringSubmatchIndex(text); m != nil && !abBanner().MatchString(text) {
		line := run.line + strings.Count(text[:m[2]], "\n")
		return false, Unreadable{line, "it refused its arguments: " + clip(text[m[2]:m[3]])}
	}
	r.Printed.Resolution, r.Protocol = 0.001, bench.HTTP10
	if m := abBanner().FindStringSubmatch(text); m != nil {
		r.Version, r.Revision = clip(m[1]), m[2]
		r.Printed.Version = r.Version
	}
	f := fields{text: text, line: run.line, anywhere: !abLine().MatchString(text)}
	switch {
	case abComplete().MatchString(text):
		r.Server = f.text1("Server Software", "Server Hostname:")
		abAll(r, &f)
		found = true
	default:
		found = abAborted(r, &f)
	}
	return found, f.err
}

// abAll reads a whole report of ab or zb.
func abAll(r *Report, f *fields) {
	abFacts(r, f)
	abCounts(r, f)
	abTimes(r, f)
	abBudget(r)
	abSent(r, f)
	abTables(r, f.text)
	abNotes(r, f.text)
	r.KeepAlive = new(r.Kept != nil) // the line is there when it was asked for
}

// abFacts reads what was measured.
func abFacts(r *Report, f *fields) {
	r.Host = cmp.Or(f.text1("Server Hostname", "Server Port:"), r.Host)
	if target := f.text1("Document Path", "Document Length:"); target != "" {
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
