package load

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"time"
)

type tlsState = tls.ConnectionState

// errStopped ends a read or write that the end of the run overtook.
var errStopped = errors.New("the run was stopped")

// h2wire is a connection as its h2conn uses it: what is received is counted, no
// write outlasts the requests that wait for it, a frame that has begun is read
// to its end, and nothing outlasts the run.
type h2wire struct {
	net.Conn
	c *h2conn
}

// Read gives up at the deadline set by peek, but within a frame only when until
// has come.
func (w h2wire) Read(b []byte) (int, error) {
	for {
		n, err := w.Conn.Read(b)
		w.c.g.wire(int64(n))
		if n > 0 || w.c.until == 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		left := w.c.until - w.c.g.run.clock()
		if left <= 0 {
			return 0, err
		}
		if w.c.g.stopped() {
			return 0, errStopped
		}
		if err := w.SetReadDeadline(time.Now().Add(dur(min(left, longestNap)))); err != nil {
			return 0, err
		}
	}
}

// Write waits for a server that does not read until the youngest request's time
// is up: then that of all is. A TLS connection is lost with the first write
// that is cut off, so cutWrites looks for the end of the run beside it.
func (w h2wire) Write(b []byte) (int, error) {
	g := w.c.g
	left := g.run.timeout
	if n := len(w.c.order); n > 0 && len(w.c.streams) > 0 {
		left = w.c.order[n-1].at.start + g.run.timeout - g.run.clock()
	}
	if err := w.SetWriteDeadline(time.Now().Add(dur(max(left, longestNap)))); err != nil {
		return 0, err
	}
	if g.stopped() { // and cutWrites may have been here before the deadline was set
		return 0, errStopped
	}
	n, err := w.Conn.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) && g.stopped() {
		err = errStopped
	}
	return n, err
}

// Close does not say farewell over TLS to a server that does not read.
func (w h2wire) Close() error {
	w.c.g.mu.Lock()
	delete(w.c.g.open, w.c)
	w.c.g.mu.Unlock()
	if secure, ok := w.Conn.(*tls.Conn); ok && w.c.err != nil {
		return secure.NetConn().Close()
	}
	return w.Conn.Close()
}

// cutWrites ends the writes that are under way when the run is stopped. Done is
// closed when no connection is left.
func (g *group) cutWrites(done <-chan struct{}) {
	tick := time.NewTicker(dur(longestNap))
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		if g.stopped() {
			g.mu.Lock()
			for _, conn := range g.open {
				_ = conn.SetWriteDeadline(time.Unix(1, 0))
			}
			g.mu.Unlock()
			return
		}
	}
}
