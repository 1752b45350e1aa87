package transcript

import (
	"fmt"

	"matrix/internal/bench"
)

var abBreakdown = lazily(
	`\(Connect: (\d{1,18}),(?: Receive: (\d{1,18}),)? Length: (\d{1,18}), Exceptions: (\d{1,18})\)`)

// What a failure is called where the tool has no words for it.
const (
	statusWords = "the answer's status was not 2xx"
	endWords    = "the connection ended without an answer"
)

// abCounts gives every completed request its one outcome. ab counts one failure
// under several headings, and a non-2xx answer under none.
func abCounts(r *Report, f *fields) {
	n, _ := f.tally(true, complete)
	n = max(n, 0) // where f.err tells what is wrong with it
	r.WireBytes = abBytes(r, f, "Total transferred", "Total transfered", "Bytes transferred", "Bytes transfered")
	r.BodyBytes = abBytes(r, f, "HTML transferred", "HTML transfered")
	r.Issued = n
	s := shares{r, n}
	if nothing(f) {
		s.fail(bench.Reset, n, endWords)
	}
	abFailures(r, f, s.fail)
	if kept, ok := f.count("Keep-Alive requests"); ok {
		abKept(r, kept, n)
	}
	r.OK = s.left
}

// nothing reports whether no byte at all was received: a server that accepts
// and closes makes ab print requests that are complete and none failed.
func nothing(f *fields) bool {
	n, ok := f.count("Total transferred", "Total transfered", "Bytes transferred", "Bytes transfered")
	return ok && n == 0
}

func abFailures(r *Report, f *fields, fail func(bench.Failure, int64, string)) {
	failed, _ := f.tally(true, failedLine)
	non2xx, _ := f.tally(false, "Non-2xx responses:")
	writes, _ := f.tally(false, "Write errors:", "Broken pipe errors:")
	var connect, length, broken int64
	if m := abBreakdown().FindStringSubmatch(f.text); m != nil && failed > 0 {
		connect = digits(m[1])
		// With -r one reset is counted under Receive, Exceptions and Length.
		broken = max(digits(m[2]), digits(m[4]))
		length = max(digits(m[3])-broken, 0)
		failed = 0
	}
	fail(bench.Connect, connect, "the connection could not be made")
	fail(bench.Reset, broken, "the connection broke while receiving")
	fail(bench.Non2xx, non2xx, statusWords)
	length = overlap(r, length, non2xx)
	fail(bench.Write, min(writes, length), "the request could not be sent")
	fail(bench.Length, length-min(max(writes, 0), length), "the body's length was not that of the first answer")
	fail(bench.Other, failed, "ab counted it as failed")
	if writes > length {
		r.Notes = append(r.Notes, bench.Note{Code: "write-errors", Text: fmt.Sprintf("%s met %d errors while sending requests", r.Printed.Tool, writes)})
	}
}

// overlap takes from the answers of another length those that were error pages,
// which have as a rule another length than the document.
func overlap(r *Report, length, non2xx int64) int64 {
	both := min(length, non2xx)
	if both <= 0 {
		return length
	}
	r.Notes = append(r.Notes, bench.Note{Code: "failures-overlap", Text: fmt.Sprintf(
		"%s counted %d answers of another length and %d whose status was not 2xx; %d are taken to be the same answers", r.Printed.Tool, length, non2xx, both)})
	return length - both
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
		r.Notes = append(r.Notes, bench.Note{Code: "counter-overflow", Text: r.Printed.Tool + "'s counter of bytes overflowed: " + labels[0]})
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
