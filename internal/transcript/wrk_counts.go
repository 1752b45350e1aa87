package transcript

import (
	"fmt"
	"math"
	"slices"

	"matrix/internal/bench"
)

// socketCounts are wrk's counters. A connection that ends with its answer, as
// the body's end does where no length was announced, or after it without
// announcing that, wrk counts twice: as complete, and as an error of reading or
// of writing, for it sends a further request if there is time.
type socketCounts struct {
	complete, connect, read, write, timeout, status int64
}

func wrkErrors(text string) (c socketCounts) {
	const most = math.MaxInt64 / 16
	if m := wrkSocket().FindStringSubmatch(text); m != nil {
		c.connect, c.read, c.write, c.timeout = min(digits(m[1]), most), min(digits(m[2]), most), min(digits(m[3]), most), min(digits(m[4]), most)
	}
	if m := wrkStatus().FindStringSubmatch(text); m != nil {
		c.status = digits(m[1])
	}
	return c
}

// broken is the errors that may have been connections ended after an answer.
func (c socketCounts) broken() int64 { return c.read + c.write }

// likelyClosed is how many errors were connections that ended after an answer,
// as far as the counters tell. An error for each answer, give or take those
// under way at the end, is the mark of it, and what there are more are requests
// that broke. Fewer do not show it, nor do too few answers: those stay failures.
func (r *Report) likelyClosed() int64 {
	c, conns := r.socket, int64(r.Concurrency)
	slack := c.complete / 10
	if conns > 0 {
		slack = min(slack, conns)
	}
	if c.complete <= conns || c.broken() < c.complete-slack {
		return 0
	}
	return min(c.broken(), c.complete)
}

// Closes settles by what requests of one's own have shown, how many of wrk's
// errors were connections that ended after an answer: one for each answer where
// the server ends all of them so, and none where it does not.
func (r *Report) Closes(each bool) {
	closed := int64(0)
	if each {
		closed = min(r.socket.broken(), r.socket.complete)
	}
	r.settle(closed)
	r.unnote(unclear)
}

// Broken is how many errors wrk counted that may have been connections ended
// after an answer.
func (r *Report) Broken() int64 { return r.socket.broken() }

// Codes of the notes on these errors.
const (
	closedNote = "closed-unannounced"
	unclear    = "errors-unclear"
)

// settle gives each request its one outcome, where so many errors were none. An
// answer that came too late is counted as complete and as a timeout; a
// connection that broke is not complete.
func (r *Report) settle(closed int64) {
	c := r.socket
	late := max(c.timeout-max(c.complete-c.status, 0), 0) // old versions count them apart
	r.OK, r.Failed, r.Messages = 0, nil, nil
	r.Issued = c.complete + c.connect + c.broken() - closed + late
	s := shares{r, r.Issued}
	s.fail(bench.Connect, c.connect, "the connection could not be made")
	s.fail(bench.Reset, c.read-max(closed-c.write, 0), "the connection broke while receiving")
	s.fail(bench.Write, max(c.write-closed, 0), "the request could not be sent")
	s.fail(bench.Non2xx, min(c.status, c.complete), "the answer's status was 400 or above")
	s.fail(bench.Timeout, c.timeout, "timed out")
	r.OK = s.left
	r.unnote(closedNote)
	r.unnote(unclear)
	switch may := min(c.broken(), c.complete); {
	case closed > 0:
		r.Notes = append(r.Notes, bench.Note{Code: closedNote, Text: fmt.Sprintf(
			"wrk counts a connection that ends after its answer as an error as well: %d of its %d errors are taken for that, one for each answer, and are neither requests nor failures", closed, c.broken())})
	case may > 0:
		r.Notes = append(r.Notes, bench.Note{Code: unclear, Text: fmt.Sprintf(
			"wrk counts a connection that ends after its answer as an error as well: up to %d of its %d errors may be neither requests nor failures", may, c.broken())})
	}
}

// wrkTimeouts tells what wrk2's count of timeouts is worth.
func wrkTimeouts(r *Report) {
	if r.openLoop && r.socket.timeout > 0 {
		r.Notes = append(r.Notes, bench.Note{Code: "timeouts-unclear", Text: fmt.Sprintf("wrk2 counts a request that waits for its answer as timed out again every two seconds: no more than %d were", r.socket.timeout)})
	}
}

func (r *Report) unnote(code string) {
	r.Notes = slices.DeleteFunc(r.Notes, func(n bench.Note) bool { return n.Code == code })
}
