package load

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"matrix/internal/bench"
)

// everywhere runs a test on each back end.
func everywhere(t *testing.T, test func(t *testing.T, backend string)) {
	for _, backend := range backends {
		t.Run(backend, func(t *testing.T) { test(t, backend) })
	}
}

func codes(m bench.Measurement) (all []string) {
	for _, n := range m.Notes {
		all = append(all, n.Code)
	}
	return all
}

func TestExactBudget(t *testing.T) { // rule 7
	everywhere(t, func(t *testing.T, backend string) {
		s := listen(t, false, always(good))
		l := bench.Load{URLs: []string{s.url()}, Conns: 30, Requests: 100, KeepAlive: true, Backend: backend, Threads: 3}
		if m := measure(t, l); m.Issued != 100 || m.OK != 100 || m.Client.Threads != 3 || m.AchievedConns > 30 {
			t.Errorf("issued %d, ok %d in %d threads, %d at once", m.Issued, m.OK, m.Client.Threads, m.AchievedConns)
		}
		l.Requests, l.Conns = 7, 100
		if m := measure(t, l); m.OK != 7 || m.AchievedConns > 7 || !slices.Contains(codes(m), "concurrency-cut") {
			t.Errorf("ok %d, %d at once, notes %v", m.OK, m.AchievedConns, codes(m))
		}
	})
}

func TestRefused(t *testing.T) { // rules 7, 10
	everywhere(t, func(t *testing.T, backend string) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		url := "http://" + l.Addr().String()
		l.Close()
		m := measure(t, bench.Load{URLs: []string{url}, Conns: 2, Requests: 10, Backend: backend})
		if m.Failed[bench.Connect] != 10 || m.Messages[bench.Connect] != "connect: connection refused" {
			t.Errorf("failed %v, %v", m.Failed, m.Messages)
		}
		if m.Latency != nil || m.FirstByte != nil || m.Connect != nil || m.FailedLatency.Count() != 10 || m.Status != nil {
			t.Errorf("distributions of nothing: %v %v %v, status %v", m.Latency, m.FirstByte, m.Connect, m.Status)
		}
		m = measure(t, bench.Load{URLs: []string{url}, Conns: 2, Duration: 300 * time.Millisecond, Backend: backend})
		if m.Issued > 150 {
			t.Errorf("%d attempts in 300 ms over 2 connections: they spin", m.Issued)
		}
	})
}

func TestTimedRun(t *testing.T) { // rule 7
	everywhere(t, func(t *testing.T, backend string) {
		s := listen(t, false, func(p *peer) {
			if p.n == 1 {
				p.hang()
				return
			}
			for p.request() > 0 {
				p.say(good)
			}
		})
		m := measure(t, bench.Load{URLs: []string{s.url()}, Conns: 3, Duration: 250 * time.Millisecond, KeepAlive: true, Backend: backend})
		if m.OK == 0 || m.Aborted < 1 || m.Aborted > 3 || m.FailedSum() != 0 {
			t.Errorf("ok %d, aborted %d, failed %v %v", m.OK, m.Aborted, m.Failed, m.Messages)
		}
		if m.Elapsed < 200*time.Millisecond {
			t.Errorf("elapsed %v: the silence at the end of the run is missing", m.Elapsed)
		}
		var sum int64
		for _, n := range m.Series {
			sum += n
		}
		if sum != m.OK {
			t.Errorf("the series adds up to %d, not %d", sum, m.OK)
		}
	})
}

func TestOpenLoopShowsAStall(t *testing.T) { // rule 2
	everywhere(t, func(t *testing.T, backend string) {
		const pause = 400 * time.Millisecond
		var once sync.Once
		s := listen(t, false, func(p *peer) {
			for n := p.request(); n > 0; n = p.request() {
				if n >= 20 {
					once.Do(func() { <-time.After(pause) })
				}
				p.say(good)
			}
		})
		m := measure(t, bench.Load{URLs: []string{s.url()}, Conns: 1, Requests: 150, Rate: 200, KeepAlive: true, Backend: backend})
		p99, _ := m.Latency.Quantile(0.99)
		if m.OK != 150 || p99 < pause*8/10 {
			t.Errorf("ok %d, p99 %v of a server that paused for %v", m.OK, p99, pause)
		}
		median, _ := m.Service.Quantile(0.5)
		if m.Service.Count() != 150 || median >= pause || m.Late < 40 || m.Dropped != 0 {
			t.Errorf("service of %d, median %v; %d late, %d dropped", m.Service.Count(), median, m.Late, m.Dropped)
		}
		if slices.Contains(codes(m), "closed-loop") {
			t.Error("an open loop is called closed")
		}
	})
}

func TestOpenLoopBacklog(t *testing.T) { // rules 2, 9: a latency far beyond the timeout
	everywhere(t, func(t *testing.T, backend string) {
		s := listen(t, false, func(p *peer) {
			for p.request() > 0 {
				<-time.After(10 * time.Millisecond)
				p.say(good)
			}
		})
		m := measure(t, bench.Load{URLs: []string{s.url()}, Conns: 1, Requests: 60, Rate: 100_000, Timeout: 200 * time.Millisecond, KeepAlive: true, Backend: backend})
		last, _ := m.Latency.Quantile(1)
		if m.OK != 60 || last < 600*time.Millisecond-time.Millisecond || m.Latency.Overflow() != 0 {
			t.Errorf("ok %d of a server that takes 60 times 10 ms; the last waited %v, %d beyond the range", m.OK, last, m.Latency.Overflow())
		}
	})
}

func TestOpenLoopDrops(t *testing.T) { // rule 2
	everywhere(t, func(t *testing.T, backend string) {
		s := listen(t, false, (*peer).hang)
		m := measure(t, bench.Load{URLs: []string{s.url()}, Conns: 2, Duration: 200 * time.Millisecond, Rate: 500, Backend: backend})
		if m.Issued != 2 || m.Aborted != 2 || m.Dropped != 98 {
			t.Errorf("issued %d, aborted %d, dropped %d; want 2, 2 and 98", m.Issued, m.Aborted, m.Dropped)
		}
	})
}

func TestWarmUpIsNotCounted(t *testing.T) { // rule 12
	everywhere(t, func(t *testing.T, backend string) {
		var seen atomic.Int64
		s := listen(t, false, func(p *peer) {
			for p.request() > 0 {
				seen.Add(1)
				p.say(good)
			}
		})
		before := startCost()
		m := measure(t, bench.Load{URLs: []string{s.url()}, Conns: 2, Requests: 10, KeepAlive: true, Warmup: 200 * time.Millisecond, Backend: backend})
		after := startCost()
		all := after.user + after.system - before.user - before.system
		if mine := m.Client.CPUUser + m.Client.CPUSystem; mine > all/2 {
			t.Errorf("10 requests took %g s of the processor, of %g s with the warm-up and the server", mine, all)
		}
		if m.Issued != 10 || m.OK != 10 || m.Status[200] != 10 || m.BodyBytes != 50 || seen.Load() <= 10 {
			t.Errorf("issued %d, ok %d, status %v, %d bytes; the server saw %d", m.Issued, m.OK, m.Status, m.BodyBytes, seen.Load())
		}
	})
}

func TestThinkAndRamp(t *testing.T) {
	everywhere(t, func(t *testing.T, backend string) {
		s := listen(t, false, always(good))
		m := measure(t, bench.Load{URLs: []string{s.url()}, Conns: 1, Requests: 5, KeepAlive: true, Think: 20 * time.Millisecond, Backend: backend})
		if m.OK != 5 || m.Elapsed < 80*time.Millisecond {
			t.Errorf("ok %d in %v, with four pauses of 20 ms", m.OK, m.Elapsed)
		}
		m = measure(t, bench.Load{URLs: []string{s.url()}, Conns: 4, Duration: 200 * time.Millisecond, KeepAlive: true, Ramp: 150 * time.Millisecond, Think: 50 * time.Millisecond, Backend: backend})
		if m.Connect.Count() != 4 || m.Issued > 14 {
			t.Errorf("%d connections, %d requests", m.Connect.Count(), m.Issued)
		}
	})
}

// A pause that nothing follows, and a connection that comes too late for the
// budget, must not hold up the end.
func TestPausesDoNotHoldUpTheEnd(t *testing.T) {
	everywhere(t, func(t *testing.T, backend string) {
		s := listen(t, false, always(good))
		for name, l := range map[string]bench.Load{
			"think": {Conns: 1, Requests: 1, Think: time.Hour},
			"ramp":  {Conns: 2, Requests: 2, Threads: 2, Ramp: time.Hour},
		} {
			l.URLs, l.KeepAlive, l.Backend = []string{s.url()}, true, backend
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			m, err := Run(ctx, l)
			if err != nil || ctx.Err() != nil || m.OK != l.Requests {
				t.Errorf("%s: %v, %v, ok %d of %d", name, err, ctx.Err(), m.OK, l.Requests)
			}
			cancel()
		}
	})
}

func TestQueryIsEscaped(t *testing.T) {
	for _, protocol := range []bench.Protocol{bench.HTTP11, bench.H2C} {
		var query atomic.Pointer[string]
		s := clear2(t, func(_ http.ResponseWriter, r *http.Request) { query.Store(&r.URL.RawQuery) })
		m := measure(t, bench.Load{URLs: []string{s.URL + "/?a=b c\u00e9&d=%20"}, Protocol: protocol, Conns: 1, Requests: 1})
		if m.OK != 1 || *query.Load() != "a=b%20c%C3%A9&d=%20" {
			t.Errorf("%s: ok %d, failed %v, query %q", protocol, m.OK, m.Failed, *query.Load())
		}
	}
}

func TestUnixSocket(t *testing.T) {
	everywhere(t, func(t *testing.T, backend string) {
		path := filepath.Join(t.TempDir(), "s")
		const size = 200_000 // far beyond every buffer: the kernel must not be told of more room than there is
		large := "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + long(size)
		s := &stranger{serve: always(large), conns: map[net.Conn]bool{}}
		var err error
		if s.listener, err = net.Listen("unix", path); err != nil {
			t.Fatal(err)
		}
		s.wg.Go(s.accept)
		t.Cleanup(s.close)
		for _, keep := range []bool{false, true} {
			m := measure(t, bench.Load{URLs: []string{"http://localhost/"}, Unix: path, Conns: 2, Requests: 10, KeepAlive: keep, Backend: backend})
			if m.OK != 10 || m.BodyBytes != 10*size || m.Address != "unix:"+path {
				t.Errorf("ok %d, %d bytes, failed %v %v, address %s", m.OK, m.BodyBytes, m.Failed, m.Messages, m.Address)
			}
		}
	})
}

func TestSourcesAndPick(t *testing.T) {
	everywhere(t, func(t *testing.T, backend string) {
		var mu sync.Mutex
		from, paths := map[string]int{}, map[string]int{}
		s := listen(t, false, func(p *peer) {
			line, _ := p.in.ReadString('\n')
			host, _, _ := net.SplitHostPort(p.RemoteAddr().String())
			mu.Lock()
			from[host]++
			paths[strings.Fields(line)[1]]++
			mu.Unlock()
			for l := line; l != "\r\n" && l != ""; {
				l, _ = p.in.ReadString('\n')
			}
			p.say(good)
		})
		l := bench.Load{
			URLs: []string{s.url() + "a", s.url() + "b"}, Pick: bench.PickInTurn, Sources: []string{"127.0.0.2", "127.0.0.3"},
			Conns: 1, Requests: 10, Backend: backend,
		}
		if m := measure(t, l); m.OK != 10 {
			t.Fatalf("ok %d, failed %v %v", m.OK, m.Failed, m.Messages)
		}
		mu.Lock()
		defer mu.Unlock()
		if from["127.0.0.2"] != 5 || from["127.0.0.3"] != 5 || paths["/a"] != 5 || paths["/b"] != 5 {
			t.Errorf("from %v, paths %v", from, paths)
		}
	})
}

func TestIPv6AndSecondAddress(t *testing.T) { // rule 8
	l6, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &stranger{listener: l6, serve: always(good), conns: map[net.Conn]bool{}}
	s.wg.Go(s.accept)
	t.Cleanup(s.close)
	everywhere(t, func(t *testing.T, backend string) {
		m := measure(t, bench.Load{URLs: []string{s.url()}, Conns: 1, Requests: 3, Backend: backend})
		if m.OK != 3 || m.Address != l6.Addr().String() {
			t.Errorf("ok %d, failed %v %v, address %s", m.OK, m.Failed, m.Messages, m.Address)
		}
		s4 := listen(t, false, once(good))
		r, err := prepare(t.Context(), bench.Load{URLs: []string{s4.url()}, Conns: 10, Requests: 30, Threads: 2, Backend: backend})
		if err != nil {
			t.Fatal(err)
		}
		dead := r.config.Addrs[0]
		r.config.Addrs = append(r.config.Addrs[:0:0], netipPort("127.0.0.9", dead.Port()), dead)
		r.begin = time.Now()
		tallies, err := r.spread()
		if err != nil {
			t.Fatal(err)
		}
		if m := r.sum(tallies); m.OK != 30 || m.Address != dead.String() {
			t.Errorf("ok %d, failed %v %v, address %s; want 30 by the second address", m.OK, m.Failed, m.Messages, m.Address)
		}
	})
}

func TestForeignSource(t *testing.T) { // rule 8
	everywhere(t, func(t *testing.T, backend string) {
		s := listen(t, false, always(good))
		m := measure(t, bench.Load{URLs: []string{s.url()}, Conns: 1, Requests: 3, Sources: []string{"192.0.2.1"}, Backend: backend})
		if m.Failed[bench.Client] != 3 || m.Messages[bench.Client] != "bind: cannot assign requested address" {
			t.Errorf("failed %v %v", m.Failed, m.Messages)
		}
	})
}

func TestUnknownName(t *testing.T) { // rule 8
	m := measure(t, bench.Load{URLs: []string{"http://no-such-host.invalid/"}, Conns: 1, Requests: 4, Timeout: 5 * time.Second})
	if m.Failed[bench.Client] != 4 || !strings.HasPrefix(m.Messages[bench.Client], "lookup: ") {
		t.Errorf("failed %v, %v", m.Failed, m.Messages)
	}
	if state, _ := m.State(); state != bench.StateFailed {
		t.Errorf("state %s", state)
	}
}

func TestRefusesContradictions(t *testing.T) {
	fine := func() bench.Load { return bench.Load{URLs: []string{"http://127.0.0.1:1/"}, Conns: 1, Requests: 1} }
	for name, change := range map[string]func(*bench.Load){
		"no URL":                 func(l *bench.Load) { l.URLs = nil },
		"no scheme":              func(l *bench.Load) { l.URLs = []string{"127.0.0.1/"} },
		"ftp":                    func(l *bench.Load) { l.URLs = []string{"ftp://127.0.0.1/"} },
		"two servers":            func(l *bench.Load) { l.URLs = append(l.URLs, "http://127.0.0.1:2/") },
		"port beyond 65535":      func(l *bench.Load) { l.URLs = []string{"http://127.0.0.1:70000/"} },
		"no connection":          func(l *bench.Load) { l.Conns = 0 },
		"no budget":              func(l *bench.Load) { l.Requests = 0 },
		"two budgets":            func(l *bench.Load) { l.Duration = time.Second },
		"negative rate":          func(l *bench.Load) { l.Rate = -1 },
		"rate that is no number": func(l *bench.Load) { l.Rate = math.NaN() },
		"endless rate":           func(l *bench.Load) { l.Rate = math.Inf(1) },
		"think over HTTP/2":      func(l *bench.Load) { l.Protocol, l.Think = bench.H2C, 1 },
		"HTTP/2 on epoll":        func(l *bench.Load) { l.Protocol, l.Backend = bench.H2C, "epoll" },
		"rate and think":         func(l *bench.Load) { l.Rate, l.Think = 1, 1 },
		"unknown protocol":       func(l *bench.Load) { l.Protocol = "SPDY" },
		"unknown pick":           func(l *bench.Load) { l.Pick = "first" },
		"unknown back end":       func(l *bench.Load) { l.Backend = "kqueue" },
		"bad source":             func(l *bench.Load) { l.Sources = []string{"here"} },
		"bad digest":             func(l *bench.Load) { l.Expect.SHA256 = map[string]string{"/": "xyz"} },
		"h2 in the clear":        func(l *bench.Load) { l.Protocol = bench.H2 },
		"TLS on epoll":           func(l *bench.Load) { l.URLs, l.Backend = []string{"https://127.0.0.1:1/"}, "epoll" },
		"header with line break": func(l *bench.Load) { l.Header = []bench.Header{{Name: "A", Value: "b\n"}} },
	} {
		l := fine()
		change(&l)
		if _, err := Run(context.Background(), l); err == nil {
			t.Errorf("%s: accepted", name)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	l := fine()
	l.URLs = []string{"ftp://u:secret@127.0.0.1/"}
	if _, err := Run(context.Background(), l); err == nil || strings.Contains(fmt.Sprint(err), "secret") {
		t.Errorf("a password in an error: %v", err)
	}
}
