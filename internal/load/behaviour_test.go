package load

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
)

// behaviour is a way in which a server may behave and the counters that must
// come of it. Every one is tried on every back end, and again with what the
// server says cut into random pieces.
type behaviour struct {
	rule  int // of the twelve that the engine keeps
	name  string
	serve func(*peer)
	load  func(*bench.Load) // changes the default: 8 requests, 1 connection, keep-alive

	ok      int64
	failed  map[bench.Failure]int64
	retried int64
	conns   int64 // connections made; 0: any number
	kept    int64 // answers that let the connection be used again
	body    int64 // bytes; -1: any number
	check   func(*testing.T, bench.Measurement)
}

func failures(f bench.Failure, n int64) map[bench.Failure]int64 { return map[bench.Failure]int64{f: n} }

func fresh(l *bench.Load) { l.KeepAlive = false }

func old(l *bench.Load) { l.Protocol = bench.HTTP10 }

func chunked(head, body string) string {
	return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + head + "\r\n" + body
}

var behaviours = []behaviour{
	{rule: 5, name: "well-behaved", serve: always(good), ok: 8, conns: 1, kept: 8, body: 40},
	{rule: 5, name: "well-behaved, a connection per request", serve: once(good), load: fresh, ok: 8, conns: 8, body: 40},
	{rule: 1, name: "empty reply on a fresh connection", serve: func(p *peer) { p.request() }, load: fresh, failed: failures(bench.Reset, 8), conns: 8},
	{rule: 1, name: "reset on every fourth", load: fresh, serve: func(p *peer) {
		if p.request()%4 == 0 {
			p.reset()
			return
		}
		p.say(good)
	}, ok: 6, failed: failures(bench.Reset, 2), conns: 8, body: 30},
	{rule: 1, name: "reset when accepted", load: func(l *bench.Load) { l.Requests, l.Conns, l.Timeout = 2000, 20, 5*time.Second }, serve: (*peer).reset,
		failed: failures(bench.Reset, 2000)},
	{rule: 1, name: "200 and 503 alternate", serve: func(p *peer) {
		for n := p.request(); n > 0; n = p.request() {
			if n%2 == 0 {
				p.say("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
			} else {
				p.say(good)
			}
		}
	}, ok: 4, failed: failures(bench.Non2xx, 4), conns: 1, kept: 8, body: 20, check: func(t *testing.T, m bench.Measurement) {
		if m.Status[200] != 4 || m.Status[503] != 4 || m.Latency.Count() != 4 || m.FailedLatency.Count() != 4 {
			t.Errorf("status %v, %d latencies, %d of failures", m.Status, m.Latency.Count(), m.FailedLatency.Count())
		}
	}},
	{rule: 1, name: "redirect is not followed", serve: always("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"), failed: failures(bench.Non2xx, 8), conns: 1, kept: 8},

	{rule: 3, name: "closed after three without a word", serve: func(p *peer) {
		for range 3 {
			if p.request() == 0 {
				return
			}
			p.say(good)
		}
	}, ok: 8, conns: 3, kept: 8, body: 40, retried: -1},
	{rule: 3, name: "every second request of a connection dropped", serve: func(p *peer) {
		p.request()
		p.say(good)
		p.request()
	}, ok: 8, retried: 7, conns: 8, kept: 8, body: 40},
	{rule: 3, name: "every second request of a connection reset", serve: func(p *peer) {
		p.request()
		p.say(good)
		p.request()
		p.reset()
	}, ok: 8, retried: 7, conns: 8, kept: 8, body: 40},
	{rule: 3, name: "every connection reset after an answer", serve: func(p *peer) {
		p.request()
		p.say(good)
		p.reset()
	}, ok: 8, retried: -1, conns: 8, kept: 8, body: 40},
	{rule: 3, name: "the same, not idempotent", load: func(l *bench.Load) { l.Method, l.Body = "POST", []byte("a=b") }, serve: func(p *peer) {
		p.request()
		p.say(good)
		p.request()
	}, ok: 4, failed: failures(bench.Reset, 4), conns: 4, kept: 4, body: 20},
	{rule: 3, name: "closed while idle, not idempotent", load: func(l *bench.Load) {
		l.Method, l.Body, l.Requests, l.Think = "POST", []byte("a=b"), 4, 300*time.Millisecond // for the close to come
	}, serve: once(good), ok: 4, conns: 4, kept: 4, body: 20},
	{rule: 3, name: "dropped again when sent again", serve: func(p *peer) {
		p.request()
		if p.n == 1 {
			p.say(good)
			p.request()
		}
	}, ok: 1, retried: 1, failed: failures(bench.Reset, 7), conns: 8, kept: 1, body: 5},
	{rule: 3, name: "closed after a byte is a failure", serve: func(p *peer) {
		p.request()
		p.say(good)
		p.request()
		p.say("H")
	}, ok: 4, failed: failures(bench.Reset, 4), conns: 4, kept: 4, body: 20},

	{rule: 4, name: "HEAD with a length", load: func(l *bench.Load) { l.Method = "HEAD" }, serve: always("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"), ok: 8, conns: 1, kept: 8},
	{rule: 4, name: "204 with a length", serve: always("HTTP/1.1 204 No Content\r\nContent-Length: 500\r\n\r\n"), ok: 8, conns: 1, kept: 8},
	{rule: 4, name: "304 with a length", serve: always("HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n"), failed: failures(bench.Non2xx, 8), conns: 1, kept: 8},
	{rule: 4, name: "100 before 200", serve: always("HTTP/1.1 100 Continue\r\n\r\n" + good), ok: 8, conns: 1, kept: 8, body: 40},
	{rule: 4, name: "103 with a length before 200", serve: always("HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\nLink: </a>\r\n\r\n" + good), ok: 8, conns: 1, kept: 8, body: 40},
	{rule: 4, name: "101", serve: always("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), failed: failures(bench.ProtocolError, 8), conns: 8},
	{rule: 4, name: "chunks with extensions and trailers", serve: always(chunked("", "5;a=\"b\"\r\nhello\r\nA ; c\r\n0123456789\r\n0\r\nDigest: x\r\nMore: y\r\n\r\n")), ok: 8, conns: 1, kept: 8, body: 120},
	{rule: 4, name: "chunks and a length", serve: always(chunked("Content-Length: 3\r\n", "5\r\nhello\r\n0\r\n\r\n")), ok: 8, conns: 1, kept: 8, body: 40},
	{rule: 4, name: "large chunks", serve: always(chunked("", "4e20\r\n"+long(20000)+"\r\n2710\r\n"+long(10000)+"\r\n0\r\n\r\n")), ok: 8, conns: 1, kept: 8, body: 240000},
	{rule: 4, name: "a chunk size that is none", serve: always(chunked("", "zz\r\n")), failed: failures(bench.ProtocolError, 8), conns: 8},
	{rule: 4, name: "a chunk longer than it says", serve: always(chunked("", "2\r\nhello\r\n0\r\n\r\n")), failed: failures(bench.ProtocolError, 8), conns: 8, body: 16},
	{rule: 4, name: "chunks cut short", serve: once(chunked("", "5\r\nhel")), failed: failures(bench.Length, 8), conns: 8, body: 24},
	{rule: 4, name: "names in any case, any spacing", serve: always("HTTP/1.1 200 OK\r\ncOnTeNt-LENGTH:5\r\nCONNECTION \t:\t keep-alive \r\n\r\nhello"), ok: 8, conns: 1, kept: 8, body: 40},
	{rule: 4, name: "equal lengths", serve: always("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5, 5\r\n\r\nhello"), ok: 8, conns: 1, kept: 8, body: 40},
	{rule: 4, name: "different lengths", serve: always("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"), failed: failures(bench.ProtocolError, 8), conns: 8},
	{rule: 4, name: "a length beyond 64 bits", serve: always("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551617\r\n\r\nx"), failed: failures(bench.ProtocolError, 8), conns: 8},
	{rule: 4, name: "a length beyond 32 bits, cut short", serve: once("HTTP/1.1 200 OK\r\nContent-Length: 4294967301\r\n\r\nhello"), failed: failures(bench.Length, 8), conns: 8, body: 40},
	{rule: 4, name: "until the end of the stream", serve: once("HTTP/1.1 200 OK\r\n\r\nhello"), ok: 8, conns: 8, body: 40},
	{rule: 4, name: "much until the end of the stream", serve: once("HTTP/1.1 200 OK\r\n\r\n" + long(100_000)), ok: 8, conns: 8, body: 800_000},
	{rule: 4, name: "cut short", serve: once("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), failed: failures(bench.Length, 8), conns: 8, body: 40},
	{rule: 4, name: "much, cut short", serve: once("HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n" + long(100_000)), failed: failures(bench.Length, 8), conns: 8, body: 800_000},
	{rule: 4, name: "head cut short", serve: once("HTTP/1.1 200 OK\r\nContent-Le"), failed: failures(bench.Reset, 8), conns: 8},
	{rule: 4, name: "reset within the body", serve: func(p *peer) {
		p.request()
		p.say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
		p.reset()
	}, failed: failures(bench.Reset, 8), conns: 8, body: -1},
	{rule: 4, name: "bytes after the body", serve: func(p *peer) {
		p.request()
		_, _ = p.Write([]byte(good + "more"))
		p.hang()
	}, failed: failures(bench.ProtocolError, 8), conns: 8, body: 40},
	{rule: 4, name: "a head of 70 KiB", serve: once("HTTP/1.1 200 OK\r\nX: " + long(70<<10) + "\r\n\r\n"), failed: failures(bench.ProtocolError, 8), conns: 8},
	{rule: 4, name: "many lines of head", serve: once("HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 12000) + "\r\n"), failed: failures(bench.ProtocolError, 8), conns: 8},
	{rule: 4, name: "a banner of another protocol", serve: func(p *peer) {
		p.say("SSH-2.0-OpenSSH_9.2\r\n")
		p.hang()
	}, failed: failures(bench.ProtocolError, 8), conns: 8},
	{rule: 4, name: "a byte at a time", serve: func(p *peer) {
		for p.request() > 0 {
			for i := range len(good) {
				p.say(good[i : i+1])
			}
		}
	}, ok: 8, conns: 1, kept: 8, body: 40},
	{rule: 4, name: "16 MiB", load: func(l *bench.Load) { l.Requests = 2 }, serve: func(p *peer) {
		piece := []byte(long(1 << 20))
		for p.request() > 0 {
			p.say("HTTP/1.1 200 OK\r\nContent-Length: 16777216\r\n\r\n")
			for range 16 {
				if _, err := p.Write(piece); err != nil {
					return
				}
			}
		}
	}, ok: 2, conns: 1, kept: 2, body: 32 << 20},
	{rule: 4, name: "large, then small, then large", serve: func(p *peer) {
		for n := p.request(); n > 0; n = p.request() {
			if n%3 == 2 {
				p.say(good)
			} else {
				p.say("HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n" + long(50000))
			}
		}
	}, ok: 8, conns: 1, kept: 8, body: 250_015},

	{rule: 5, name: "Connection: close every third", serve: func(p *peer) {
		for n := p.request(); n > 0; n = p.request() {
			if n%3 == 0 {
				p.say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello")
				return
			}
			p.say(good)
		}
	}, ok: 8, conns: 3, kept: 6, body: 40},
	{rule: 5, name: "close in a list of tokens", serve: once("HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 5\r\n\r\nhello"), ok: 8, conns: 8, body: 40},
	{rule: 5, name: "1.0 without a word", load: old, serve: once("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"), ok: 8, conns: 8, body: 40},
	{rule: 5, name: "1.0 with keep-alive", load: old, serve: always("HTTP/1.0 200 OK\r\nConnection: foo, Keep-Alive\r\nContent-Length: 5\r\n\r\nhello"), ok: 8, conns: 1, kept: 8, body: 40},
	{rule: 5, name: "says close and does not", serve: func(p *peer) {
		p.request()
		p.say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello")
		p.hang()
	}, ok: 8, conns: 8, body: 40},

	{rule: 6, name: "never answers", load: func(l *bench.Load) { l.Requests, l.Conns, l.Timeout = 4, 2, 300*time.Millisecond }, serve: (*peer).hang,
		failed: failures(bench.Timeout, 4), conns: 4, check: func(t *testing.T, m bench.Measurement) {
			if m.Elapsed < 600*time.Millisecond || m.Latency != nil || m.FailedLatency.Count() != 4 {
				t.Errorf("took %v, latency %v, %d failed latencies; want at least two timeouts, none, 4", m.Elapsed, m.Latency, m.FailedLatency.Count())
			}
		}},
	{rule: 6, name: "the last of 500 hangs", load: func(l *bench.Load) { l.Requests, l.Conns, l.Timeout = 500, 4, 150*time.Millisecond }, serve: func(p *peer) {
		for n := p.request(); n > 0; n = p.request() {
			if n == 500 {
				p.hang()
				return
			}
			p.say(good)
		}
	}, ok: 499, failed: failures(bench.Timeout, 1), kept: 499, body: 2495, check: func(t *testing.T, m bench.Measurement) {
		if m.Drain < 50*time.Millisecond {
			t.Errorf("drained for %v: the last request waited longer", m.Drain)
		}
	}},
	{rule: 6, name: "late bytes do not meet the next request", load: func(l *bench.Load) { l.Requests, l.Timeout = 2, 100*time.Millisecond }, serve: func(p *peer) {
		p.request()
		if p.n == 1 {
			p.hang() // until the client gives up
			p.say("HTTP/1.1 500 Late\r\nContent-Length: 0\r\n\r\n")
			return
		}
		p.say(good)
	}, ok: 1, failed: failures(bench.Timeout, 1), conns: 2, kept: 1, body: 5, check: func(t *testing.T, m bench.Measurement) {
		if m.Status[500] != 0 {
			t.Errorf("status %v: a late answer was counted", m.Status)
		}
	}},
	{rule: 6, name: "half a body, then silence", load: func(l *bench.Load) { l.Requests, l.Timeout = 1, 100*time.Millisecond }, serve: func(p *peer) {
		p.request()
		p.say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
		p.hang()
	}, failed: failures(bench.Timeout, 1), conns: 1, body: 5},

	{rule: 1, name: "body of another length than expected", load: func(l *bench.Load) { l.Expect.Length = map[string]int64{"/": 6} }, serve: always(good), failed: failures(bench.Length, 8), conns: 1, kept: 8, body: 40},
	{rule: 1, name: "body of another content than expected", load: func(l *bench.Load) {
		l.Expect.SHA256 = map[string]string{"/": strings.Repeat("00", 32)}
		l.Expect.SampleOne = 2
	}, serve: always(good), ok: 4, failed: failures(bench.Content, 4), conns: 1, kept: 8, body: 40},
	{rule: 1, name: "body of the expected content", load: func(l *bench.Load) {
		l.Expect.SHA256 = map[string]string{"/": "2CF24DBA5FB0A30E26E83B2AC5B9E29E1B161E5C1FA7425E73043362938B9824"}
		l.Expect.SampleOne = 1
	}, serve: always(good), ok: 8, conns: 1, kept: 8, body: 40},
	{rule: 1, name: "stops reading a long request", load: func(l *bench.Load) { l.Method, l.Body, l.Requests = "POST", make([]byte, 32<<20), 2 }, serve: func(p *peer) {
		_, _ = p.in.ReadByte()
		p.reset()
	}, failed: failures(bench.Write, 2), conns: 2},
	{rule: 1, name: "answers before a long request is read", load: func(l *bench.Load) { l.Method, l.Body, l.Requests = "POST", make([]byte, 32<<20), 2 }, serve: func(p *peer) {
		_, _ = p.in.ReadByte()
		p.say("HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\nhello")
		p.hang()
	}, failed: failures(bench.Non2xx, 2), conns: 2, kept: 2, body: 10},
}

func TestBehaviours(t *testing.T) {
	for _, b := range behaviours {
		for _, backend := range backends {
			for _, splits := range []bool{false, true} {
				t.Run(fmt.Sprintf("rule %d/%s/%s/splits=%v", b.rule, b.name, backend, splits), func(t *testing.T) {
					b.try(t, backend, splits)
				})
			}
		}
	}
}

func (b behaviour) try(t *testing.T, backend string, splits bool) {
	s := listen(t, splits, b.serve)
	l := bench.Load{URLs: []string{s.url()}, Conns: 1, Requests: 8, KeepAlive: true, Timeout: 20 * time.Second, Backend: backend}
	if b.load != nil {
		b.load(&l)
	}
	m := measure(t, l)
	if m.Issued != l.Requests || m.OK != b.ok || !maps.Equal(m.Failed, b.failed) || m.Aborted != 0 {
		t.Errorf("issued %d, ok %d, failed %v, aborted %d; want %d, %d, %v, 0; said %v",
			m.Issued, m.OK, m.Failed, m.Aborted, l.Requests, b.ok, b.failed, m.Messages)
	}
	if b.retried >= 0 && m.Retried != b.retried {
		t.Errorf("retried %d, want %d", m.Retried, b.retried)
	}
	if made := m.Connect.Count(); b.conns > 0 && made != b.conns {
		t.Errorf("%d connections, want %d", made, b.conns)
	}
	if *m.Kept != b.kept {
		t.Errorf("kept %d, want %d", *m.Kept, b.kept)
	}
	if b.body >= 0 && m.BodyBytes != b.body {
		t.Errorf("%d bytes of body, want %d", m.BodyBytes, b.body)
	}
	for f := range m.Failed {
		if m.Messages[f] == "" {
			t.Errorf("class %s has no message", f)
		}
	}
	if b.check != nil {
		b.check(t, m)
	}
}
