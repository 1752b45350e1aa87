package load

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
)

// observed makes a load of HTTP/2 in one thread. Set prepares its group.
func observed(t testing.TB, l bench.Load, set func(*group)) bench.Measurement {
	t.Helper()
	l.Threads = 1
	r, err := prepare(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	r.before, r.begin = startCost(), time.Now()
	g := newGroup(r, 0)
	set(g)
	m := r.sum([]*tally{g.work(0)})
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	if g.opens.now != 0 || len(g.opens.line) != 0 {
		t.Errorf("%d streams are open in the end, %d not known", g.opens.now, len(g.opens.line))
	}
	return m
}

// stamp is what a server knows of a request: when it had it, when it began to
// answer and when to end.
type stamp struct{ arrived, headed, departed time.Time }

// clerk is a server that stamps requests and holds each for a while. The answer
// to the nth says so by its content-length, which is that of a HEAD.
type clerk struct {
	hold   time.Duration
	mu     sync.Mutex
	stamps []stamp
}

func (c *clerk) serve(p *peer) {
	f := preface(p, allow(1000))
	var mu sync.Mutex // of f
	var wg sync.WaitGroup
	defer wg.Wait()
	requests(f, func(id uint32) bool {
		arrived := time.Now()
		c.mu.Lock()
		n := len(c.stamps)
		c.stamps = append(c.stamps, stamp{arrived: arrived})
		c.mu.Unlock()
		if n%3 == 0 { // at once
			c.answer(f, &mu, id, n)
			return true
		}
		wg.Go(func() {
			<-time.After(c.hold + time.Duration(n%16)*c.hold/8)
			c.answer(f, &mu, id, n)
		})
		return true
	})
}

func (c *clerk) answer(f *http2.Framer, mu *sync.Mutex, id uint32, n int) {
	mu.Lock()
	defer mu.Unlock()
	headed := time.Now()
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: fields(":status", "200", "content-length", fmt.Sprint(n)), EndHeaders: true})
	c.mu.Lock()
	c.stamps[n].headed, c.stamps[n].departed = headed, time.Now()
	c.mu.Unlock()
	_ = f.WriteData(id, true, nil)
}

// spans are how long the requests were with the server, the shortest first.
func (c *clerk) spans() (all []time.Duration) {
	for _, s := range c.stamps {
		all = append(all, s.departed.Sub(s.arrived))
	}
	slices.Sort(all)
	return all
}

var h2Clocks = []struct {
	name           string
	conns, streams int
	set            func(*bench.Load)
}{
	{"one stream", 1, 1, nil},
	{"10 streams", 1, 10, nil},
	{"10 connections", 10, 1, nil},
	{"150 streams", 1, 150, nil},
	{"15 connections of 10 streams", 15, 10, nil},
	{"150 connections", 150, 1, nil},
	{"the first of each connection", 150, 1, func(l *bench.Load) { l.Requests = 150 }},
	{"a connection per request", 10, 1, fresh},
	{"at a rate", 2, 10, func(l *bench.Load) { l.Rate = 3000 }},
	{"at a rate, one stream", 1, 1, func(l *bench.Load) { l.Rate = 1000 }},
}

// TestH2LatencyIsNeverLessThanTrue: no clock starts later than the server has
// the request, and none stops before it has answered, request by request.
func TestH2LatencyIsNeverLessThanTrue(t *testing.T) {
	for _, secured := range []bool{false, true} {
		for _, tt := range h2Clocks {
			t.Run(fmt.Sprintf("tls=%v/%s", secured, tt.name), func(t *testing.T) {
				c := &clerk{hold: 200 * time.Microsecond}
				l := bench.Load{Method: "HEAD", Protocol: bench.H2C, Conns: tt.conns, Streams: tt.streams, KeepAlive: true, Requests: 900, Timeout: time.Minute}
				if tt.set != nil {
					tt.set(&l)
				}
				if secured {
					s := listen(t, false, overTLS(secure(t, true, nil).TLS, c.serve))
					l.URLs = []string{"https" + s.url()[len("http"):]}
					l.Protocol, l.TLS = bench.H2, &bench.TLS{Insecure: true}
				} else {
					l.URLs = []string{listen(t, false, c.serve).url()}
				}
				c.judge(t, l)
			})
		}
	}
}

// overTLS is a stranger within TLS.
func overTLS(config *tls.Config, serve func(*peer)) func(*peer) {
	return func(p *peer) {
		conn := tls.Server(p.Conn, config)
		p.Conn, p.in = conn, bufio.NewReader(conn)
		serve(p)
	}
}

func (c *clerk) judge(t *testing.T, l bench.Load) {
	type sample struct {
		n, due, start, first, end int64
	}
	var begin time.Time
	var samples []sample
	m := observed(t, l, func(g *group) {
		begin = g.run.begin
		g.observe = func(o *stream, now int64) {
			samples = append(samples, sample{o.length, o.at.due, o.at.start, o.at.first, now})
		}
	})
	if m.OK != l.Requests || len(samples) != int(m.OK) {
		t.Fatalf("ok %d, failed %v %v", m.OK, m.Failed, m.Messages)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range samples {
		stamp := c.stamps[s.n]
		arrived, headed, departed := int64(stamp.arrived.Sub(begin)), int64(stamp.headed.Sub(begin)), int64(stamp.departed.Sub(begin))
		if s.due > s.start || s.start > arrived || s.first < headed || s.end < departed {
			t.Errorf("due %d, start %d, first byte %d, end %d; the server had it at %d, began to answer at %d and ended at %d",
				s.due, s.start, s.first, s.end, arrived, headed, departed)
		}
	}
	spans := c.spans()
	for _, p := range []float64{0, 0.5, 0.99} {
		span := spans[int(p*float64(len(spans)-1))]
		got, _ := m.Latency.Quantile(p)
		if got < span-span/500-time.Microsecond { // a histogram has three digits
			t.Errorf("the %g quantile is %v, and the server had the requests for %v", p, got, span)
		}
	}
}

// BenchmarkH2LatencyOverhead tells by how much the latencies are longer than the
// time that requests were with the server, in microseconds.
func BenchmarkH2LatencyOverhead(b *testing.B) {
	for _, tt := range h2Clocks[:6] {
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				c := &clerk{hold: 300 * time.Microsecond}
				s := listen(b, false, c.serve)
				m, err := Run(b.Context(), bench.Load{URLs: []string{s.url()}, Method: "HEAD", Protocol: bench.H2C, Conns: tt.conns, Streams: tt.streams, KeepAlive: true, Requests: 3000})
				if err != nil {
					b.Fatal(err)
				}
				spans := c.spans()
				for name, p := range map[string]float64{"p0-us": 0, "p50-us": 0.5, "p99-us": 0.99} {
					got, _ := m.Latency.Quantile(p)
					b.ReportMetric(float64(got-spans[int(p*float64(len(spans)-1))])/1e3, name)
				}
			}
		})
	}
}

// imagined makes a load of HTTP/2 in imagined time, over pipes to a server in
// memory. It reads all that comes and tells serve of each stream that is opened.
func imagined(t *testing.T, l bench.Load, set func(*group), serve func(net.Conn, <-chan uint32)) (m bench.Measurement) {
	l.URLs, l.Protocol = []string{"http://127.0.0.1/"}, bench.H2C
	synctest.Test(t, func(t *testing.T) {
		var wg sync.WaitGroup
		m = observed(t, l, func(g *group) {
			g.dial = func(context.Context, *poll.Config, int32, netip.Addr) (net.Conn, poll.Done) {
				here, there := net.Pipe()
				wg.Go(func() {
					defer there.Close()
					opened := make(chan uint32, 1<<16)
					wg.Go(func() { readStreams(there, opened) })
					serve(there, opened)
				})
				return here, poll.Done{What: poll.Opened}
			}
			if set != nil {
				set(g)
			}
		})
		wg.Wait()
	})
	return m
}

func readStreams(conn net.Conn, opened chan<- uint32) {
	defer close(opened)
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	for f := http2.NewFramer(nil, conn); ; {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		if h, ok := frame.(*http2.HeadersFrame); ok {
			opened <- h.StreamID
		}
	}
}

// TestH2ClocksOfWhatWaits has exact times: a request that is sent again keeps
// its start, and one of an open loop runs from when it was due.
func TestH2ClocksOfWhatWaits(t *testing.T) {
	const held = 10 * time.Millisecond
	var latencies []time.Duration
	note := func(g *group) {
		latencies = nil
		g.observe = func(o *stream, now int64) { latencies = append(latencies, dur(now-o.at.due)) }
	}
	inTurn := func(each func(f *http2.Framer, n int, id uint32)) func(net.Conn, <-chan uint32) {
		return func(conn net.Conn, opened <-chan uint32) {
			f := http2.NewFramer(conn, nil)
			_ = f.WriteSettings()
			n := 0
			for id := range opened {
				each(f, n, id)
				n++
			}
		}
	}
	ms := func(all ...int) (d []time.Duration) {
		for _, n := range all {
			d = append(d, time.Duration(n)*time.Millisecond)
		}
		return d
	}
	for _, tt := range []struct {
		name string
		load bench.Load
		each func(f *http2.Framer, n int, id uint32)
		want []time.Duration
	}{
		{"one after the other", bench.Load{Streams: 1, Requests: 3}, func(f *http2.Framer, _ int, id uint32) {
			<-time.After(held)
			answer(f, id)
		}, ms(10, 10, 10)},
		{"refused at first", bench.Load{Streams: 1, Requests: 2}, func(f *http2.Framer, n int, id uint32) {
			<-time.After(held)
			if n == 0 {
				refuse(f, id)
			} else {
				answer(f, id)
			}
		}, ms(20, 10)},
		{"refused again and again", bench.Load{Streams: 1, Requests: 1}, func(f *http2.Framer, n int, id uint32) {
			<-time.After(held)
			if n < 3 {
				refuse(f, id)
			} else {
				answer(f, id)
			}
		}, ms(40 + 2 + 4)}, // and twice it is waited before sending
		{"at a rate that the server cannot keep", bench.Load{Streams: 1, Requests: 4, Rate: 200}, func(f *http2.Framer, _ int, id uint32) {
			<-time.After(held)
			answer(f, id)
		}, ms(10, 15, 20, 25)},
		{"at a rate, refused", bench.Load{Streams: 1, Requests: 2, Rate: 50}, func(f *http2.Framer, n int, id uint32) {
			<-time.After(held)
			if n == 1 {
				refuse(f, id)
			} else {
				answer(f, id)
			}
		}, ms(10, 20)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.load.Conns, tt.load.KeepAlive = 1, true
			m := imagined(t, tt.load, note, inTurn(tt.each))
			if !slices.Equal(latencies, tt.want) {
				t.Errorf("latencies %v, want %v; failed %v %v", latencies, tt.want, m.Failed, m.Messages)
			}
		})
	}
}
