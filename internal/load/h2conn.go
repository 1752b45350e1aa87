package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"time"

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
)

// h2conn is an HTTP/2 connection and the goroutine that serves it: it sends
// requests as streams become free and reads frames until the next thing is due.
type h2conn struct {
	g      *group
	conn   net.Conn
	in     *bufio.Reader
	out    *bufio.Writer
	framer *http2.Framer
	encode *hpack.Encoder
	block  bytes.Buffer
	err    error // of writing; nil: none yet

	streams  map[uint32]*stream
	order    []*stream // in flight, the longest first; ended ones too, until they are looked at
	waiting  []*stream // issued, to be sent (again)
	nextID   uint32
	limit    int // streams at a time, by the server's leave
	window   int64
	initial  int64 // window of a new stream
	maxFrame int64
	unacked  int64
	served   int  // answers on this connection
	leaving  bool // GOAWAY: no new streams
	addr     int32
	fails    uint
	begun    bool  // the server has sent its first frame
	until    int64 // when a frame that has begun is no longer waited for; 0: none has
}

func newH2Conn(g *group) *h2conn { return &h2conn{g: g} }

// run keeps a connection going until the budget is spent or the time is up.
func (c *h2conn) run(delay time.Duration) {
	c.sleep(delay)
	for {
		s, at := c.g.take()
		switch {
		case s != nil:
			c.waiting = append(c.waiting, s)
		case at == 0:
			return
		default:
			c.sleep(time.Duration(at - c.g.run.clock()))
			continue
		}
		for len(c.waiting) > 0 {
			if c.open() {
				c.serve()
			} else {
				c.sleep(time.Millisecond << min(c.fails, maxBackoff))
			}
			if c.g.stopped() {
				c.drop()
				return
			}
		}
	}
}

// sleep waits, but not beyond the end of the run.
func (c *h2conn) sleep(d time.Duration) {
	for until := time.Now().Add(d); !c.g.stopped(); {
		left := time.Until(until)
		if left <= 0 {
			return
		}
		<-time.After(min(left, time.Duration(longestNap)))
	}
}

func (c *h2conn) drop() {
	for _, s := range c.waiting {
		c.g.abort(s)
	}
	for _, s := range c.streams {
		c.g.abort(s)
	}
	c.waiting, c.streams = nil, nil
}

// open connects for the first waiting request, within its timeout.
func (c *h2conn) open() bool {
	r := c.g.run
	s := c.waiting[0]
	start := r.clock()
	left := s.at.start + r.timeout - start
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(max(left, 1)))
	defer cancel()
	watched, unwatch := watch(ctx, c.g)
	defer unwatch()
	var d poll.Done
	for range max(len(r.config.Addrs), 1) {
		c.conn, d = poll.Dial(watched, &r.config, c.addr, c.source())
		if d.Err == nil || classify(d) != bench.Connect || watched.Err() != nil {
			break
		}
		c.addr = (c.addr + 1) % int32(max(len(r.config.Addrs), 1))
	}
	c.g.connected(d, r.clock()-start, s.counted)
	if d.Err == nil {
		d = c.greet()
	}
	if d.Err == nil {
		c.fails = 0
		return true
	}
	c.fails++
	if c.g.stopped() {
		return false
	}
	c.waiting = c.waiting[1:]
	switch {
	case ctx.Err() != nil || r.clock() >= s.at.start+r.timeout: // the dialer may be the first to know
		c.g.fail(s, bench.Timeout, "no whole answer within %v", r.load.Timeout)
	default:
		c.g.fail(s, classify(d), "%s", describe(d))
	}
	return false
}

// watch ends a context when the run is stopped.
func watch(ctx context.Context, g *group) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Duration(longestNap))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if g.stopped() {
					cancel()
				}
			}
		}
	}()
	return ctx, func() { cancel(); <-done }
}

func (c *h2conn) source() netip.Addr {
	sources := c.g.run.config.Sources
	if len(sources) == 0 {
		return netip.Addr{}
	}
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	c.g.source++
	return sources[(c.g.source-1)%len(sources)]
}

// errNotH2 is a TLS server that speaks something else.
var errNotH2 = errors.New("the server does not offer h2")

// greet sends the preface and the settings.
func (c *h2conn) greet() poll.Done {
	if secure, ok := c.conn.(interface{ ConnectionState() tlsState }); ok && secure.ConnectionState().NegotiatedProtocol != "h2" {
		c.conn.Close()
		return poll.Done{What: poll.Opened, Err: errNotH2, Step: "tls", Handshake: true}
	}
	c.g.mu.Lock()
	c.g.open[c] = c.conn
	c.g.mu.Unlock()
	c.conn = h2wire{c.conn, c}
	c.in = bufio.NewReaderSize(c.conn, 2*largestFrame)
	c.out = bufio.NewWriterSize(c.conn, 4<<10)
	c.framer = http2.NewFramer(c.out, c.in)
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.framer.MaxHeaderListSize = wire.MaxHead
	c.framer.SetMaxReadFrameSize(largestFrame)
	c.framer.SetReuseFrames()
	c.block.Reset()
	c.encode = hpack.NewEncoder(&c.block)
	c.streams = map[uint32]*stream{}
	c.order = nil
	c.nextID, c.served, c.leaving, c.err, c.unacked, c.begun, c.until = 1, 0, false, nil, 0, false, 0
	c.window, c.initial, c.maxFrame = startWindow, startWindow, largestFrame
	c.limit = max(c.g.run.load.Streams, 1)
	if !c.g.run.load.KeepAlive {
		c.limit = 1
	}
	_, err := io.WriteString(c.out, http2.ClientPreface)
	c.write(err)
	c.write(c.framer.WriteSettings(
		http2.Setting{ID: http2.SettingEnablePush, Val: 0},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: window},
		http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: wire.MaxHead},
	))
	c.write(c.framer.WriteWindowUpdate(0, window-startWindow))
	return poll.Done{}
}

func (c *h2conn) write(err error) {
	if c.err == nil {
		c.err = err
	}
}

var errProtocol = errors.New("not HTTP/2")
