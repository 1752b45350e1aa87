package load

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
	"matrix/internal/load/wire"
)

const (
	// The windows are as wide as they may be, so that flow control is the
	// server's own; refill is when used room is given back.
	window       = 1<<31 - 1
	startWindow  = 1<<16 - 1
	refill       = 1 << 28
	largestFrame = 16 << 10
	frameHead    = 9

	mostOut = 64 << 10 // bytes that wait to be written, from which on no body is added

	// mostIdle is how many frames in a row a server may send that bring no
	// request on.
	mostIdle = 10_000

	// mostRefusals is how often in a row a server may refuse all that is open.
	mostRefusals = 10
)

// session is the state of one HTTP/2 connection: frames of the server's go in
// by receive, frames for it come out in out. It neither reads nor writes nor
// waits; requests come from the group, and outcomes go there.
type session struct {
	g     *group
	p     *pending
	clock func() int64 // ns since the run began
	out   bytes.Buffer

	in     bytes.Reader // the frame being looked at
	framer *http2.Framer
	encode *hpack.Encoder
	decode *hpack.Decoder
	block  bytes.Buffer // of a request's fields, encoded
	head   head         // of an answer

	streams  map[uint32]*stream
	cut      map[uint32]bool // streams given up, to which an answer may be on its way
	room     room
	nextID   uint32
	sent     uint32 // streams from this one on have not left yet
	window   int64  // bytes that the server takes on the connection
	initial  int64  // window of a new stream
	maxFrame int64
	unacked  int64
	served   int    // answers on this connection
	taken    uint32 // streams up to this one the server has taken, or refused
	leaving  bool   // no new streams
	farewell string // the error for which the server goes away; "": none
	begun    bool   // the server's first frame has come
	idle     int    // frames since something brought a request on; below 0: room for what a sent body is answered with
	err      error  // why the connection has to end; nil: it does not
}

// newSession begins a connection: what opens it is in out.
func newSession(g *group, p *pending) *session {
	s := &session{g: g, p: p, clock: g.run.clock, streams: map[uint32]*stream{}, cut: map[uint32]bool{}, nextID: 1,
		window: startWindow, initial: startWindow, maxFrame: largestFrame}
	asked := max(g.run.load.Streams, 1)
	if !g.run.load.KeepAlive {
		asked = 1
	}
	s.room = newRoom(asked, s.clock())
	s.framer = http2.NewFramer(&s.out, &s.in)
	s.framer.SetMaxReadFrameSize(largestFrame)
	s.framer.SetReuseFrames()
	s.encode = hpack.NewEncoder(&s.block)
	s.decode = hpack.NewDecoder(4096, func(f hpack.HeaderField) { s.head.field(f) })
	s.decode.SetMaxStringLength(wire.MaxHead)
	s.out.WriteString(http2.ClientPreface)
	s.note(s.framer.WriteSettings(
		http2.Setting{ID: http2.SettingEnablePush, Val: 0},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: window},
		http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: wire.MaxHead},
	))
	s.note(s.framer.WriteWindowUpdate(0, window-startWindow))
	return s
}

// note keeps the first error that ends the connection.
func (s *session) note(err error) {
	if s.err == nil {
		s.err = err
	}
}

// die ends the connection for what the server did, and tells it so.
func (s *session) die(format string, args ...any) {
	if s.err == nil {
		s.err = protocolError(fmt.Sprintf(format, args...))
		_ = s.framer.WriteGoAway(0, http2.ErrCodeProtocol, nil)
	}
}

// protocolError says how a server broke the protocol.
type protocolError string

func (e protocolError) Error() string { return string(e) }

const errProtocol = protocolError("the bytes received are not HTTP/2")

// full reports that no stream will be opened here any more.
func (s *session) full() bool {
	return s.leaving || s.err != nil || !s.g.run.load.KeepAlive && s.nextID > 1
}

// finished reports that the connection is of no more use. More is false when no
// request is left to be issued.
func (s *session) finished(more bool) bool {
	return len(s.streams) == 0 && (s.full() || !more && s.p.next() == nil)
}

// leave takes a stream off the connection whose request has, or will get, its
// outcome.
func (s *session) leave(o *stream) {
	delete(s.streams, o.id)
	s.p.end(o)
}

// failed ends a stream and its request.
func (s *session) failed(o *stream, class bench.Failure, format string, args ...any) {
	s.leave(o)
	s.cut[o.id] = true
	s.note(s.framer.WriteRSTStream(o.id, http2.ErrCodeCancel))
	s.g.fail(s.clock(), o, class, format, args...)
}

// refused hears that the server has not looked at a stream: its request is sent
// again (RFC 9113 8.7) as soon as there is room, unless the server refuses for
// ever. What keeps it going is that other requests are answered meanwhile.
func (s *session) refused(o *stream, format string, args ...any) {
	delete(s.streams, o.id)
	o.refused++
	if s.room.refused(o.id, s.nextID, len(s.streams)) {
		if s.p.refusals++; s.p.refusals > 1 && len(s.streams) == 0 {
			s.room.pause = s.clock() + s.p.backoff()
		}
	}
	s.g.refused(o)
	if s.p.refusals > mostRefusals || o.refused > s.room.asked+mostRefusals {
		s.p.end(o)
		s.g.fail(s.clock(), o, bench.Reset, "%s, sent %d times", fmt.Sprintf(format, args...), o.refused)
		return
	}
	s.again(o)
}

func (s *session) again(o *stream) {
	s.g.again(o)
	s.p.wait(o)
}

// expire fails the requests whose time is up.
func (s *session) expire() {
	now := s.clock()
	for o := s.p.first(); o != nil && o.at.start+s.g.run.timeout <= now; o = s.p.first() {
		switch {
		case s.streams[o.id] == o && len(o.out) > 0 && min(o.window, s.window) <= 0:
			s.failed(o, bench.Timeout, "no whole answer within %v: the server gave no room for the rest of the request", s.g.run.load.Timeout)
		case s.streams[o.id] == o:
			if s.head.id == o.id {
				s.leaving = true // no other frame may come before the rest of this head
			}
			s.failed(o, bench.Timeout, "no whole answer within %v", s.g.run.load.Timeout)
		case s.room.open == 0:
			s.p.end(o)
			s.g.fail(now, o, bench.Timeout, "the server allowed no stream within %v", s.g.run.load.Timeout)
		default:
			s.p.end(o)
			s.g.fail(now, o, bench.Timeout, "no stream was free within %v", s.g.run.load.Timeout)
		}
	}
}

// broken ends the connection's requests: those of a connection that had
// answered before, and of which nothing came, are sent again once where that
// does no harm. Those whose time is up anyway failed for that.
func (s *session) broken(d poll.Done) {
	now := s.clock()
	for _, o := range s.inOrder() {
		delete(s.streams, o.id)
		var broke protocolError
		again := s.served > 0 && o.at.first == 0 && !o.raced && (o.id >= s.sent || wire.Idempotent(wire.Method(s.g.run.load)))
		switch {
		case errors.Is(d.Err, os.ErrDeadlineExceeded) && o.at.start+s.g.run.timeout <= now:
			s.over(o, bench.Timeout, "no whole answer within %v", s.g.run.load.Timeout)
		case errors.As(d.Err, &broke):
			s.over(o, bench.ProtocolError, "%v", broke)
		case again:
			o.raced = true
			s.again(o)
		case s.farewell != "":
			s.over(o, bench.Reset, "the server went away: %s", s.farewell)
		default:
			s.over(o, classify(d), "%s", describe(d))
		}
	}
}

// over ends a request of a connection that is lost.
func (s *session) over(o *stream, class bench.Failure, format string, args ...any) {
	s.p.end(o)
	s.g.fail(s.clock(), o, class, format, args...)
}

// inOrder lists the open streams, the longest first.
func (s *session) inOrder() (all []*stream) {
	for _, o := range s.p.order {
		if s.streams[o.id] == o {
			all = append(all, o)
		}
	}
	return all
}
