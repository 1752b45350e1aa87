package load

import (
	"fmt"
	"testing"
	"time"

	"matrix/internal/bench"
)

// races are the behaviours in which the server ends connections of its own
// accord, so that what is counted depends on who is faster. Then the number of
// requests that fail does, where they may not be sent again or the server counts
// over all connections, and with it all that follows.
var races = map[string]bool{
	"reset on every fourth":                        true,
	"well-behaved, a connection per request":       true,
	"closed after three without a word":            true,
	"every connection reset after an answer":       true,
	"every second request of a connection dropped": true,
	"every second request of a connection reset":   true,
	"the same, not idempotent":                     true,
	"closed while idle, not idempotent":            true,
	"dropped again when sent again":                true,
	"closed after a byte is a failure":             true,
	"reset within the body":                        true,
}

// counters are what a run counts.
type counters struct {
	ok, aborted, kept, body, retried, conns int64
	failed, status                          string
}

func countersOf(m bench.Measurement) counters {
	return counters{
		ok: m.OK, aborted: m.Aborted, kept: *m.Kept, body: m.BodyBytes, retried: m.Retried, conns: m.Connect.Count(),
		failed: fmt.Sprint(m.Failed), status: fmt.Sprint(m.Status),
	}
}

// TestBackEndsAgree: whatever a server does, with and without keep-alive, to GET
// and POST, over few connections and many, the back ends count the same, and
// none of them waits for what another does not wait for.
func TestBackEndsAgree(t *testing.T) {
	for _, b := range behaviours {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			for _, keep := range []bool{true, false} {
				for _, method := range []string{"GET", "POST"} {
					for _, conns := range []int{1, 4, 50} {
						b.agree(t, keep, method, conns)
					}
				}
			}
		})
	}
}

func (b behaviour) agree(t *testing.T, keep bool, method string, conns int) {
	var first bench.Measurement
	fastest := time.Duration(1<<63 - 1)
	var slowest, timeout time.Duration
	for _, backend := range backends {
		s := listen(t, false, b.serve)
		l := bench.Load{URLs: []string{s.url()}, Requests: 8, Conns: 1, Timeout: 10 * time.Second}
		if b.load != nil {
			b.load(&l)
		}
		if b.name == "reset when accepted" { // more than the listener of a busy machine takes would have to ask again
			l.Requests, l.Timeout = 300, 10*time.Second
		}
		l.KeepAlive, l.Backend, l.Conns = keep, backend, conns
		if l.Timeout < time.Second { // a busy machine must not run into it
			if method == "POST" || conns > 4 {
				return // each takes a second, and waiting is the same for all
			}
			l.Timeout = time.Second
		}
		if method == "POST" {
			if l.Method != "" {
				return // it has a method of its own
			}
			l.Method, l.Body = method, []byte("a=b")
		}
		if l.Requests == 8 {
			l.Requests = int64(8 + conns)
		}
		m := measure(t, l)
		fastest, slowest, timeout = min(fastest, m.Elapsed), max(slowest, m.Elapsed), l.Timeout
		if backend == backends[0] {
			first = m
			continue
		}
		got, want := countersOf(m), countersOf(first)
		if conns > 1 || b.name == "reset when accepted" {
			got.conns, want.conns = 0, 0 // a connection more may have been begun
		}
		if races[b.name] && keep || b.name == "reset on every fourth" {
			got, want = raced(t, m), raced(t, first)
		}
		if got != want {
			t.Errorf("keep=%v %s c=%d: %s counts %+v; %s %+v", keep, method, conns, backend, got, backends[0], want)
		}
	}
	if hang := max(timeout, 8*time.Second); slowest-fastest > hang {
		t.Errorf("keep=%v %s c=%d: one back end took %v, another %v: it waited for nothing", keep, method, conns, slowest, fastest)
	}
}

// raced is what remains the same whoever is faster: each request is answered
// well or is reset, and none waits in vain.
func raced(t *testing.T, m bench.Measurement) counters {
	if m.OK+m.Failed[bench.Reset] != m.Issued {
		t.Errorf("%d issued, %d ok, failed %v", m.Issued, m.OK, m.Failed)
	}
	return counters{ok: m.OK + m.Failed[bench.Reset], aborted: m.Aborted}
}
