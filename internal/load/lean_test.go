package load

import (
	"bytes"
	"maps"
	"net"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
)

// lean answers requests without allocating, so that what a run allocates is
// the engine's.
func lean(answer []byte) func(*peer) {
	return func(p *peer) {
		buf := make([]byte, 4096)
		have := 0
		for {
			n, err := p.Conn.Read(buf[have:])
			if err != nil {
				return
			}
			if have += n; !bytes.HasSuffix(buf[:have], []byte("\r\n\r\n")) {
				continue
			}
			have = 0
			if _, err := p.Conn.Write(answer); err != nil {
				return
			}
		}
	}
}

func mallocs(t *testing.T, l bench.Load) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	measure(t, l)
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

func TestLoopAllocatesNothing(t *testing.T) {
	for _, size := range []int{5, 50_000} {
		answer := []byte("HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: " + map[int]string{5: "5", 50_000: "50000"}[size] + "\r\n\r\n" + long(size))
		for _, backend := range []string{"epoll", "io_uring"} {
			s := listen(t, false, lean(answer))
			l := bench.Load{URLs: []string{s.url()}, Conns: 10, KeepAlive: true, Backend: backend}
			l.Requests = 500
			few := mallocs(t, l)
			l.Requests = 5500
			many := mallocs(t, l)
			if many > few+500 {
				t.Errorf("%s, %d bytes: %d allocations for 500 requests, %d for 5500", backend, size, few, many)
			}
		}
	}
}

func TestGigabyte(t *testing.T) {
	piece := []byte(long(1 << 20))
	for _, backend := range []string{"epoll", "io_uring"} {
		s := listen(t, false, func(p *peer) {
			for p.request() > 0 {
				p.say("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
				for range 1024 {
					if _, err := p.Write(piece); err != nil {
						return
					}
				}
			}
		})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m := measure(t, bench.Load{URLs: []string{s.url()}, Conns: 1, Requests: 1, KeepAlive: true, Backend: backend})
		runtime.ReadMemStats(&after)
		if m.OK != 1 || m.BodyBytes != 1<<30 || m.WireBytes <= 1<<30 {
			t.Errorf("%s: ok %d, failed %v %v, %d bytes", backend, m.OK, m.Failed, m.Messages, m.BodyBytes)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
			t.Errorf("%s: %d bytes allocated for a body that is only counted", backend, grown)
		}
	}
}

func TestManyConnections(t *testing.T) {
	for _, backend := range []string{"epoll", "io_uring"} {
		s := listen(t, false, lean([]byte(good)))
		m := measure(t, bench.Load{URLs: []string{s.url()}, Conns: 2000, Requests: 6000, KeepAlive: true, Backend: backend})
		if m.OK != 6000 || m.Connect.Count() > 2000 || m.AchievedConns != 2000 {
			t.Errorf("%s: ok %d, failed %v %v, %d connections, %d at once", backend, m.OK, m.Failed, m.Messages, m.Connect.Count(), m.AchievedConns)
		}
	}
}

func TestReceiveSettings(t *testing.T) {
	everywhere(t, func(t *testing.T, backend string) {
		s := listen(t, false, always("HTTP/1.1 200 OK\r\nContent-Length: 600000\r\n\r\n"+long(600_000)))
		for _, keep := range []bool{false, true} {
			l := bench.Load{URLs: []string{s.url()}, Conns: 3, Requests: 30, KeepAlive: keep, Backend: backend, ReceiveLowWater: true, ReceiveBuffer: 1 << 20}
			if m := measure(t, l); m.OK != 30 || m.BodyBytes != 18_000_000 {
				t.Errorf("keep=%v: ok %d, failed %v %v, %d bytes", keep, m.OK, m.Failed, m.Messages, m.BodyBytes)
			}
		}
	})
}

func TestLongRequests(t *testing.T) {
	everywhere(t, func(t *testing.T, backend string) {
		s := listen(t, false, always(good))
		for _, size := range []int{1399, 5000, 1 << 20} {
			for _, keep := range []bool{false, true} {
				l := bench.Load{URLs: []string{s.url()}, Method: "POST", Body: make([]byte, size), Conns: 3, Requests: 12, KeepAlive: keep, Backend: backend}
				kept := keep && size < 1<<16 // what is answered before it was sent whole ends its connection
				if m := measure(t, l); m.OK != 12 || kept && m.Connect.Count() != 3 {
					t.Errorf("%d bytes, keep=%v: ok %d, failed %v %v, %d connections", size, keep, m.OK, m.Failed, m.Messages, m.Connect.Count())
				}
			}
		}
	})
}

func TestClientBound(t *testing.T) { // rule 11
	latency := func(d time.Duration) *hist.Hist {
		h := hist.New(0)
		h.Record(d)
		return h
	}
	for name, tt := range map[string]struct {
		cpu, lag float64
		elapsed  time.Duration
		want     bool
	}{
		"idle":                  {0.1, 0.1, time.Second, false},
		"busy":                  {1.7, 0.1, time.Second, true},
		"busy, too short a run": {0.09, 0, 50 * time.Millisecond, false},
		"lagging":               {0.1, 2, time.Second, true},
	} {
		r := &run{threads: 2}
		m := bench.Measurement{Elapsed: tt.elapsed, Latency: latency(10 * time.Millisecond), Client: &bench.ClientCost{CPUUser: tt.cpu, LoopLagP99: new(tt.lag)}}
		r.clientBound(&m)
		if got := slices.Contains(codes(m), "client-bound"); got != tt.want {
			t.Errorf("%s: client-bound %v", name, got)
		}
	}
}

// What was due and done late is lag; a request that waited for a connection is
// not.
func TestLagOfWhatWasDue(t *testing.T) { // rule 11
	th := &thread{run: &run{}, t: newTally(bench.Load{Rate: 1000}), pace: newPace(bench.Load{Rate: 1000}, 0, 1)}
	th.conns = make([]conn, 1)
	th.pace.restart(0)
	th.now = 5e6
	th.lagged(2e6)
	if got, _ := th.t.lag.Max(); got != 3*time.Millisecond {
		t.Errorf("lag %v, not 3 ms", got)
	}
	th.next(0)
	if th.freed != 5e6 {
		t.Errorf("freed at %d", th.freed)
	}
	var d delays
	d.push(7, 3)
	if slot, at, ok := d.pop(9); slot != 3 || at != 7 || !ok {
		t.Errorf("slot %d was due at %d", slot, at)
	}
}

// Silence at the end of a run is seen in the series.
func TestSeriesCoversTheRun(t *testing.T) { // rule 12
	c := newTally(bench.Load{Duration: 4 * time.Second})
	c.zero = 1e9
	c.begin(1e9, true)
	c.success(1.5e9, attempt{due: 1e9, start: 1e9, first: 1.2e9})
	c.last = 4.5e9 // then what hung was aborted
	var m bench.Measurement
	m.Series = c.series
	new(run).times(&m, c)
	if !slices.Equal(m.Series, []int64{1, 0, 0, 0}) || m.Elapsed != 3500*time.Millisecond {
		t.Errorf("%v in %v", m.Series, m.Elapsed)
	}
}

func FuzzServer(f *testing.F) {
	for _, s := range []string{good, good + good, "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 100 x\r\n\r\n", "SSH-2.0\r\n", "", chunked("", "5\r\nhello\r\n0\r\n\r\n")} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	var answer atomic.Pointer[[]byte]
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	s := &stranger{listener: l, conns: map[net.Conn]bool{}, serve: func(p *peer) {
		if p.request() > 0 {
			_, _ = p.Write(*answer.Load())
		}
	}}
	s.wg.Go(s.accept)
	f.Cleanup(s.close)
	f.Fuzz(func(t *testing.T, said []byte, keep bool) {
		answer.Store(&said)
		var first bench.Measurement
		for i, backend := range backends {
			m := measure(t, bench.Load{URLs: []string{s.url()}, Conns: 1, Requests: 2, KeepAlive: keep, Backend: backend, Timeout: 5 * time.Second})
			if m.Issued != 2 || m.Completed() != 2 || m.Failed[bench.Timeout] > 0 {
				t.Errorf("%s: issued %d, completed %d, failed %v of a server that always closes", backend, m.Issued, m.Completed(), m.Failed)
			}
			if i == 0 {
				first = m
			} else if m.OK != first.OK || !maps.Equal(m.Failed, first.Failed) {
				t.Errorf("%s: ok %d, failed %v; %s: ok %d, failed %v", backends[0], first.OK, first.Failed, backend, m.OK, m.Failed)
			}
		}
	})
}
