package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"matrix/internal/bench"
)

// clear2 starts a server in the clear that speaks HTTP/2, and HTTP/1 too.
func clear2(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func TestH2(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	s := clear2(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Server", "two")
		switch r.URL.Path {
		case "/echo":
			_, _ = w.Write(body)
		case "/503":
			w.WriteHeader(503)
		case "/cut":
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "hello")
		case "/early":
			w.WriteHeader(103)
			_, _ = io.WriteString(w, "hello")
		case "/wait":
			<-time.After(5 * time.Millisecond)
		default:
			n, _ := strconv.Atoi(r.URL.Query().Get("n"))
			_, _ = io.WriteString(w, long(n))
		}
		mu.Lock()
		now--
		mu.Unlock()
	})
	tests := []struct {
		name, path string
		change     func(*bench.Load)
		ok, body   int64
		failed     map[bench.Failure]int64
		conns      int64
	}{
		{name: "small", path: "/?n=1500", ok: 200, body: 300_000, conns: 2},
		{name: "large", path: "/?n=700000", change: func(l *bench.Load) { l.Requests = 20 }, ok: 20, body: 14_000_000, conns: 2},
		{name: "HEAD", path: "/?n=1500", change: func(l *bench.Load) { l.Method = "HEAD" }, ok: 200, conns: 2},
		{name: "long request", path: "/echo", change: func(l *bench.Load) { l.Method, l.Body, l.Requests = "POST", []byte(long(300_000)), 20 }, ok: 20, body: 6_000_000, conns: 2},
		{name: "long header", path: "/?n=5", change: func(l *bench.Load) { l.Header = []bench.Header{{Name: "X-Long", Value: long(40_000)}} }, ok: 200, body: 1000, conns: 2},
		{name: "503", path: "/503", failed: failures(bench.Non2xx, 200), conns: 2},
		{name: "interim", path: "/early", ok: 200, body: 1000, conns: 2},
		{name: "not the expected length", path: "/?n=5", change: func(l *bench.Load) { l.Expect.Length = map[string]int64{"/": 4} }, failed: failures(bench.Length, 200), body: 1000, conns: 2},
		{name: "a connection per request", path: "/?n=5", change: func(l *bench.Load) { l.KeepAlive = false }, ok: 200, body: 1000, conns: 200},
		{name: "rate", path: "/?n=5", change: func(l *bench.Load) { l.Rate, l.Requests = 500, 50 }, ok: 50, body: 250},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := bench.Load{URLs: []string{s.URL + tt.path}, Protocol: bench.H2C, Conns: 2, Streams: 8, KeepAlive: true, Requests: 200}
			if tt.change != nil {
				tt.change(&l)
			}
			m := measure(t, l)
			if m.OK != tt.ok || m.BodyBytes != tt.body || m.Issued != l.Requests || fmt.Sprint(m.Failed) != fmt.Sprint(tt.failed) {
				t.Errorf("issued %d, ok %d, %d bytes, failed %v %v", m.Issued, m.OK, m.BodyBytes, m.Failed, m.Messages)
			}
			if tt.conns > 0 && m.Connect.Count() != tt.conns {
				t.Errorf("%d connections, want %d", m.Connect.Count(), tt.conns)
			}
			if m.Server != "two" || m.Latency.Count() != tt.ok {
				t.Errorf("server %q, %d latencies", m.Server, m.Latency.Count())
			}
			if m.Client.LoopLagP99 == nil || *m.Client.LoopLagP99 <= 0 {
				t.Error("the loop's lag was not noted")
			}
		})
	}
	most = 0
	m := measure(t, bench.Load{URLs: []string{s.URL + "/wait"}, Protocol: bench.H2C, Conns: 2, Streams: 8, KeepAlive: true, Requests: 160})
	if m.AchievedConns > 16 || most > 16 || most < 3 {
		t.Errorf("%d in flight, the server saw %d at once; two connections of 8 streams were asked for", m.AchievedConns, most)
	}
}

func TestH2OverTLS(t *testing.T) {
	s := secure(t, true, nil)
	l := bench.Load{URLs: []string{s.URL}, Protocol: bench.H2, Conns: 2, Streams: 4, KeepAlive: true, Requests: 100, TLS: &bench.TLS{CAFile: authority(t, s)}}
	if m := measure(t, l); m.OK != 100 || m.Handshakes != 2 || m.BodyBytes != 500 {
		t.Errorf("ok %d, failed %v %v, %d handshakes", m.OK, m.Failed, m.Messages, m.Handshakes)
	}
	plain := secure(t, false, nil)
	l.URLs, l.Requests, l.TLS = []string{plain.URL}, 3, &bench.TLS{Insecure: true}
	if m := measure(t, l); m.Failed[bench.TLSError] != 3 {
		t.Errorf("to a server without h2: ok %d, failed %v %v", m.OK, m.Failed, m.Messages)
	}
}

// TestH2Strangers holds HTTP/2 connections to servers that misbehave.
func TestH2Strangers(t *testing.T) {
	type strange struct {
		name    string
		serve   func(*peer)
		ok      int64
		failed  map[bench.Failure]int64
		retried int64
	}
	tests := []strange{
		{"another protocol", func(p *peer) { p.say("HTTP/1.1 400 Bad Request\r\n\r\n"); p.hang() }, 0, failures(bench.ProtocolError, 4), 0},
		{"nothing", func(p *peer) { p.hang() }, 0, failures(bench.Timeout, 4), 0},
		{"closes", func(*peer) {}, 0, nil, 0}, // reset or write, as it comes
		{"never answers", func(p *peer) { requests(preface(p), func(uint32) bool { return true }) }, 0, failures(bench.Timeout, 4), 0},
		{"resets each stream", func(p *peer) {
			f := preface(p)
			requests(f, func(id uint32) bool { return f.WriteRSTStream(id, http2.ErrCodeInternal) == nil })
		}, 0, failures(bench.Reset, 4), 0},
		{"refuses the first stream of each connection", func(p *peer) {
			f := preface(p)
			requests(f, func(id uint32) bool {
				if id == 1 {
					return f.WriteRSTStream(id, http2.ErrCodeRefusedStream) == nil
				}
				answer(f, id)
				return true
			})
		}, 4, nil, 1},
		{"goes away after two", func(p *peer) {
			f := preface(p)
			requests(f, func(id uint32) bool {
				if id == 5 {
					_ = f.WriteGoAway(3, http2.ErrCodeNo, nil)
					return false
				}
				answer(f, id)
				return true
			})
		}, 4, nil, 1},
		{"closes with the second request", func(p *peer) {
			f := preface(p)
			requests(f, func(id uint32) bool {
				if id == 3 {
					return false
				}
				answer(f, id)
				return true
			})
		}, 4, nil, 3},
	}
	settings := func(values ...http2.Setting) func(*peer) {
		return func(p *peer) {
			f := preface(p)
			requests(f, func(id uint32) bool {
				_ = f.WriteSettings(values...)
				answer(f, id)
				return true
			})
		}
	}
	tests = append(tests, strange{"a frame size of 0", settings(http2.Setting{ID: http2.SettingMaxFrameSize}), 0, failures(bench.ProtocolError, 4), 0})
	tests = append(tests, strange{"a frame size of 16 KiB", settings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 16 << 10}), 4, nil, 0})
	tests = append(tests, strange{"a head in two parts, slowly", func(p *peer) {
		f := preface(p)
		requests(f, func(id uint32) bool {
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}, EndStream: true})
			<-time.After(2 * dur(longestNap))
			return f.WriteContinuation(id, true, nil) == nil
		})
	}, 4, nil, 0})
	tests = append(tests, strange{"a head that never ends", func(p *peer) {
		f := preface(p)
		requests(f, func(id uint32) bool {
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}, EndStream: true}) == nil
		})
	}, 0, failures(bench.Timeout, 4), 0})
	head := func(all ...string) func(*peer) { // answers with these, and an end of stream
		return func(p *peer) {
			f := preface(p)
			requests(f, func(id uint32) bool {
				return f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: fields(all...), EndHeaders: true, EndStream: true}) == nil
			})
		}
	}
	tests = append(tests, strange{"an interim answer and no more", head(":status", "103"), 0, failures(bench.ProtocolError, 4), 0})
	tests = append(tests, strange{"lengths that differ", head(":status", "200", "content-length", "0", "content-length", "1"), 0, failures(bench.ProtocolError, 4), 0})
	tests = append(tests, strange{"lengths that agree", head(":status", "200", "content-length", "0", "content-length", "0"), 4, nil, 0})
	tests = append(tests, strange{"a length that is none", head(":status", "200", "content-length", "-0"), 0, failures(bench.ProtocolError, 4), 0})
	tests = append(tests, strange{"goes away when a reset is answered", func(p *peer) {
		f := preface(p)
		for {
			switch frame, err := f.ReadFrame(); frame := frame.(type) {
			case *http2.HeadersFrame:
				_ = f.WriteRSTStream(frame.StreamID, http2.ErrCodeInternal)
			case *http2.RSTStreamFrame:
				p.say("HTTP/1.1 400 no") // becomes a protocol error
			default:
				if err != nil {
					return
				}
			}
		}
	}, 0, failures(bench.Reset, 4), 0})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := listen(t, false, tt.serve)
			m := measure(t, bench.Load{URLs: []string{s.url()}, Protocol: bench.H2C, Conns: 1, KeepAlive: true, Requests: 4, Timeout: 150 * time.Millisecond})
			if m.OK != tt.ok || m.Retried != tt.retried || tt.ok+int64(len(tt.failed)) > 0 && fmt.Sprint(m.Failed) != fmt.Sprint(tt.failed) {
				t.Errorf("ok %d, failed %v %v, retried %d", m.OK, m.Failed, m.Messages, m.Retried)
			}
		})
	}
}

func TestH2StoppingLeavesNothing(t *testing.T) {
	s := clear2(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "hang") {
			<-r.Context().Done()
		}
	})
	for i := range 4 {
		files, _ := held(t)
		goroutines := runtime.NumGoroutine()
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i*15)*time.Millisecond)
		m, err := Run(ctx, bench.Load{URLs: []string{s.URL + "/hang", s.URL + "/"}, Pick: bench.PickInTurn, Protocol: bench.H2C, Conns: 3, Streams: 3, KeepAlive: true, Duration: time.Hour})
		cancel()
		if err != nil || m.Check() != nil {
			t.Fatal(err, m.Check())
		}
		until(t, "something was left behind", func() bool {
			f, _ := held(t)
			return f <= files && runtime.NumGoroutine() <= goroutines
		})
	}
	if m := measure(t, bench.Load{URLs: []string{s.URL + "/hang"}, Protocol: bench.H2C, Conns: 1, Streams: 2, KeepAlive: true, Duration: 60 * time.Millisecond}); m.Aborted != 2 || !slices.Contains(codes(m), "closed-loop") {
		t.Errorf("aborted %d, notes %v", m.Aborted, codes(m))
	}
}

// TestH2ServerThatDoesNotRead gives all the room there is and takes nothing: a
// stop has to end the write, and a timeout is one.
func TestH2ServerThatDoesNotRead(t *testing.T) {
	over := make(chan struct{})
	var asked atomic.Pointer[func()]
	asked.Store(new(func() {}))
	serve := func(p *peer) {
		f := http2.NewFramer(p.Conn, p.in)
		_ = f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window})
		_ = f.WriteWindowUpdate(0, window-startWindow)
		_, _ = io.CopyN(io.Discard, p.in, 1<<20)
		(*asked.Load())()
		<-over
	}
	s := listen(t, false, serve)
	t.Cleanup(func() { close(over) })
	l := bench.Load{URLs: []string{s.url()}, Protocol: bench.H2C, Method: "POST", Body: make([]byte, 32<<20), Conns: 1, Streams: 2, KeepAlive: true, Timeout: time.Hour}
	l.Duration = 500 * time.Millisecond
	if m := measure(t, l); m.Aborted < 1 || m.Issued != m.Aborted {
		t.Errorf("at the end of the time: issued %d, aborted %d, failed %v", m.Issued, m.Aborted, m.Failed)
	}
	l.Duration = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked.Store(new(func() { cancel() }))
	if m, err := Run(ctx, l); err != nil || m.Aborted < 1 || m.Issued != m.Aborted {
		t.Errorf("when stopped: %v, issued %d, aborted %d, failed %v", err, m.Issued, m.Aborted, m.Failed)
	}
	l.Duration, l.Requests, l.Timeout = 0, 4, 200*time.Millisecond
	if m := measure(t, l); fmt.Sprint(m.Failed) != fmt.Sprint(failures(bench.Timeout, 4)) {
		t.Errorf("within its timeout: issued %d, failed %v %v", m.Issued, m.Failed, m.Messages)
	}
}

// A server that never answers must not prolong the warm-up.
func TestH2WarmUpEndsByItself(t *testing.T) {
	s := listen(t, false, (*peer).hang)
	m := measure(t, bench.Load{URLs: []string{s.url()}, Protocol: bench.H2C, Conns: 1, KeepAlive: true, Timeout: 2 * time.Second,
		Warmup: 200 * time.Millisecond, Duration: 30 * time.Millisecond})
	if m.Issued != 0 {
		t.Errorf("issued %d: the run outlasted its 230 ms", m.Issued)
	}
}

// One request that hangs must not hold the memory of all that ended after it.
func TestH2OrderIsBounded(t *testing.T) {
	var p pending
	for i := range int64(10_000) {
		o := &stream{request: int(i), at: attempt{start: i}}
		p.add(o)
		p.waiting = p.waiting[1:]
		if i > 0 {
			p.end(o)
		}
	}
	if len(p.order) > 100 || p.first().request != 0 || p.live != 1 {
		t.Errorf("%d requests in the order, %d without an outcome", len(p.order), p.live)
	}
	p.add(&stream{request: -1, at: attempt{start: -1}})
	if p.first().request != -1 || p.next().request != -1 {
		t.Error("a request that has waited for longer is not first")
	}
}

// FuzzH2 lets a server say anything after its settings.
func FuzzH2(f *testing.F) {
	headers := []byte("\x00\x00\x01\x01\x05\x00\x00\x00\x01\x88")
	data := []byte("\x00\x00\x02\x00\x01\x00\x00\x00\x01hi")
	goAway := []byte("\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	f.Add(headers)
	f.Add(append(append([]byte{}, "\x00\x00\x01\x01\x04\x00\x00\x00\x01\x88"...), data...))
	f.Add(append(append([]byte{}, goAway...), headers...))
	f.Add([]byte("\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x07"))
	f.Add([]byte("\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00")) // a frame size of 0
	f.Add([]byte("\x00\x00\x01\x01\x00\x00\x00\x00\x01\x88"))                     // a head without an end
	f.Add([]byte("HTTP/1.1 200 OK\r\n\r\n"))
	var answer atomic.Pointer[[]byte]
	var stays atomic.Bool // the server does not close after what it says
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	s := &stranger{listener: l, conns: map[net.Conn]bool{}, serve: func(p *peer) {
		buf := make([]byte, len(http2.ClientPreface))
		if _, err := io.ReadFull(p.in, buf); err != nil {
			return
		}
		_ = http2.NewFramer(p.Conn, nil).WriteSettings()
		_, _ = p.Write(*answer.Load())
		if !stays.Load() {
			_ = p.Conn.(*net.TCPConn).CloseWrite()
		}
		p.hang()
	}}
	s.wg.Go(s.accept)
	f.Cleanup(s.close)
	f.Fuzz(func(t *testing.T, said []byte) {
		answer.Store(&said)
		stays.Store(true)
		over := make(chan error, 1)
		go func() {
			m, err := Run(t.Context(), bench.Load{URLs: []string{s.url()}, Protocol: bench.H2C, Conns: 1, Streams: 2, Duration: time.Millisecond, KeepAlive: true, Timeout: time.Hour})
			over <- errors.Join(err, m.Check())
		}()
		select {
		case err := <-over:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("the run outlasts its time")
		}
		stays.Store(false)
		m := measure(t, bench.Load{URLs: []string{s.url()}, Protocol: bench.H2C, Conns: 1, Streams: 2, Requests: 3, KeepAlive: true, Timeout: 5 * time.Second})
		if m.Issued != 3 || m.Completed() != 3 || m.Failed[bench.Timeout] > 0 {
			t.Errorf("issued %d, completed %d, failed %v of a server that always closes", m.Issued, m.Completed(), m.Failed)
		}
	})
}
