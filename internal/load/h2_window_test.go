package load

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"matrix/internal/bench"
)

// account is a server's connection that keeps account of the room it has given
// to the client's bodies: more than that is never to come.
type account struct {
	t       *testing.T
	f       *http2.Framer
	initial int64
	conn    int64
	streams map[uint32]int64
	unacked []int64          // initial windows that the client has not yet said to know; -1: settings without one
	got     map[uint32]int64 // bytes of each body
}

func newAccount(t *testing.T, p *peer) *account {
	return &account{t: t, f: preface(p), unacked: []int64{-1}, initial: startWindow, conn: startWindow, streams: map[uint32]int64{}, got: map[uint32]int64{}}
}

// next reads a frame; nil: the client has closed.
func (a *account) next() http2.Frame {
	frame, err := a.f.ReadFrame()
	if err != nil {
		return nil
	}
	switch f := frame.(type) {
	case *http2.SettingsFrame:
		if f.IsAck() {
			a.known()
		}
	case *http2.HeadersFrame:
		a.streams[f.StreamID] = a.initial
	case *http2.DataFrame:
		n := int64(f.Length)
		a.conn -= n
		a.streams[f.StreamID] -= n
		a.got[f.StreamID] += n
		if a.conn < 0 || a.streams[f.StreamID] < 0 {
			a.t.Errorf("%d bytes on stream %d: the room of the connection is %d then, that of the stream %d", n, f.StreamID, a.conn, a.streams[f.StreamID])
		}
	}
	return frame
}

// give widens a window; of stream 0 the connection's.
func (a *account) give(id uint32, n int64) {
	if id == 0 {
		a.conn += n
	} else {
		a.streams[id] += n
	}
	_ = a.f.WriteWindowUpdate(id, uint32(n))
}

// known hears that the client has acted on the next settings.
func (a *account) known() {
	initial := a.unacked[0]
	if a.unacked = a.unacked[1:]; initial < 0 {
		return
	}
	for id := range a.streams {
		a.streams[id] += initial - a.initial
	}
	a.initial = initial
}

func (a *account) resize(initial int64) {
	a.unacked = append(a.unacked, initial)
	_ = a.f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(initial)})
}

// settled waits until the client has acted on all that was said: it answers a
// ping after it.
func (a *account) settled() bool {
	_ = a.f.WritePing(false, [8]byte{1})
	for f := a.next(); f != nil; f = a.next() {
		if ping, ok := f.(*http2.PingFrame); ok && ping.IsAck() {
			return true
		}
	}
	return false
}

// until reads on as long as the bodies of all streams are fewer bytes.
func (a *account) until(total int64) {
	for sum := int64(0); sum < total; {
		if a.next() == nil {
			return
		}
		sum = 0
		for _, n := range a.got {
			sum += n
		}
	}
}

// TestH2Windows is of the room that a server gives to requests with a body.
func TestH2Windows(t *testing.T) {
	const body = 100_000
	tests := []struct {
		name    string
		serve   func(*account)
		streams int
		n       int64
		failed  map[bench.Failure]int64
		message string
	}{
		{name: "less than none after it shrank", streams: 1, n: 1, serve: func(a *account) {
			a.until(startWindow) // all that there was room for
			a.give(0, 1<<20)
			a.resize(10)
			a.give(1, startWindow-10) // to nothing
			if !a.settled() || a.got[1] != startWindow {
				a.t.Errorf("%d bytes sent, want %d", a.got[1], startWindow)
			}
			a.give(1, 7)
			if !a.settled() || a.got[1] != startWindow+7 {
				a.t.Errorf("%d bytes sent, want %d", a.got[1], startWindow+7)
			}
			a.resize(body)
			a.until(body)
			answer(a.f, 1)
		}},
		{name: "none at first, then by settings", streams: 3, n: 3, serve: func(a *account) {
			a.resize(0)
			for len(a.streams) < 3 {
				if a.next() == nil {
					return
				}
			}
			a.give(0, 1<<20)
			if !a.settled() {
				return
			}
			a.resize(1 << 20)
			a.until(3 * body)
			for id := range a.streams {
				answer(a.f, id)
			}
		}},
		{name: "of the connection, for all in turn", streams: 3, n: 3, serve: func(a *account) {
			a.resize(1 << 20)
			for given := int64(startWindow); given < 3*body; given += 5000 {
				a.until(given)
				a.give(0, 5000)
			}
			a.until(3 * body)
			for id := range a.streams {
				answer(a.f, id)
			}
		}},
		{name: "never enough", streams: 2, n: 4, failed: failures(bench.Timeout, 4), message: "no whole answer within 150ms: the server gave no room for the rest of the request", serve: func(a *account) {
			for a.next() != nil {
			}
		}},
		{name: "too wide, of a stream", streams: 1, n: 2, failed: failures(bench.ProtocolError, 2), message: "a window wider than HTTP/2 has", serve: func(a *account) {
			for f := a.next(); f != nil; f = a.next() {
				if h, ok := f.(*http2.HeadersFrame); ok {
					a.give(h.StreamID, window)
					a.give(h.StreamID, window)
				}
			}
		}},
		{name: "too wide, of the connection", streams: 2, n: 4, failed: failures(bench.ProtocolError, 4), message: "a window wider than HTTP/2 has", serve: func(a *account) {
			for f := a.next(); f != nil; f = a.next() {
				if _, ok := f.(*http2.HeadersFrame); ok {
					a.give(0, window)
					a.give(0, window)
				}
			}
		}},
		{name: "too wide, by settings", streams: 1, n: 2, failed: failures(bench.ProtocolError, 2), message: "a window wider than HTTP/2 has", serve: func(a *account) {
			for f := a.next(); f != nil; f = a.next() {
				if h, ok := f.(*http2.HeadersFrame); ok {
					a.give(h.StreamID, 1<<20)
					a.resize(window)
				}
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := listen(t, false, func(p *peer) { tt.serve(newAccount(t, p)) })
			l := twice(s, tt.streams, tt.n)
			l.Method, l.Body = "POST", make([]byte, body)
			if tt.failed[bench.Timeout] > 0 {
				l.Timeout = 150 * time.Millisecond
			}
			m := measure(t, l)
			if m.OK != tt.n-m.FailedSum() || fmt.Sprint(m.Failed) != fmt.Sprint(tt.failed) {
				t.Errorf("ok %d, failed %v %v; want failed %v", m.OK, m.Failed, m.Messages, tt.failed)
			}
			for _, message := range m.Messages {
				if message != tt.message {
					t.Errorf("message %q, want %q", message, tt.message)
				}
			}
		})
	}
}

// TestH2Floods is of servers that keep a client busy for nothing: nothing ends
// such a run but the number of frames, for the timeout is far away.
func TestH2Floods(t *testing.T) {
	raw := func(kind http2.FrameType, payload string) func(*http2.Framer, uint32) error {
		return func(f *http2.Framer, _ uint32) error { return f.WriteRawFrame(kind, 0, 0, []byte(payload)) }
	}
	head := func(f *http2.Framer, id uint32, ends bool, all ...string) error {
		return f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: fields(all...), EndHeaders: ends})
	}
	floods := []struct {
		name  string
		first func(*http2.Framer, uint32) error
		more  func(*http2.Framer, uint32) error
	}{
		{name: "pings", more: func(f *http2.Framer, _ uint32) error { return f.WritePing(false, [8]byte{}) }},
		{name: "answers to pings", more: func(f *http2.Framer, _ uint32) error { return f.WritePing(true, [8]byte{}) }},
		{name: "settings", more: func(f *http2.Framer, _ uint32) error { return f.WriteSettings(allow(100)) }},
		{name: "empty settings", more: func(f *http2.Framer, _ uint32) error { return f.WriteSettings() }},
		{name: "empty data", more: func(f *http2.Framer, id uint32) error { return f.WriteData(id, false, nil) },
			first: func(f *http2.Framer, id uint32) error { return head(f, id, true, ":status", "200") }},
		{name: "padding", more: func(f *http2.Framer, id uint32) error { return f.WriteDataPadded(id, false, nil, make([]byte, 50)) },
			first: func(f *http2.Framer, id uint32) error { return head(f, id, true, ":status", "200") }},
		{name: "empty continuations", more: func(f *http2.Framer, id uint32) error { return f.WriteContinuation(id, false, nil) },
			first: func(f *http2.Framer, id uint32) error { return head(f, id, false, ":status", "200") }},
		{name: "full continuations", more: func(f *http2.Framer, id uint32) error {
			return f.WriteContinuation(id, false, fields("x-long", long(200)))
		}, first: func(f *http2.Framer, id uint32) error { return head(f, id, false, ":status", "200") }},
		{name: "interim answers", more: func(f *http2.Framer, id uint32) error { return head(f, id, true, ":status", "103") }},
		{name: "room", more: func(f *http2.Framer, id uint32) error { return f.WriteWindowUpdate(id, 1) }},
		{name: "priorities", more: func(f *http2.Framer, id uint32) error {
			return f.WritePriority(id, http2.PriorityParam{StreamDep: 1000})
		}},
		{name: "resets of ended streams", first: func(f *http2.Framer, id uint32) error { return f.WriteRSTStream(id, http2.ErrCodeInternal) },
			more: func(f *http2.Framer, id uint32) error { return f.WriteRSTStream(id, http2.ErrCodeInternal) }},
		{name: "unknown frames", more: raw(0x42, "what is it")},
		{name: "farewells", more: func(f *http2.Framer, _ uint32) error { return f.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil) }},
	}
	for _, tt := range floods {
		t.Run(tt.name, func(t *testing.T) {
			s := listen(t, false, func(p *peer) {
				f := preface(p)
				requests(f, func(id uint32) bool {
					if tt.first != nil && tt.first(f, id) != nil {
						return false
					}
					for tt.more(f, id) == nil {
					}
					return false
				})
			})
			l := twice(s, 1, 3)
			l.Timeout = time.Hour
			m := measure(t, l)
			reset := m.Failed[bench.Reset] // had its outcome before
			if m.Failed[bench.ProtocolError]+reset != 3 || (reset > 0) != (tt.name == "resets of ended streams") {
				t.Errorf("ok %d, failed %v %v", m.OK, m.Failed, m.Messages)
			}
		})
	}
}

// What brings requests on may be accompanied by as much as a server likes.
func TestH2BusyServerIsNoFlood(t *testing.T) {
	s := listen(t, false, func(p *peer) {
		f := preface(p)
		requests(f, func(id uint32) bool {
			for range 200 {
				_ = f.WritePing(false, [8]byte{})
			}
			answer(f, id)
			return true
		})
	})
	if m := measure(t, twice(s, 2, 200)); m.OK != 200 {
		t.Errorf("ok %d, failed %v %v", m.OK, m.Failed, m.Messages)
	}
	// A long body is answered with room for more, by some servers a little at a
	// time.
	s = listen(t, false, func(p *peer) {
		a := newAccount(t, p)
		a.resize(window)
		a.give(0, window-startWindow)
		for got := int64(0); got < 24<<20; {
			switch f := a.next().(type) {
			case *http2.DataFrame:
				got += int64(f.Length)
				for range f.Length / 1024 {
					a.give(0, 1024)
					a.give(f.StreamID, 1024)
				}
			case nil:
				return
			}
		}
		answer(a.f, 1)
	})
	l := twice(s, 1, 1)
	l.Method, l.Body = "POST", make([]byte, 24<<20)
	if m := measure(t, l); m.OK != 1 {
		t.Errorf("ok %d, failed %v %v", m.OK, m.Failed, m.Messages)
	}
}

// TestH2UnaskedAnswers: an answer on a stream that no request has opened is not
// that of the request which opens it next, and one too many is told of.
func TestH2UnaskedAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		serve func(*http2.Framer, uint32)
		conns int64
		ok    int64
	}{
		"to the next request": {func(f *http2.Framer, id uint32) { answer(f, id); answer(f, id+2) }, 4, 4},
		"to the same again":   {func(f *http2.Framer, id uint32) { answer(f, id); answer(f, id) }, 1, 4},
		"before its own":      {func(f *http2.Framer, id uint32) { answer(f, id+2); answer(f, id) }, 4, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := listen(t, false, func(p *peer) {
				f := preface(p)
				whole := &batch{Writer: p.Conn}
				out := http2.NewFramer(whole, p.in)
				requests(f, func(id uint32) bool {
					tt.serve(out, id)
					whole.flush()
					return true
				})
			})
			m := measure(t, twice(s, 1, 4))
			if m.OK != tt.ok || m.Failed[bench.ProtocolError] != 4-tt.ok || m.Connect.Count() != tt.conns {
				t.Errorf("ok %d, failed %v %v, %d connections", m.OK, m.Failed, m.Messages, m.Connect.Count())
			}
			if tt.ok > 0 && said(t, m, "stray-bytes") == "" {
				t.Error("nothing says that there were more answers than requests")
			}
		})
	}
}
