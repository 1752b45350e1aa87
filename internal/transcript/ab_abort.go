package transcript

import (
	"strconv"

	"matrix/internal/bench"
)

var (
	abError    = lazily(`^(?:requests[ \t]+)?([^\n]* \((\d{1,9})\))$`)
	abTotal    = lazily(`Total of (\d{1,18}) requests completed`)
	abProgress = lazily(`(?:Completed|Finished) (\d{1,18}) requests`)
)

// abPlainEnds are the endings that carry no error number.
var abPlainEnds = []struct {
	pattern pattern
	class   bench.Failure
}{
	{lazily(`Test aborted after 10 failures`), bench.Connect},
	{lazily(`Server timed out`), bench.Timeout},
}

// abErrors sorts error numbers of Linux, the BSDs, Windows (offset by 720000)
// and APR into classes. Numbers are used since messages are localised.
var abErrors = map[int]bench.Failure{
	104: bench.Reset, 54: bench.Reset, 730054: bench.Reset, 70014: bench.Reset,
	111: bench.Connect, 61: bench.Connect, 730061: bench.Connect, 113: bench.Connect, 101: bench.Connect,
	70007: bench.Timeout, 110: bench.Timeout, 60: bench.Timeout, 730060: bench.Timeout,
	32: bench.Write, 730053: bench.Write,
	23: bench.Client, 24: bench.Client, 730024: bench.Client, // descriptors
	99: bench.Client, 49: bench.Client, 730048: bench.Client, 730049: bench.Client, // local addresses and ports
	105: bench.Client, 55: bench.Client, 730055: bench.Client, 12: bench.Client, // buffers, memory
	670001: bench.Client, 670002: bench.Client, 670003: bench.Client, 670008: bench.Client, // name lookup
}

// abEnd finds why ab gave up, in its own words: a log may hold those of other
// programs as well.
func abEnd(run part) (class bench.Failure, words string, ok bool) {
	for _, s := range run.marks {
		if s.name != abErrorLine {
			continue
		}
		m := abError().FindStringSubmatch(run.text[s.from-run.at : s.to-run.at])
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[2]) // at most nine digits
		class, known := abErrors[n]
		if !known {
			class = bench.Other
		}
		return class, m[1], true
	}
	for _, end := range abPlainEnds {
		if words := end.pattern().FindString(run.text); words != "" {
			return end.class, words, true
		}
	}
	return "", "", false
}

// aborted returns how many requests were complete when ab gave up: as it told,
// or, total being false, at least as its progress told.
func (p part) aborted() (done int64, total bool) {
	if m := abTotal().FindStringSubmatch(p.text); m != nil {
		return digits(m[1]), true
	}
	for _, m := range abProgress().FindAllStringSubmatch(p.text, -1) {
		done = max(done, digits(m[1]))
	}
	return done, false
}
