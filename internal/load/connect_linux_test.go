package load

import (
	"fmt"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"matrix/internal/bench"
)

// TestConnectHangs asks a server whose queue of connections is full: the kernel
// drops what it is asked, and only time ends the wait.
func TestConnectHangs(t *testing.T) { // rule 6
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
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
	address := fmt.Sprintf("127.0.0.1:%d", name.(*unix.SockaddrInet4).Port)
	full := false
	for range 10 {
		c, err := net.DialTimeout("tcp", address, 200*time.Millisecond)
		if err != nil {
			full = true
			break
		}
		defer c.Close()
	}
	if !full {
		t.Fatal("the queue does not fill")
	}
	for _, l := range []bench.Load{{Backend: "portable"}, {Backend: "epoll"}, {Backend: "io_uring"}, {Protocol: bench.H2C}} {
		l.URLs, l.Conns, l.Requests, l.Timeout = []string{"http://" + address}, 2, 4, 100*time.Millisecond
		if m := measure(t, l); m.Failed[bench.Timeout] != 4 || m.Connect != nil {
			t.Errorf("%s %s: failed %v %v", l.Protocol, l.Backend, m.Failed, m.Messages)
		}
	}
}
