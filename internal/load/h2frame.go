package load

import (
	"errors"
	"os"
	"slices"

	"golang.org/x/net/http2"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
	"matrix/internal/load/wire"
)

// frame acts on one frame of the server's.
func (c *h2conn) frame(f http2.Frame) {
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		c.headers(f)
	case *http2.DataFrame:
		c.data(f)
	case *http2.RSTStreamFrame:
		c.reset(f)
	case *http2.SettingsFrame:
		c.settings(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			c.write(c.framer.WritePing(true, f.Data))
		}
	case *http2.WindowUpdateFrame:
		c.widen(f)
	case *http2.GoAwayFrame:
		c.goAway(f)
	}
}

func (c *h2conn) settings(f *http2.SettingsFrame) {
	if f.IsAck() {
		return
	}
	c.write(f.ForeachSetting(func(s http2.Setting) error {
		if err := s.Valid(); err != nil {
			return errors.Join(errProtocol, err)
		}
		switch s.ID {
		case http2.SettingMaxConcurrentStreams:
			c.limit = min(c.limit, int(max(s.Val, 1)))
		case http2.SettingMaxFrameSize:
			c.maxFrame = min(int64(s.Val), 1<<20)
		case http2.SettingHeaderTableSize:
			c.encode.SetMaxDynamicTableSizeLimit(s.Val)
		case http2.SettingInitialWindowSize:
			change := int64(s.Val) - c.initial
			c.initial = int64(s.Val)
			for _, t := range c.streams {
				t.window += change
				c.pump(t)
			}
		}
		return nil
	}))
	c.write(c.framer.WriteSettingsAck())
}

func (c *h2conn) widen(f *http2.WindowUpdateFrame) {
	if s := c.streams[f.StreamID]; s != nil {
		s.window += int64(f.Increment)
		c.pump(s)
		return
	}
	if f.StreamID == 0 {
		c.window += int64(f.Increment)
		for _, s := range c.streams {
			c.pump(s)
		}
	}
}

// goAway sends again, elsewhere, what the server says it has not looked at.
func (c *h2conn) goAway(f *http2.GoAwayFrame) {
	c.leaving = true
	for id, s := range c.streams {
		if id > f.LastStreamID {
			delete(c.streams, id)
			if s.retried {
				c.g.fail(s, bench.Reset, "the server went away: %v", f.ErrCode)
				continue
			}
			c.again(s)
		}
	}
}

func (c *h2conn) again(s *stream) {
	c.g.retried(s)
	c.waiting = append(c.waiting, s)
}

// firstByte notes when the first frame of an answer came.
func (c *h2conn) firstByte(s *stream) {
	if s.at.first == 0 {
		s.at.first = c.g.run.clock()
	}
}

// failed ends a stream and its request.
func (c *h2conn) failed(s *stream, class bench.Failure, format string, args ...any) {
	delete(c.streams, s.id)
	c.write(c.framer.WriteRSTStream(s.id, http2.ErrCodeCancel))
	c.g.fail(s, class, format, args...)
}

// expire fails the requests whose time is up.
func (c *h2conn) expire() {
	now := c.g.run.clock()
	for len(c.order) > 0 {
		s := c.order[0]
		if c.streams[s.id] == s {
			if s.at.start+c.g.run.timeout > now {
				return
			}
			c.failed(s, bench.Timeout, "no whole answer within %v", c.g.run.load.Timeout)
		}
		c.order = c.order[1:]
	}
}

// line puts a stream into the order. One that is sent again has been waiting
// for longer than those sent since. Ended ones behind one that hangs are taken
// out when they have become many.
func (c *h2conn) line(s *stream) {
	const few = 64
	if len(c.order) > 2*len(c.streams)+few {
		c.order = slices.DeleteFunc(c.order, func(o *stream) bool { return c.streams[o.id] != o })
	}
	i := len(c.order)
	for i > 0 && c.order[i-1].at.start > s.at.start {
		i--
	}
	c.order = slices.Insert(c.order, i, s)
}

// broken ends the connection's requests: those of a connection that had
// answered before, and of which nothing came, are sent again once.
// Those whose time is up anyway failed for that; what a stop cut off is left to
// be aborted.
func (c *h2conn) broken(d poll.Done) {
	if errors.Is(d.Err, errStopped) {
		return
	}
	now := c.g.run.clock()
	for _, s := range c.streams {
		switch {
		case errors.Is(d.Err, os.ErrDeadlineExceeded) && s.at.start+c.g.run.timeout <= now:
			c.g.fail(s, bench.Timeout, "no whole answer within %v", c.g.run.load.Timeout)
		case errors.Is(d.Err, errProtocol):
			c.g.fail(s, bench.ProtocolError, "the bytes received are not HTTP/2")
		case c.served > 0 && s.at.first == 0 && !s.retried && wire.Idempotent(wire.Method(c.g.run.load)):
			c.again(s)
		default:
			c.g.fail(s, classify(d), "%s", describe(d))
		}
	}
	c.streams = nil
}
