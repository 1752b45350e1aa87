package load

import "golang.org/x/net/http2"

// fill issues requests while there is room for their streams. Due is when to
// ask again at the latest, 0 when none is known; more is false when no request
// will be issued here.
func (s *session) fill() (due int64, more bool) {
	for !s.full() {
		now := s.clock()
		if !s.room.free(len(s.streams), now) {
			return s.heldBack(now)
		}
		o := s.p.next()
		if o == nil {
			if o, due = s.g.take(); o == nil {
				return due, due > 0
			}
			s.p.add(o)
		}
		s.p.waiting = s.p.waiting[1:]
		s.send(o)
	}
	return 0, false
}

// heldBack is fill where there is no room. To a server that allows no stream at
// all one request is issued nonetheless: it waits, and its time runs.
func (s *session) heldBack(now int64) (due int64, more bool) {
	if width := s.room.width(now); width < s.room.asked && s.room.settleBy <= now {
		s.g.held(s.room.limit, width, s.served > 0)
	}
	if s.room.open == 0 && s.p.live == 0 {
		o, at := s.g.take()
		if o == nil {
			return at, at > 0
		}
		s.p.add(o)
	}
	return s.room.again(now), true
}

// send opens a stream for a request.
func (s *session) send(o *stream) {
	if o.fresh && s.g.run.load.KeepAlive {
		now := s.clock()
		if s.g.pace == nil {
			o.at.due = now
		}
		o.at.start = now
	}
	o.fresh = false
	o.id, o.window, o.unacked = s.nextID, s.initial, 0
	o.out = s.g.run.load.Body
	s.nextID += 2
	if s.nextID > 1<<30 {
		s.leaving = true
	}
	s.block.Reset()
	for _, f := range s.g.fields[o.request] {
		s.note(s.encode.WriteField(f))
	}
	s.streams[o.id] = o
	s.g.opened(o)
	s.headersOut(o)
	s.pump(o)
}

// headersOut writes the encoded block, in as many frames as it takes.
func (s *session) headersOut(o *stream) {
	rest := s.block.Bytes()
	for first := true; first || len(rest) > 0; first = false {
		part := rest[:min(int64(len(rest)), s.maxFrame)]
		rest = rest[len(part):]
		if first {
			s.note(s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: o.id, BlockFragment: part, EndStream: len(o.out) == 0, EndHeaders: len(rest) == 0}))
		} else {
			s.note(s.framer.WriteContinuation(o.id, len(rest) == 0, part))
		}
	}
}

// pump sends as much of a request's body as the server has room for, and as may
// wait to be written.
func (s *session) pump(o *stream) {
	for len(o.out) > 0 && s.err == nil && s.out.Len() < mostOut {
		n := min(int64(len(o.out)), o.window, s.window, s.maxFrame)
		if n <= 0 {
			return
		}
		s.note(s.framer.WriteData(o.id, n == int64(len(o.out)), o.out[:n]))
		o.out = o.out[n:]
		o.window -= n
		s.window -= n
		s.sentBody(n)
	}
}

// pumpAll sends what there is room for, of the requests that wait the longest
// first.
func (s *session) pumpAll() {
	if len(s.g.run.load.Body) == 0 {
		return
	}
	for _, o := range s.p.order {
		if s.streams[o.id] == o {
			s.pump(o)
		}
	}
}

// sentBody hears that n bytes of a body were sent: the server will give as much
// room back, on the stream and on the connection.
func (s *session) sentBody(n int64) {
	const leastUpdate = 1 << 10 // bytes
	s.progress()
	s.idle -= 2 * int(n/leastUpdate+1)
}
