package load

import (
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
)

// script is a poller that reports what a test wants and notes what it is told.
type script struct{ ops []poll.Op }

func (s *script) Submit(op poll.Op)                       { s.ops = append(s.ops, op) }
func (s *script) Wait(time.Duration, time.Duration) error { return nil }
func (s *script) Close() error                            { return nil }

// kept is a thread whose only connection has answered once and carries the
// second request of the method.
func kept(t *testing.T, method string) (*thread, *script) {
	r, err := prepare(t.Context(), bench.Load{URLs: []string{"http://127.0.0.1:1/"}, Method: method, Conns: 1, Requests: 2, KeepAlive: true})
	if err != nil {
		t.Fatal(err)
	}
	r.begin = time.Now()
	s := &script{}
	th := &thread{run: r, t: newTally(r.load), conns: make([]conn, 1), io: s, counting: true, rand: rand.New(rand.NewPCG(1, 1))}
	th.conns[0].resp.Memo = &th.memo
	th.next(0)
	th.complete(poll.Done{What: poll.Opened})
	th.complete(poll.Done{What: poll.Received, N: len(good), Data: []byte(good)})
	if th.t.ok != 1 || th.conns[0].phase != asking {
		t.Fatalf("%d ok, phase %d", th.t.ok, th.conns[0].phase)
	}
	return th, s
}

// TestEarlyBytes: bytes that were there before the request was sent are not its
// answer, however good they look.
func TestEarlyBytes(t *testing.T) {
	answer := poll.Done{What: poll.Received, N: len(good), Data: []byte(good), Early: true}
	unsent := answer
	unsent.Unsent = true
	reset := poll.Done{What: poll.Received, Err: syscall.ECONNRESET, Step: "recv", Early: true, Unsent: true}
	late := poll.Done{What: poll.Received, Err: syscall.ECONNRESET, Step: "recv"}
	for _, c := range []struct {
		name, method           string
		done                   poll.Done
		stray, retried, failed int64
		class                  bench.Failure
	}{
		{name: "GET", done: answer, stray: 1, retried: 1},
		{name: "POST that was sent", method: "POST", done: answer, stray: 1, failed: 1, class: bench.ProtocolError},
		{name: "POST that was not sent", method: "POST", done: unsent, stray: 1, retried: 1},
		{name: "POST not sent, reset", method: "POST", done: reset, retried: 1},
		{name: "POST sent, reset", method: "POST", done: late, failed: 1, class: bench.Reset},
		{name: "POST that could not be sent", method: "POST", done: poll.Done{What: poll.Sent, Err: syscall.EPIPE, Step: "send"}, retried: 1},
	} {
		th, s := kept(t, c.method)
		th.complete(c.done)
		if th.t.ok != 1 || th.t.stray != c.stray || th.t.retried != c.retried || th.t.failed[c.class] != c.failed {
			t.Errorf("%s: ok %d, stray %d, retried %d, failed %v", c.name, th.t.ok, th.t.stray, th.t.retried, th.t.failed)
		}
		if last := s.ops[len(s.ops)-1]; c.retried == 1 && last.Verb != poll.Open {
			t.Errorf("%s: the last operation is %d", c.name, last.Verb)
		}
	}
}

// TestEndedWhileConnecting: a connection that was made and reset before the
// connecting was told of it counts as reset, on whichever back end.
func TestEndedWhileConnecting(t *testing.T) {
	for err, want := range map[error]bench.Failure{
		syscall.ECONNRESET: bench.Reset, syscall.EPIPE: bench.Reset, syscall.ENOTCONN: bench.Reset,
		syscall.ECONNREFUSED: bench.Connect, syscall.EADDRNOTAVAIL: bench.Client, errors.New("odd"): bench.Connect,
	} {
		if got := classify(poll.Done{What: poll.Opened, Err: err}); got != want {
			t.Errorf("%v counts as %s, want %s", err, got, want)
		}
	}
}
