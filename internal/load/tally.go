package load

import (
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
)

// tally is what one thread counts. Times are nanoseconds since the run began.
type tally struct {
	issued, ok, aborted, retried int64
	late, dropped                int64
	body, wire, kept             int64
	handshakes, resumed          int64

	status   [1000]int64
	failed   map[bench.Failure]int64
	messages map[bench.Failure]string
	series   []int64 // successes by second since zero

	connect, firstByte, latency *hist.Hist
	service                     *hist.Hist // nil in a closed loop
	failedLatency               *hist.Hist
	lag                         *hist.Hist

	zero      int64 // when the measurement began: the end of the warm-up
	first     int64 // first send; -1: none
	last      int64 // last completion
	lastIssue int64
	inFlight  int
	peak      int
	made      int   // connections, those of the warm-up too
	tried     int   // HTTP/2: slots for a connection that had a request for it
	stray     int64 // bytes or ends on idle connections that nobody asked for
	exhausted bool  // the budget was spent, as opposed to stopped

	// HTTP/2 streams at a time on a connection, where fewer than asked for were
	// used; -1: it was not so.
	allowed int  // by the fewest that a server's settings allowed
	taken   int  // by the fewest beyond which a server refused them all the same
	away    bool // a server went away from requests that it had not looked at
}

// backlog is the longest latency of an open loop that is told apart: with a
// server that falls behind, a request may have been due since the beginning.
const backlog = 7 * 24 * time.Hour

func newTally(l bench.Load) *tally {
	longest := 2 * l.Timeout
	fromDue := longest
	if l.Rate > 0 {
		fromDue = backlog
	}
	t := &tally{
		failed: map[bench.Failure]int64{}, messages: map[bench.Failure]string{},
		connect: hist.New(longest), firstByte: hist.New(longest), latency: hist.New(fromDue),
		failedLatency: hist.New(fromDue), lag: hist.New(time.Second),
		series: make([]int64, 0, int(l.Duration/time.Second)+64),
		first:  -1, allowed: -1, taken: -1,
	}
	if l.Rate > 0 {
		t.service = hist.New(longest)
	}
	return t
}

// begin counts a request into flight.
func (t *tally) begin(now int64, counted bool) {
	t.inFlight++
	if !counted {
		return
	}
	t.peak = max(t.peak, t.inFlight)
	t.issue(now)
}

// issue counts a request.
func (t *tally) issue(now int64) {
	t.issued++
	t.lastIssue = now
	if t.first < 0 {
		t.first = now
	}
}

func (t *tally) success(now int64, a attempt) {
	t.ok++
	t.last = now
	t.latency.Record(time.Duration(now - a.due))
	t.firstByte.Record(time.Duration(a.first - a.start))
	if t.service != nil {
		t.service.Record(time.Duration(now - a.start))
	}
	second := int((now - t.zero) / int64(time.Second))
	for len(t.series) <= second {
		t.series = append(t.series, 0)
	}
	t.series[second]++
}

// fail counts a failure; message is asked for its text once a class.
func (t *tally) fail(now int64, a attempt, class bench.Failure, message func() string) {
	t.failed[class]++
	t.last = now
	t.failedLatency.Record(time.Duration(now - a.due))
	if _, known := t.messages[class]; !known {
		t.messages[class] = message()
	}
}

// attempt holds the times of one request, in nanoseconds since the run began.
type attempt struct {
	due   int64 // from which latency runs: as planned in an open loop, else start
	start int64 // the send; without keep-alive, the connect
	first int64 // first byte of the answer; 0: none has come
}

// merge adds o, of another thread.
func (t *tally) merge(o *tally) {
	t.issued += o.issued
	t.ok += o.ok
	t.aborted += o.aborted
	t.retried += o.retried
	t.late += o.late
	t.dropped += o.dropped
	t.body += o.body
	t.wire += o.wire
	t.kept += o.kept
	t.handshakes += o.handshakes
	t.resumed += o.resumed
	t.stray += o.stray
	t.peak += o.peak
	t.made += o.made
	t.tried += o.tried
	t.allowed, t.taken = least(t.allowed, o.allowed), least(t.taken, o.taken)
	t.away = t.away || o.away
	for i, n := range o.status {
		t.status[i] += n
	}
	for f, n := range o.failed {
		t.failed[f] += n
	}
	for f, m := range o.messages {
		if _, known := t.messages[f]; !known {
			t.messages[f] = m
		}
	}
	for len(t.series) < len(o.series) {
		t.series = append(t.series, 0)
	}
	for i, n := range o.series {
		t.series[i] += n
	}
	t.connect.Merge(o.connect)
	t.firstByte.Merge(o.firstByte)
	t.latency.Merge(o.latency)
	t.failedLatency.Merge(o.failedLatency)
	t.lag.Merge(o.lag)
	if t.service != nil {
		t.service.Merge(o.service)
	}
	if o.first >= 0 && (t.first < 0 || o.first < t.first) {
		t.first = o.first
	}
	t.last = max(t.last, o.last)
	t.lastIssue = max(t.lastIssue, o.lastIssue)
	t.exhausted = t.exhausted || o.exhausted
}

// least is the lesser of two numbers of which -1 says that there is none.
func least(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}
