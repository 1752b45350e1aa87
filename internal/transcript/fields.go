package transcript

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// fields finds labelled values in a text: "Label: value". Labels stand at the
// beginning of a line, so that a server cannot forge one within its own name;
// in a flattened log, whose lines are joined, they stand anywhere.
type fields struct {
	text     string
	line     int // that the text begins on
	anywhere bool
	err      error // the first number that is beyond what can be counted: an Unreadable
}

const number = `:\s*(-?\d[\d.]*(?:[eE][+-]?\d+)?)`

func (f *fields) find(label, value string) (string, bool) {
	m := f.locate(label, value)
	if m == nil {
		return "", false
	}
	return f.text[m[2]:m[3]], true
}

func (f *fields) locate(label, value string) []int {
	start := `(?m)^[ \t]*`
	if f.anywhere {
		start = `\b`
	}
	return regexp.MustCompile(start + regexp.QuoteMeta(label) + value).FindStringSubmatchIndex(f.text)
}

// raw returns the digits behind the first of the labels that is there.
func (f *fields) raw(labels ...string) (string, bool) {
	for _, label := range labels {
		if s, ok := f.find(label, number); ok {
			return s, true
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
		if f.err == nil {
			f.err = Unreadable{f.lineOf(s), fmt.Sprintf("%s is %s, which is no count", labels[0], clip(s))}
		}
		return 0, false
	}
	return n, true
}

// tally returns a count of requests or of failures among them: unlike the
// counters of bytes, none of these was ever printed as a negative number. One
// that is no count is an Unreadable; one whose label is not there is 0, or an
// Unreadable where every whole report has it.
func (f *fields) tally(always bool, labels ...string) (int64, bool) {
	n, ok := f.count(labels...)
	if ok && n >= 0 || f.err != nil {
		return n, ok
	}
	for _, label := range labels {
		if at := f.locate(label, `:[ \t]*(\S*)`); at != nil {
			f.err = Unreadable{f.line + strings.Count(f.text[:at[2]], "\n"), fmt.Sprintf("%s is %q, which is no count", label, clip(f.text[at[2]:at[3]]))}
			return 0, false
		}
	}
	if always {
		f.err = Unreadable{f.line + lastLine(f.text) - 1, fmt.Sprintf("it is cut short: there is no line %q", labels[0]+":")}
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
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || x < 0 || math.IsInf(x, 0) {
		return 0, false
	}
	return x, true
}

// text1 returns the words behind a label, up to the end of the line or to the
// label that follows in a flattened log.
func (f *fields) text1(label, next string) string {
	stop := `(?:\n|$)`
	if f.anywhere {
		stop = `(?:\n|$|\b` + regexp.QuoteMeta(next) + `)`
	}
	s, _ := f.find(label, `:[ \t]*(.*?)[ \t]*`+stop)
	return clip(strings.ToValidUTF8(s, "\uFFFD"))
}

// clip bounds a stranger's words.
func clip(s string) string {
	const most = 1024
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
