package poll

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// TestEarly: what a server says before it is asked is told from an answer where
// it was there when the request was handed to the kernel.
func TestEarly(t *testing.T) {
	said := make(chan bool, 3)
	serve := func(c net.Conn) { // more than is received in one piece
		_, _ = c.Write([]byte(strings.Repeat("x", bufferSize+1)))
		said <- true
		_, _ = io.Copy(io.Discard, c)
	}
	onEach(t, serve, func(r *rig) {
		if _, ok := r.Poller.(*portable); ok {
			return // it does not listen while it connects: see TestSpeaksOutOfTurn
		}
		r.Submit(Op{Verb: Open})
		pieces := 2
		if _, ok := r.Poller.(*epoll); ok { // which connects at once, and has a larger buffer
			pieces = 1
			<-said
		}
		var early []bool
		r.each = func(d Done) {
			switch {
			case d.What == Opened:
				if pieces > 1 {
					<-said
				}
				r.Submit(Op{Verb: Send, Data: []byte("hello")})
			case len(early) == 0:
				early = append(early, d.Early)
				r.Submit(Op{Verb: Send, Data: []byte("hello")})
			default:
				early = append(early, d.Early)
			}
		}
		for deadline := time.Now().Add(5 * time.Second); len(early) < pieces && time.Now().Before(deadline); {
			if err := r.Wait(10*time.Millisecond, 0); err != nil {
				t.Fatal(err)
			}
		}
		if len(early) < pieces || !early[len(early)-1] {
			t.Errorf("early: %v", early)
		}
	})
}
