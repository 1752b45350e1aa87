package load

import (
	"bufio"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// stranger is a server that behaves as a test wants, connection by connection.
type stranger struct {
	listener net.Listener
	serve    func(p *peer)
	splits   bool // say everything in pieces of random length

	mu       sync.Mutex
	conns    map[net.Conn]bool
	accepted int
	requests int
	wg       sync.WaitGroup
}

// peer is one connection of a stranger.
type peer struct {
	net.Conn
	s    *stranger
	n    int // 1 for the first connection
	in   *bufio.Reader
	rand *rand.Rand
}

// listen starts a stranger on the loopback and ends it, and every connection
// it has, with the test.
func listen(t testing.TB, splits bool, serve func(p *peer)) *stranger {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &stranger{listener: l, serve: serve, splits: splits, conns: map[net.Conn]bool{}}
	s.wg.Go(s.accept)
	t.Cleanup(s.close)
	return s
}

func (s *stranger) url() string { return "http://" + s.listener.Addr().String() + "/" }

func (s *stranger) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.accepted++
		s.conns[c] = true
		p := &peer{Conn: c, s: s, n: s.accepted, in: bufio.NewReader(c), rand: rand.New(rand.NewPCG(1, uint64(s.accepted)))}
		s.mu.Unlock()
		s.wg.Go(func() {
			s.serve(p)
			p.Close()
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
		})
	}
}

func (s *stranger) close() {
	s.listener.Close()
	s.mu.Lock()
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

// request reads one whole request and returns its number over all connections,
// 1 for the first; 0 when the client closed.
func (p *peer) request() int {
	r, err := http.ReadRequest(p.in)
	if err != nil {
		return 0
	}
	buf := make([]byte, 32<<10)
	for {
		if _, err := r.Body.Read(buf); err != nil {
			break
		}
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.s.requests++
	return p.s.requests
}

// say sends the text, in pieces where the stranger splits.
func (p *peer) say(text string) {
	for len(text) > 0 {
		n := len(text)
		if p.s.splits {
			n = 1 + p.rand.IntN(min(n, 40))
		}
		if _, err := p.Write([]byte(text[:n])); err != nil {
			return
		}
		text = text[n:]
		runtime.Gosched()
	}
}

// reset ends the connection with RST instead of FIN.
func (p *peer) reset() {
	_ = p.Conn.(*net.TCPConn).SetLinger(0)
	p.Close()
}

// hang waits until the client, or the test, closes.
func (p *peer) hang() {
	buf := make([]byte, 64)
	for {
		if _, err := p.in.Read(buf); err != nil {
			return
		}
	}
}

// always answers every request of a connection with the same text.
func always(text string) func(*peer) {
	return func(p *peer) {
		for p.request() > 0 {
			p.say(text)
		}
	}
}

// once answers one request and closes.
func once(text string) func(*peer) {
	return func(p *peer) {
		if p.request() > 0 {
			p.say(text)
		}
	}
}

const good = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

func long(n int) string { return strings.Repeat("x", n) }
