package transcript

import (
	"io"

	"matrix/internal/bench"
)

var (
	zbBegin = lazily(`(?m)^[^\pL\pN\n]{0,64}Server:[ \t]`)
	zbFlat  = lazily(`\bServer:[ \t]*(.*?)[ \t]*(?:Document|Doucment) Length:`) // of a report whose lines are joined
	zbError = lazily(`(?m)^[ \t]*((?:socket|select|gethostbyname): [^\n]{1,512})$`)
)

var zbMarks = append([]mark{
	{name: "error", sign: ": ", is: ending, rank: 2, text: `^[ \t]*(?:socket|select|gethostbyname): [^\n]{1,512}$`},
	{name: "Test aborted", is: ending, rank: 2, text: `Test aborted after 10 failures`},
	{name: "Server timed out", is: ending, rank: 2, text: `Server timed out`},
	{name: "Server:", is: heading, rank: 10, label: true, text: `Server:`},
}, abLines...)

var zbDialect = dialect{
	tool: "zb", marks: zbMarks, core: abCore, joined: abJoined, banner: zbBegin, report: zbReport, none: abNone,
	calls: called("zb"), flags: zbFlags, target: targetZB, unless: unlessKept,
}.made()

// ParseZB reads the reports of ZeusBench, whose labels became those of ab. A run
// that it gave up is a Report with Abort; it never tells how far it had come.
func ParseZB(r io.Reader) ([]Report, error) { return zbDialect.parse(r) }

func zbReport(r *Report, run part, before string) (found bool, err error) {
	r.Printed.Resolution, r.Protocol = 0.001, bench.HTTP10
	if !run.reports() {
		return run.ended() && zbAborted(r, run.text), nil
	}
	f := fieldsOf(run)
	r.Server = f.text1("Server", "Document Length:")
	if m := zbFlat().FindStringSubmatch(run.text); m != nil && f.joined {
		r.Server = clip(m[1])
	}
	return true, abAll(r, run, before, &f)
}

func zbAborted(r *Report, text string) bool {
	class, words := bench.Other, ""
	if m := zbError().FindStringSubmatch(text); m != nil {
		words = m[1]
		if known, ok := classOf(words); ok {
			class = known
		}
	}
	for _, end := range abPlainEnds {
		if m := end.pattern().FindString(text); words == "" && m != "" {
			class, words = end.class, m
		}
	}
	if words == "" {
		return false
	}
	r.abort(class, words, 0, false)
	return true
}
