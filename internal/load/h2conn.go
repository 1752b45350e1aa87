package load

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"time"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
	"matrix/internal/load/wire"
)

// h2conn is one of the load's connections, and the next when it ends, with the
// goroutine that serves it: it writes what the session sends and reads frames
// until the next thing is due.
type h2conn struct {
	g *group
	pending
	s     *session // of the present connection
	conn  net.Conn
	in    *bufio.Reader
	err   error // of writing; nil: none yet
	addr  int32
	fails uint
	tried bool // it has had a request
}

func newH2Conn(g *group) *h2conn { return &h2conn{g: g} }

// run keeps a connection going until the budget is spent or the time is up.
// First is its first request, if that has been issued already.
func (c *h2conn) run(delay time.Duration, first *stream) {
	c.sleep(delay)
	if first != nil {
		first.at.start = c.g.run.clock()
		first.at.due = first.at.start
		if !c.requests(first) {
			return
		}
	}
	for {
		o, at := c.g.take()
		switch {
		case o != nil:
			if !c.requests(o) {
				return
			}
		case at == 0:
			return
		default:
			c.sleep(time.Duration(at - c.g.run.clock()))
		}
	}
}

// requests makes connections until a request, and those that are issued after it
// on its connection, have their outcome; false when the run is over.
func (c *h2conn) requests(o *stream) bool {
	if !c.tried {
		c.tried = true
		c.g.begins()
	}
	o.fresh = true
	c.add(o)
	for c.next() != nil {
		if c.open() {
			c.serve()
		} else {
			c.sleep(time.Millisecond << min(c.fails, maxBackoff))
		}
		if c.refusals > 1 {
			c.sleep(dur(c.backoff()))
		}
		if c.g.stopped() {
			c.drop()
			return false
		}
	}
	return true
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
	for o := c.first(); o != nil; o = c.first() {
		c.end(o)
		c.g.abort(o)
	}
}

// open connects for the first waiting request, within its timeout.
func (c *h2conn) open() bool {
	r := c.g.run
	o := c.next()
	start := r.clock()
	left := o.at.start + r.timeout - start
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(max(left, 1)))
	defer cancel()
	watched, unwatch := watch(ctx, c.g)
	defer unwatch()
	var d poll.Done
	for range max(len(r.config.Addrs), 1) {
		c.conn, d = c.g.dial(watched, &r.config, c.addr, c.source())
		if d.Err == nil || classify(d) != bench.Connect || watched.Err() != nil {
			break
		}
		c.addr = (c.addr + 1) % int32(max(len(r.config.Addrs), 1))
	}
	c.g.connected(d, r.clock()-start, o.counted)
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
	c.end(o)
	switch {
	case ctx.Err() != nil || r.clock() >= o.at.start+r.timeout: // the dialer may be the first to know
		c.g.fail(r.clock(), o, bench.Timeout, "no whole answer within %v", r.load.Timeout)
	default:
		c.g.fail(r.clock(), o, classify(d), "%s", describe(d))
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

// greet begins a session.
func (c *h2conn) greet() poll.Done {
	if secure, ok := c.conn.(interface{ ConnectionState() tlsState }); ok && secure.ConnectionState().NegotiatedProtocol != "h2" {
		c.conn.Close()
		return poll.Done{What: poll.Opened, Err: errNotH2, Step: "tls", Handshake: true}
	}
	c.g.mu.Lock()
	c.g.wires[c] = c.conn
	c.g.mu.Unlock()
	c.err = nil
	c.conn = h2wire{c.conn, c}
	c.in = bufio.NewReaderSize(c.conn, 2*largestFrame)
	c.s = newSession(c.g, &c.pending)
	return poll.Done{}
}

// serve sends requests and reads answers until the connection ends. What was
// issued and not answered is failed, or waiting to be sent again.
func (c *h2conn) serve() {
	defer c.conn.Close()
	for !c.g.stopped() {
		due, more := c.s.fill()
		c.flush()
		c.s.expire()
		if c.lost() || c.s.finished(more) {
			return
		}
		if err := c.read(due); err != nil {
			c.broken(poll.Done{What: poll.Received, Err: err, Step: "recv"})
			return
		}
		c.s.expire()
		if c.lost() {
			return
		}
		if c.s.served > 0 {
			c.g.run.used.Store(c.addr)
		}
	}
}

// flush writes what is to be sent.
func (c *h2conn) flush() {
	for c.err == nil && c.s.out.Len() > 0 {
		var n int64
		if n, c.err = c.s.out.WriteTo(c.conn); n > 0 {
			c.s.sent = c.s.nextID
		}
		c.s.pumpAll()
	}
}

// lost reports that the connection cannot go on, and ends its requests.
func (c *h2conn) lost() bool {
	switch {
	case c.err != nil:
		c.broken(poll.Done{What: poll.Sent, Err: c.err, Step: "send"})
	case c.s.err != nil:
		c.broken(poll.Done{What: poll.Received, Err: c.s.err, Step: "http2"})
		c.flush() // why
	}
	return c.err != nil || c.s.err != nil
}

// broken leaves what a stop cut off to be aborted.
func (c *h2conn) broken(d poll.Done) {
	if errors.Is(d.Err, errStopped) {
		return
	}
	if errors.Is(d.Err, io.EOF) || errors.Is(d.Err, io.ErrUnexpectedEOF) {
		d.Err = wire.ErrEnded
	}
	c.s.broken(d)
}

// read takes the frames that come before something else is due.
func (c *h2conn) read(due int64) error {
	size, err := c.peek(due)
	if err != nil || size == 0 {
		return err
	}
	woke := c.g.run.clock()
	for size > 0 && err == nil && c.s.err == nil {
		frame, _ := c.in.Peek(size) // it is there
		c.s.receive(frame)
		_, _ = c.in.Discard(size)
		size, err = c.buffered()
	}
	c.g.lagged(c.g.run.clock() - woke)
	return err
}

// peek waits until a whole frame is buffered, so that a deadline never cuts
// one in two, and returns its size; 0: none came in time.
func (c *h2conn) peek(due int64) (int, error) {
	now := c.g.run.clock()
	at := now + longestNap
	if due > 0 {
		at = min(at, due)
	}
	if o := c.first(); o != nil {
		at = min(at, o.at.start+c.g.run.timeout)
	}
	if err := c.conn.SetReadDeadline(time.Now().Add(time.Duration(max(at-now, 1)))); err != nil {
		return 0, err
	}
	head, err := c.in.Peek(frameHead)
	if err == nil {
		var size int
		if size, err = c.s.frameSize(head); err != nil {
			return 0, err
		}
		if _, err = c.in.Peek(size); err == nil {
			return size, nil
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, nil
	}
	return 0, err
}

// buffered is the size of the next frame when all of it is there; 0: it is not.
func (c *h2conn) buffered() (int, error) {
	if c.in.Buffered() < frameHead {
		return 0, nil
	}
	head, _ := c.in.Peek(frameHead)
	size, err := c.s.frameSize(head)
	if err != nil || c.in.Buffered() < size {
		return 0, err
	}
	return size, nil
}
