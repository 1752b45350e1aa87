package load

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/net/http2"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
	"matrix/internal/load/wire"
)

// serve sends requests and reads answers until the connection ends. What was
// issued and not answered is failed, or waiting to be sent again.
func (c *h2conn) serve() {
	defer c.conn.Close()
	for !c.g.stopped() {
		due, more := c.fill()
		c.flush()
		c.expire()
		if c.lost() {
			return
		}
		if len(c.streams) == 0 && (c.leaving || !more) {
			return
		}
		if done := c.readOne(due); done != nil {
			c.broken(*done)
			return
		}
		c.expire()
		if c.lost() {
			return
		}
	}
}

// lost reports that the connection cannot be written to, and ends its requests.
func (c *h2conn) lost() bool {
	if c.err != nil {
		c.broken(poll.Done{What: poll.Sent, Err: c.err, Step: "send"})
	}
	return c.err != nil
}

// fill issues requests while there are streams for them; due is when the next
// one is, 0 when none is known; more is false when none will come here.
func (c *h2conn) fill() (due int64, more bool) {
	if !c.g.run.load.KeepAlive && c.nextID > 1 {
		return 0, false
	}
	for !c.leaving && c.err == nil && len(c.streams) < c.limit {
		if len(c.waiting) > 0 {
			c.send(c.waiting[0])
			c.waiting = c.waiting[1:]
			continue
		}
		s, at := c.g.take()
		if s == nil {
			return at, at > 0
		}
		c.send(s)
	}
	return 0, true
}

// send opens a stream for a request.
func (c *h2conn) send(s *stream) {
	if now := c.g.run.clock(); c.nextID == 1 && c.g.run.load.KeepAlive && !s.retried {
		if c.g.pace == nil {
			s.at.due = now
		}
		s.at.start = now
	}
	s.id, s.window, s.unacked = c.nextID, c.initial, 0
	s.out = c.g.run.load.Body
	c.nextID += 2
	if c.nextID > 1<<30 {
		c.leaving = true
	}
	c.block.Reset()
	for _, f := range c.g.fields[s.request] {
		c.write(c.encode.WriteField(f))
	}
	c.streams[s.id] = s
	c.line(s)
	c.headersOut(s)
	c.pump(s)
}

// headersOut writes the encoded block, in as many frames as it takes.
func (c *h2conn) headersOut(s *stream) {
	rest := c.block.Bytes()
	for first := true; first || len(rest) > 0; first = false {
		part := rest[:min(int64(len(rest)), c.maxFrame)]
		rest = rest[len(part):]
		if first {
			c.write(c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: part, EndStream: len(s.out) == 0, EndHeaders: len(rest) == 0}))
		} else {
			c.write(c.framer.WriteContinuation(s.id, len(rest) == 0, part))
		}
	}
}

// flush writes what is buffered.
func (c *h2conn) flush() {
	if c.err == nil && c.out.Buffered() > 0 {
		c.write(c.out.Flush())
	}
}

// readOne reads a frame when one comes before something else is due. It
// returns how the connection ended, nil when it did not.
func (c *h2conn) readOne(due int64) *poll.Done {
	whole, err := c.peek(due)
	if err == nil && !whole {
		return nil
	}
	woke := c.g.run.clock()
	c.until = woke + c.g.run.timeout
	if len(c.order) > 0 {
		c.until = c.order[0].at.start + c.g.run.timeout
	}
	for err == nil && whole && c.err == nil {
		var f http2.Frame
		if f, err = c.framer.ReadFrame(); err == nil {
			c.frame(f)
			whole = c.buffered()
		}
	}
	c.until = 0
	c.g.lagged(c.g.run.clock() - woke)
	var stream http2.StreamError
	var protocol http2.ConnectionError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &stream):
		if s := c.streams[stream.StreamID]; s != nil {
			c.failed(s, bench.ProtocolError, "%v", err)
		}
		return nil
	case errors.As(err, &protocol), errors.Is(err, http2.ErrFrameTooLarge):
		return &poll.Done{What: poll.Received, Err: errors.Join(errProtocol, err)}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = wire.ErrEnded
	}
	return &poll.Done{What: poll.Received, Err: err, Step: "recv"}
}

// peek waits until a whole frame is buffered, so that a deadline never cuts
// one in two.
func (c *h2conn) peek(due int64) (whole bool, err error) {
	now := c.g.run.clock()
	at := now + longestNap
	if due > 0 {
		at = min(at, due)
	}
	if len(c.order) > 0 {
		at = min(at, c.order[0].at.start+c.g.run.timeout)
	}
	if err := c.conn.SetReadDeadline(time.Now().Add(time.Duration(max(at-now, 1)))); err != nil {
		return false, err
	}
	head, err := c.in.Peek(frameHead)
	if err == nil {
		length := frameLength(head)
		if !c.begun && head[3] != byte(http2.FrameSettings) || length > largestFrame {
			return false, http2.ConnectionError(http2.ErrCodeProtocol)
		}
		c.begun = true
		_, err = c.in.Peek(frameHead + length)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return false, nil
	}
	return err == nil, err
}

// buffered reports whether a whole frame is there without waiting.
func (c *h2conn) buffered() bool {
	if c.in.Buffered() < frameHead {
		return false
	}
	head, err := c.in.Peek(frameHead)
	return err == nil && c.in.Buffered() >= frameHead+frameLength(head)
}

func frameLength(head []byte) int { return int(binary.BigEndian.Uint32(head) >> 8) }
