package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
)

func netipPort(addr string, port uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr(addr), port)
}

// held is what the process holds: descriptors and memory mapped from rings.
func held(t *testing.T) (files, rings int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries), strings.Count(string(maps), "io_uring")
}

// until waits for a condition: what the kernel or the runtime give back, they
// give back in their own time.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !met(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

func TestStoppingLeavesNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, backend string) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := &stranger{listener: l, conns: map[net.Conn]bool{}, serve: func(p *peer) {
			for n := p.request(); n > 0; n = p.request() {
				if n%7 == 0 {
					p.hang()
				}
				p.say(good)
			}
		}}
		s.wg.Go(s.accept)
		defer s.close()
		random := rand.New(rand.NewPCG(1, 2))
		load := bench.Load{URLs: []string{s.url()}, Conns: 20, Duration: time.Hour, Backend: backend, Threads: 2}
		for i := range 12 {
			load.KeepAlive = i%2 == 0
			load.Rate = float64(i % 3 * 1000)
			files, rings := held(t)
			goroutines := runtime.NumGoroutine()
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(30_000))*time.Microsecond)
			m, err := Run(ctx, load)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Check(); err != nil {
				t.Error(err)
			}
			var now string
			until(t, "something was left behind", func() bool {
				s.mu.Lock()
				open := len(s.conns)
				s.mu.Unlock()
				f, r := held(t)
				g := runtime.NumGoroutine()
				now = fmt.Sprintf("%d connections, %d files, %d rings, %d goroutines", open, f, r, g)
				return open == 0 && f <= files && r <= rings && g <= goroutines
			})
			if t.Failed() {
				t.Log(now)
			}
		}
	})
}

func TestOutOfDescriptors(t *testing.T) { // rule 8
	l, err := net.Listen("tcp", "127.0.0.1:0") // never accepts: its connections take no descriptors here
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	files, _ := held(t)
	before := fileLimit(0)
	for _, backend := range []string{"", "epoll", "portable"} {
		m := measure(t, bench.Load{
			URLs: []string{"http://" + l.Addr().String()}, Conns: 60, Requests: 60, KeepAlive: true,
			OpenFiles: files + 30, Timeout: 300 * time.Millisecond, Backend: backend,
		})
		if m.Failed[bench.Client] < 10 || m.Failed[bench.Timeout] < 10 || m.FailedSum() != 60 {
			t.Errorf("%s: failed %v %v", m.Backend, m.Failed, m.Messages)
		}
		if m.Messages[bench.Client] != "socket: too many open files" {
			t.Errorf("%s: said %q", m.Backend, m.Messages[bench.Client])
		}
		if state, reason := m.State(); state != bench.StateFailed || !strings.Contains(reason, "too many open files") {
			t.Errorf("%s: state %s: %s", m.Backend, state, reason)
		}
	}
	if after := fileLimit(0); after != before {
		t.Errorf("the limit was %d and is %d", before, after)
	}
}
