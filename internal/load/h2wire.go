package load

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"time"
)

type tlsState = tls.ConnectionState

// errStopped ends a write that the end of the run overtook.
var errStopped = errors.New("the run was stopped")

// h2wire is a connection as its h2conn uses it: what is received is counted, no
// write outlasts the requests that wait for it, and none outlasts the run.
type h2wire struct {
	net.Conn
	c *h2conn
}

func (w h2wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	w.c.g.wire(int64(n))
	return n, err
}

// Write waits for a server that does not read until the youngest request's time
// is up: then that of all is. When no request is left it waits for a moment
// only. A TLS connection is lost with the first write that is cut off, so
// cutWrites looks for the end of the run beside it.
func (w h2wire) Write(b []byte) (int, error) {
	g := w.c.g
	left := longestNap
	if w.c.first() != nil {
		youngest := w.c.order[len(w.c.order)-1]
		left = max(left, youngest.at.start+g.run.timeout-g.run.clock())
	}
	if err := w.SetWriteDeadline(time.Now().Add(dur(left))); err != nil {
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
	delete(w.c.g.wires, w.c)
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
			for _, conn := range g.wires {
				_ = conn.SetWriteDeadline(time.Unix(1, 0))
			}
			g.mu.Unlock()
			return
		}
	}
}
