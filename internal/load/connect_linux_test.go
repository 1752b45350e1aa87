package load

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"matrix/internal/bench"
)

// narrow is a server that accepts nothing: connections are made until its queue
// of them is full, which fill sees to. Then the kernel drops what it is asked.
func narrow(t *testing.T) (address string, fill func()) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address = fmt.Sprintf("127.0.0.1:%d", name.(*unix.SockaddrInet4).Port)
	return address, func() {
		for range 10 {
			c, err := net.DialTimeout("tcp", address, 200*time.Millisecond)
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
		}
		t.Fatal("the queue does not fill")
	}
}

// TestConnectHangs asks a server whose queue of connections is full: only time
// ends the wait.
func TestConnectHangs(t *testing.T) { // rule 6
	address, fill := narrow(t)
	fill()
	for _, l := range []bench.Load{{Backend: "portable"}, {Backend: "epoll"}, {Backend: "io_uring"}, {Protocol: bench.H2C}} {
		l.URLs, l.Conns, l.Requests, l.Timeout = []string{"http://" + address}, 2, 4, 100*time.Millisecond
		if m := measure(t, l); m.Failed[bench.Timeout] != 4 || m.Connect != nil {
			t.Errorf("%s %s: failed %v %v", l.Protocol, l.Backend, m.Failed, m.Messages)
		}
	}
}

// TestConnectionsLimited: a server that takes only so many connections is asked
// by no more requests at a time, whatever was asked for.
func TestConnectionsLimited(t *testing.T) {
	for _, l := range []bench.Load{{Backend: "portable"}, {Backend: "epoll"}, {Backend: "io_uring"}, {Protocol: bench.H2C, Streams: 3}} {
		address, fill := narrow(t)
		l.URLs, l.Conns, l.Requests, l.Timeout, l.KeepAlive = []string{"http://" + address}, 20, 20, 300*time.Millisecond, true
		m := measure(t, l)
		made := int(m.Connect.Count())
		if m.Failed[bench.Timeout] != 20 || made == 0 || made >= 20 || m.AchievedConns != made {
			t.Errorf("%s %s: failed %v %v, %d connections, %d at once", l.Protocol, l.Backend, m.Failed, m.Messages, made, m.AchievedConns)
		}
		if want := fmt.Sprintf("%d of 20 connections could be made", made); !strings.HasPrefix(said(t, m, "connections-limited"), want) {
			t.Errorf("%s %s: noted %q, want %q", l.Protocol, l.Backend, said(t, m, "connections-limited"), want)
		}
		fill()
		if m := measure(t, l); m.AchievedConns != 0 || m.Failed[bench.Timeout] != 20 {
			t.Errorf("%s %s: %d at once without a connection, failed %v", l.Protocol, l.Backend, m.AchievedConns, m.Failed)
		}
	}
}
