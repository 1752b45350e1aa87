package transcript

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// fields finds labelled values in a report: "Label: value". Labels stand at the
// beginning of a line, so that a server cannot forge one within its own name;
// in a flattened log, whose lines are joined, they stand anywhere.
type fields struct {
	text   string // from the first mark of the report to the last one
	all    string // with what follows, up to the next report
	line   int    // that the text begins on
	joined bool
	err    error // the first number that is beyond what can be counted: an Unreadable
}

func fieldsOf(run part) fields {
	return fields{text: run.block, all: run.text, line: run.line, joined: !abLine().MatchString(run.block)}
}

func (f *fields) find(label, value string) (string, bool) {
	m := f.locate(f.text, label, value)
	if m == nil {
		return "", false
	}
	return f.text[m[2]:m[3]], true
}

func (f *fields) locate(text, label, value string) []int {
	start := `(?m)^[^\pL\pN\n]{0,64}?`
	if f.joined {
		start = `\b`
	}
	return labelled(start, label, value).FindStringSubmatchIndex(text)
}

// labelled are the patterns of labels, each made once.
func labelled(start, label, value string) *regexp.Regexp {
	key := start + regexp.QuoteMeta(strings.TrimSuffix(label, ":")) + `:` + value
	if known, ok := patterns.Load(key); ok {
		return known.(*regexp.Regexp)
	}
	made := regexp.MustCompile(key)
	patterns.Store(key, made)
	return made
}

var patterns sync.Map // of *regexp.Regexp, by themselves: as many as the code has labels

// raw returns the number behind the first of the labels that is there.
func (f *fields) raw(labels ...string) (string, bool) {
	for _, label := range labels {
		if m := f.locate(f.text, label, `\s*(`+amount+`)`); m != nil && ended(f.text, m[3]) {
			return f.text[m[2]:m[3]], true
		}
	}
	return "", false
}

// count returns a whole number.
func (f *fields) count(labels ...string) (int64, bool) {
	s, ok := f.raw(labels...)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > math.MaxInt64/8 || n < math.MinInt64/8 {
		f.refuse(labels[0], clip(s), f.lineOf(s))
		return 0, false
	}
	return n, true
}

// refuse notes the first number that cannot be read.
func (f *fields) refuse(label, value string, line int) {
	if f.err == nil {
		f.err = Unreadable{line, fmt.Sprintf("%s is %s, which is no count", strings.TrimSuffix(label, ":"), value)}
	}
}

// tally returns a count of requests or of failures among them: unlike the
// counters of bytes, none of these was ever printed as a negative number. One
// that is no count is an Unreadable, also behind the report where every report
// has one; one whose label is not there is 0.
func (f *fields) tally(always bool, labels ...string) (int64, bool) {
	n, ok := f.count(labels...)
	if ok && n >= 0 || f.err != nil {
		return n, ok
	}
	text := f.text
	if always {
		text = f.all
	}
	for _, label := range labels {
		if at := f.locate(text, label, `[ \t]*(\S*)`); at != nil {
			f.refuse(label, strconv.Quote(clip(text[at[2]:at[3]])), f.line+strings.Count(text[:at[2]], "\n"))
			return 0, false
		}
	}
	return 0, false
}

// lineOf is the line on which some digits stand first.
func (f *fields) lineOf(s string) int {
	before, _, _ := strings.Cut(f.text, s)
	return f.line + strings.Count(before, "\n")
}

// decimal returns a number, finite and 0 or more.
func (f *fields) decimal(labels ...string) (float64, bool) {
	s, ok := f.raw(labels...)
	if !ok {
		return 0, false
	}
	return finite(s)
}

// text1 returns the words behind a label, up to the end of the line or to the
// label that follows in a flattened log, without the remark that somebody wrote
// behind them.
func (f *fields) text1(label, next string) string {
	stop := `(?:\n|$)`
	if f.joined {
		stop = `(?:\n|$|\b` + regexp.QuoteMeta(next) + `)`
	}
	s, _ := f.find(label, `[ \t]*(.*?)[ \t]*`+stop)
	if at := remark().FindStringIndex(s); at != nil {
		s = s[:at[0]]
	}
	return clip(strings.ToValidUTF8(s, "\uFFFD"))
}

// word returns the first word behind a label: a host or a path has no space.
func (f *fields) word(label, next string) string {
	s, _, _ := strings.Cut(f.text1(label, next), " ")
	s, _, _ = strings.Cut(s, "\t")
	return s
}

var remark = lazily(`[ \t]+(?://|<[-=]|←|⇐)|[ \t]{2,}|\t`)

// clip bounds a stranger's words.
func clip(s string) string {
	const most = 1024
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
