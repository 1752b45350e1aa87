package load

import (
	"hash"
	"strconv"

	"golang.org/x/net/http2"

	"matrix/internal/bench"
)

// stream is a request under HTTP/2.
type stream struct {
	at      attempt
	sum     hash.Hash // of a sampled body
	body    int64
	length  int64  // content-length; -1: not given
	out     []byte // of the request's body, still to be sent
	window  int64  // bytes that the server takes on this stream
	unacked int64  // bytes of body for which the server has not been given new room
	id      uint32
	request int
	status  int
	counted bool
	retried bool
}

// headers reads a header block: interim ones are skipped, the last one is the
// answer's, and one after the body is a trailer.
func (c *h2conn) headers(f *http2.MetaHeadersFrame) {
	s := c.streams[f.StreamID]
	if s == nil {
		return
	}
	c.firstByte(s)
	if f.Truncated {
		c.failed(s, bench.ProtocolError, "the head is longer than 64 KiB")
		return
	}
	if s.status == 0 {
		status, err := strconv.Atoi(f.PseudoValue("status"))
		switch {
		case err != nil || status < 100 || status > 999 || status == 101:
			c.failed(s, bench.ProtocolError, "the answer has no status that HTTP/2 knows")
			return
		case status < 200:
			if f.StreamEnded() {
				c.failed(s, bench.ProtocolError, "the stream ended before its head")
			}
			return
		}
		s.status = status
		if !c.fields(s, f) {
			return
		}
	}
	if f.StreamEnded() {
		c.ended(s)
	}
}

// fields reads the fields of the answer's head; false when they contradict each
// other.
func (c *h2conn) fields(s *stream, f *http2.MetaHeadersFrame) bool {
	for _, h := range f.RegularFields() {
		switch h.Name {
		case "content-length":
			n, err := strconv.ParseUint(h.Value, 10, 63)
			if err != nil || s.length >= 0 && s.length != int64(n) {
				c.failed(s, bench.ProtocolError, "a content-length that is no length, or two that differ")
				return false
			}
			s.length = int64(n)
		case "server":
			if c.g.run.server.Load() == nil {
				c.g.run.server.CompareAndSwap(nil, &h.Value)
			}
		}
	}
	return true
}

func (c *h2conn) data(f *http2.DataFrame) {
	// Padding takes room as well.
	c.unacked += int64(f.Length)
	if c.unacked > refill {
		c.write(c.framer.WriteWindowUpdate(0, uint32(c.unacked)))
		c.unacked = 0
	}
	s := c.streams[f.StreamID]
	if s == nil {
		return
	}
	if s.status == 0 {
		c.failed(s, bench.ProtocolError, "a body before its head")
		return
	}
	s.body += int64(len(f.Data()))
	if s.sum != nil {
		s.sum.Write(f.Data())
	}
	if s.unacked += int64(f.Length); s.unacked > refill && !f.StreamEnded() {
		c.write(c.framer.WriteWindowUpdate(s.id, uint32(s.unacked)))
		s.unacked = 0
	}
	if f.StreamEnded() {
		c.ended(s)
	}
}

// ended hears that the server has sent all of an answer.
func (c *h2conn) ended(s *stream) {
	if len(s.out) > 0 { // it does not want the rest of the request
		c.write(c.framer.WriteRSTStream(s.id, http2.ErrCodeNo))
	}
	switch {
	case s.status == 0:
		c.failed(s, bench.ProtocolError, "the stream ended before its head")
		return
	case s.length >= 0 && s.length != s.body && c.g.run.load.Method != "HEAD" && s.status != 304:
		c.failed(s, bench.Length, "a body of %d bytes, where content-length says %d", s.body, s.length)
		return
	}
	delete(c.streams, s.id)
	c.served++
	c.g.answered(s, !c.leaving)
	c.g.run.used.Store(c.addr)
}

// reset hears that the server gave a stream up. Refused streams were not looked
// at, and are sent again once.
func (c *h2conn) reset(f *http2.RSTStreamFrame) {
	s := c.streams[f.StreamID]
	if s == nil {
		return
	}
	if f.ErrCode == http2.ErrCodeRefusedStream && !s.retried {
		delete(c.streams, s.id)
		c.again(s)
		return
	}
	delete(c.streams, s.id) // not by failed: a reset is no answer to a reset
	c.g.fail(s, bench.Reset, "the server reset the stream: %v", f.ErrCode)
}

// pump sends as much of a request's body as the server has room for.
func (c *h2conn) pump(s *stream) {
	for len(s.out) > 0 && c.err == nil {
		n := min(int64(len(s.out)), s.window, c.window, c.maxFrame)
		if n <= 0 {
			return
		}
		c.write(c.framer.WriteData(s.id, n == int64(len(s.out)), s.out[:n]))
		s.out = s.out[n:]
		s.window -= n
		c.window -= n
	}
}
