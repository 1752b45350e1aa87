package transcript

import (
	"io"

	"matrix/internal/bench"
)

var (
	zbBegin = lazily(`(?m)^[ \t]*Server:[ \t]*|---[ \t]+Server:[ \t]`)
	zbFlat  = lazily(`\bServer:[ \t]*(.*?)[ \t]*(?:Document|Doucment) Length:`) // of a report whose lines are joined
	zbError = lazily(`(?m)^[ \t]*((?:socket|select|gethostbyname): [^\n]{1,512})$`)
)

var zbDialect = dialect{tool: "zb", begins: []pattern{zbBegin}, report: zbReport, calls: called("zb"), flags: zbFlags, target: targetZB, unless: unlessKept}

// ParseZB reads the reports of ZeusBench, whose labels became those of ab. A run
// that it gave up is a Report with Abort; it never tells how far it had come.
func ParseZB(r io.Reader) ([]Report, error) { return zbDialect.parse(r) }

func zbReport(r *Report, run part, _ string) (found bool, err error) {
	r.Printed.Resolution, r.Protocol = 0.001, bench.HTTP10
	f := fields{text: run.text, line: run.line, anywhere: !abLine().MatchString(run.text)}
	if !abComplete().MatchString(run.text) {
		return zbAborted(r, run.text), nil
	}
	r.Server = f.text1("Server", "Document Length:")
	if m := zbFlat().FindStringSubmatch(run.text); m != nil && f.anywhere {
		r.Server = clip(m[1])
	}
	abAll(r, &f)
	return true, f.err
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
