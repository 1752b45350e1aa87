package load

import (
	"crypto/tls"
	"errors"
	"net"

	"golang.org/x/net/http2"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
	"matrix/internal/load/wire"
)

type tlsState = tls.ConnectionState

// countReader counts what is received.
type countReader struct {
	net.Conn
	g *group
}

func (r countReader) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	r.g.wire(int64(n))
	return n, err
}

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
		return s.Valid()
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

// broken ends the connection's requests: those of a connection that had
// answered before, and of which nothing came, are sent again once.
func (c *h2conn) broken(d poll.Done) {
	for _, s := range c.streams {
		switch {
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
