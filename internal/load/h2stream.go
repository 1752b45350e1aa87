package load

import (
	"hash"

	"golang.org/x/net/http2"

	"matrix/internal/bench"
)

// stream is a request under HTTP/2.
type stream struct {
	at      attempt
	sum     hash.Hash // of a sampled body
	body    int64
	length  int64    // content-length; -1: not given
	out     []byte   // of the request's body, still to be sent
	window  int64    // bytes that the server takes on this stream; below 0 after it took room back
	unacked int64    // bytes of body for which the server has not been given new room
	sending *sending // on the stream that it has now; nil: it has none
	id      uint32   // of its latest sending; 0: not sent
	request int
	status  int
	refused int  // times that the server did not take it
	counted bool // it belongs to the measurement, not to the warm-up
	fresh   bool // a connection is being made for it: without keep-alive that is a part of its time
	resent  bool // it has been sent twice or more
	raced   bool // it has been sent again because its connection ended
	ended   bool // it has its outcome
}

// headers takes a whole head: interim ones are skipped, the last one is the
// answer's, and one after the body is a trailer.
func (s *session) headers(h *head) {
	o := s.streams[h.id]
	if o == nil {
		if !s.cut[h.id] {
			s.g.stray() // an answer too many
		}
		return
	}
	s.firstByte(o)
	if h.fault != "" {
		s.failed(o, bench.ProtocolError, "%s", h.fault)
		return
	}
	if o.status != 0 {
		s.trailers(o, h)
		return
	}
	status, ok := h.code()
	length, valid := h.bodyLength()
	switch {
	case !ok:
		s.failed(o, bench.ProtocolError, "the answer has no status that HTTP/2 knows")
		return
	case status < 200:
		if h.ends {
			s.failed(o, bench.ProtocolError, "the stream ended before its head")
		}
		return
	case !valid:
		s.failed(o, bench.ProtocolError, badLength)
		return
	}
	s.progress()
	o.status, o.length = status, length
	if h.server != "" {
		s.g.served(h.server)
	}
	if h.ends {
		s.ended(o)
	}
}

func (s *session) trailers(o *stream, h *head) {
	if h.pseudo || !h.ends {
		s.failed(o, bench.ProtocolError, "a second head")
		return
	}
	s.ended(o)
}

func (s *session) data(f *http2.DataFrame) {
	// Padding takes room as well.
	s.unacked += int64(f.Length)
	if s.unacked > refill {
		s.note(s.framer.WriteWindowUpdate(0, uint32(s.unacked)))
		s.unacked = 0
	}
	o := s.streams[f.StreamID]
	if o == nil {
		return
	}
	s.firstByte(o)
	if o.status == 0 {
		s.failed(o, bench.ProtocolError, "a body before its head")
		return
	}
	if len(f.Data()) > 0 {
		s.progress()
	}
	o.body += int64(len(f.Data()))
	if o.sum != nil {
		o.sum.Write(f.Data())
	}
	if o.unacked += int64(f.Length); o.unacked > refill && !f.StreamEnded() {
		s.note(s.framer.WriteWindowUpdate(o.id, uint32(o.unacked)))
		o.unacked = 0
	}
	if f.StreamEnded() {
		s.ended(o)
	}
}

// ended hears that the server has sent all of an answer.
func (s *session) ended(o *stream) {
	s.progress()
	if len(o.out) > 0 { // it does not want the rest of the request
		s.note(s.framer.WriteRSTStream(o.id, http2.ErrCodeNo))
	}
	if o.length >= 0 && o.length != o.body && s.g.run.load.Method != "HEAD" && o.status != 304 {
		s.failed(o, bench.Length, "a body of %d bytes, where content-length says %d", o.body, o.length)
		return
	}
	s.leave(o)
	s.served++
	s.p.refusals = 0
	s.room.answered()
	s.g.answered(s.clock(), o, s.g.run.load.KeepAlive && !s.leaving)
}

// reset hears that the server gave a stream up.
func (s *session) reset(f *http2.RSTStreamFrame) {
	o := s.streams[f.StreamID]
	if o == nil {
		return
	}
	if f.ErrCode == http2.ErrCodeRefusedStream && o.at.first == 0 {
		s.refused(o, "the server refused the stream")
		return
	}
	s.progress()
	s.leave(o) // not by failed: a reset is no answer to a reset
	s.g.fail(s.clock(), o, bench.Reset, "the server reset the stream: %v", f.ErrCode)
}
