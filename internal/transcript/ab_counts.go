package transcript

import (
	"fmt"
	"regexp"

	"matrix/internal/bench"
)

var abBreakdown = regexp.MustCompile(
	`\(Connect: (\d{1,18}),(?: Receive: (\d{1,18}),)? Length: (\d{1,18}), Exceptions: (\d{1,18})\)`)

// abCounts gives every completed request its one outcome. ab counts one failure
// under several headings, and a non-2xx answer under none.
func abCounts(r *Report, f *fields) {
	complete, _ := f.count("Complete requests")
	complete = max(complete, 0)
	r.WireBytes = abBytes(r, f, "Total transferred", "Total transfered", "Bytes transferred")
	r.BodyBytes = abBytes(r, f, "HTML transferred", "HTML transfered")
	r.Issued = complete
	left := complete
	fail := func(class bench.Failure, n int64, message string) {
		n = min(max(n, 0), left)
		r.Fail(class, n, message)
		left -= n
	}
	if nothing(f) {
		fail(bench.Reset, complete, "the connection ended without an answer")
	}
	abFailures(r, f, fail)
	if kept, ok := f.count("Keep-Alive requests"); ok {
		abKept(r, kept, complete)
	}
	r.OK = left
}

// nothing reports whether no byte at all was received: a server that accepts
// and closes makes ab print requests that are complete and none failed.
func nothing(f *fields) bool {
	n, ok := f.count("Total transferred", "Total transfered", "Bytes transferred")
	return ok && n == 0
}

func abFailures(r *Report, f *fields, fail func(bench.Failure, int64, string)) {
	failed, _ := f.count("Failed requests")
	non2xx, _ := f.count("Non-2xx responses")
	writes, ok := f.count("Write errors")
	if !ok {
		writes, _ = f.count("Broken pipe errors")
	}
	var connect, length, broken int64
	if m := abBreakdown.FindStringSubmatch(f.text); m != nil && failed > 0 {
		connect = digits(m[1])
		// With -r one reset is counted under Receive, Exceptions and Length.
		broken = max(digits(m[2]), digits(m[4]))
		length = max(digits(m[3])-broken, 0)
		failed = 0
	}
	fail(bench.Connect, connect, "the connection could not be made")
	fail(bench.Reset, broken, "the connection broke while receiving")
	fail(bench.Non2xx, non2xx, "the answer's status was not 2xx")
	if both := min(length, non2xx); both > 0 {
		// An error page has as a rule another length than the document.
		r.Notes = append(r.Notes, bench.Note{Code: "failures-overlap", Text: fmt.Sprintf(
			"ab counted %d answers of another length and %d whose status was not 2xx; %d are taken to be the same answers", length, non2xx, both)})
		length -= both
	}
	fail(bench.Write, min(writes, length), "the request could not be sent")
	fail(bench.Length, length-min(max(writes, 0), length), "the body's length was not that of the first answer")
	fail(bench.Other, failed, "ab counted it as failed")
	if writes > length {
		r.Notes = append(r.Notes, bench.Note{Code: "write-errors", Text: fmt.Sprintf("ab met %d errors while sending requests", writes)})
	}
}

func abKept(r *Report, kept, complete int64) {
	r.Kept = new(min(max(kept, 0), complete))
	if *r.Kept == 0 && complete > 0 {
		r.Notes = append(r.Notes, bench.Note{Code: "never-kept", Text: "keep-alive was asked for, but the server never kept a connection"})
	}
}

// abBytes reads a byte counter. Old versions print one that overflowed as a
// negative number.
func abBytes(r *Report, f *fields, labels ...string) int64 {
	n, _ := f.count(labels...)
	if n < 0 {
		r.Notes = append(r.Notes, bench.Note{Code: "counter-overflow", Text: "ab's counter of bytes overflowed: " + labels[0]})
		return 0
	}
	return n
}

// digits reads what a pattern bound to at most 18 digits; "" is 0.
func digits(s string) (n int64) {
	for _, c := range s {
		n = n*10 + int64(c-'0')
	}
	return n
}
