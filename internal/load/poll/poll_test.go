package poll

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rig is a poller under test and what it has reported.
type rig struct {
	Poller
	t    *testing.T
	seen []string
	err  error // of the last Opened
	each func(Done)
}

func names() []string {
	if runtime.GOOS != "linux" {
		return []string{Portable}
	}
	return []string{Portable, Epoll, Uring}
}

// onEach tries every back end against a server.
func onEach(t *testing.T, serve func(net.Conn), test func(r *rig)) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread() // a ring belongs to a thread
			r := &rig{t: t}
			p, err := New(name, Config{Addrs: []netip.AddrPort{netip.MustParseAddrPort(l.Addr().String())}, Slots: 2}, r.note)
			if err != nil {
				t.Fatal(err)
			}
			r.Poller = p
			test(r)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func (r *rig) note(d Done) {
	if r.each != nil {
		r.each(d)
	}
	switch d.What {
	case Opened:
		r.err = d.Err
		r.seen = append(r.seen, fmt.Sprintf("%d opened %v", d.Slot, d.Err == nil))
	case Sent:
		r.seen = append(r.seen, fmt.Sprintf("%d sent %v", d.Slot, d.Err == nil))
	case Received:
		r.seen = append(r.seen, fmt.Sprintf("%d received %d %q end=%v %v", d.Slot, d.N, d.Data, d.End, d.Err == nil))
	}
}

// await waits until all of want has been reported, in this order.
func (r *rig) await(want ...string) {
	r.t.Helper()
	for deadline := time.Now().Add(5 * time.Second); len(r.seen) < len(want) && time.Now().Before(deadline); {
		if err := r.Wait(10*time.Millisecond, 0); err != nil {
			r.t.Fatal(err)
		}
	}
	if got := strings.Join(r.seen, "; "); got != strings.Join(want, "; ") {
		r.t.Fatalf("reported %s; want %s", got, strings.Join(want, "; "))
	}
	r.seen = nil
}

// received waits for bytes and tells how many came.
func (r *rig) received() (n int) {
	r.t.Helper()
	for len(r.seen) == 0 {
		if err := r.Wait(10*time.Millisecond, 0); err != nil {
			r.t.Fatal(err)
		}
	}
	for _, s := range r.seen {
		var each int
		if _, err := fmt.Sscanf(s, "0 received %d", &each); err != nil {
			r.t.Fatal(s)
		}
		n += each
	}
	r.seen = nil
	return n
}

func echo(c net.Conn) { _, _ = io.Copy(c, c) }

func TestExchange(t *testing.T) {
	onEach(t, echo, func(r *rig) {
		r.Submit(Op{Verb: Open, Slot: 1, Data: []byte("hello")})
		r.await("1 opened true", `1 received 5 "hello" end=false true`)
		r.Submit(Op{Verb: Send, Slot: 1, Data: []byte("again")})
		r.await(`1 received 5 "again" end=false true`)
		r.Submit(Op{Verb: Shut, Slot: 1})
		r.Submit(Op{Verb: Open, Slot: 1, Data: []byte("anew")})
		r.await("1 opened true", `1 received 4 "anew" end=false true`)
	})
}

func TestEnd(t *testing.T) {
	onEach(t, func(net.Conn) {}, func(r *rig) {
		r.Submit(Op{Verb: Open, Slot: 0, Data: []byte{}})
		r.await("0 opened true", `0 received 0 "" end=true true`)
	})
}

func TestNothingAfterShut(t *testing.T) {
	onEach(t, echo, func(r *rig) {
		r.Submit(Op{Verb: Open, Slot: 0, Data: []byte("a")})
		r.Submit(Op{Verb: Shut, Slot: 0})
		r.Submit(Op{Verb: Open, Slot: 1, Data: []byte("b")})
		r.await("1 opened true", `1 received 1 "b" end=false true`)
		for range 5 {
			if err := r.Wait(5*time.Millisecond, 0); err != nil {
				t.Fatal(err)
			}
		}
		r.await()
	})
}

func TestDiscard(t *testing.T) {
	const size = 100_000
	serve := func(c net.Conn) {
		buf := make([]byte, 1)
		for {
			if _, err := c.Read(buf); err != nil {
				return
			}
			_, _ = c.Write([]byte("head"))
			if _, err := c.Read(buf); err != nil {
				return
			}
			_, _ = c.Write(make([]byte, size))
		}
	}
	onEach(t, serve, func(r *rig) {
		step := func(verb Verb, text string) {
			r.Submit(Op{Verb: verb, Slot: 0, Data: []byte(text)})
		}
		step(Open, "?")
		r.await("0 opened true", `0 received 4 "head" end=false true`)
		step(Send, "!")
		got := r.received()
		for got < size {
			r.Submit(Op{Verb: Discard, Slot: 0, N: int64(size - got)})
			got += r.received()
		}
		if got != size {
			t.Fatalf("%d bytes of %d", got, size)
		}
		step(Send, "?") // what follows is not discarded
		r.await(`0 received 4 "head" end=false true`)
	})
}

func TestRefusedPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := netip.MustParseAddrPort(l.Addr().String())
	l.Close()
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread()
			r := &rig{t: t}
			p, err := New(name, Config{Addrs: []netip.AddrPort{addr}, Slots: 1}, r.note)
			if err != nil {
				t.Fatal(err)
			}
			r.Poller = p
			for range 3 {
				r.Submit(Op{Verb: Open, Slot: 0, Data: []byte("x")})
				r.await("0 opened false")
				if !errors.Is(r.err, syscall.ECONNREFUSED) {
					t.Errorf("the error is %v", r.err)
				}
				r.Submit(Op{Verb: Shut, Slot: 0})
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestUnknownBackEnd(t *testing.T) {
	if _, err := New("kqueue", Config{}, nil); err == nil {
		t.Error("accepted")
	}
}

// TestSpeaksOutOfTurn: what comes on an idle connection is reported.
func TestSpeaksOutOfTurn(t *testing.T) {
	more := make(chan bool)
	serve := func(c net.Conn) {
		_, _ = c.Read(make([]byte, 64))
		_, _ = c.Write([]byte("answer"))
		<-more
		_, _ = c.Write([]byte("more"))
		_, _ = io.Copy(io.Discard, c)
	}
	onEach(t, serve, func(r *rig) {
		r.Submit(Op{Verb: Open, Data: []byte("hello")})
		r.await("0 opened true", `0 received 6 "answer" end=false true`)
		more <- true
		r.await(`0 received 4 "more" end=false true`)
	})
}
