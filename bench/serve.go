package main

// The canned servers: one loop over io_uring that answers at once, after a delay, or with stalls.

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The hidden first arguments by which the program starts itself as a server.
const (
	serveCanned = "serve-canned" // PORT
	serveDelay  = "serve-delay"  // PORT DELAY
	serveStall  = "serve-stall"  // PORT EVERY LENGTH
)

// Kinds of completion, in the upper half of the user data; the descriptor is in the lower.
const (
	onAccept = iota
	onRecv
	onSend
	onShutdown
)

const maxConns = 1 << 16 // descriptors the server can tell apart

// server answers every request with one canned response, over io_uring, in one
// thread. It is no HTTP server: it looks for the end of a request's head and
// for "close", and trusts its clients beyond that.
type server struct {
	*ring
	*buffers
	listener int
	keep     []byte // the response on a connection that stays
	shut     []byte // the response that ends a connection
	delay    time.Duration
	every    time.Duration // a stall this often; 0 is never
	length   time.Duration // of the stall
	started  time.Time
	due      []answer         // ring of delayed answers, in order of time
	first    int              // oldest of due
	pending  int              // answers in due
	last     []byte           // a request's whole head that was seen before
	lastEnds bool             // whether that one asks for the connection to be closed
	heads    [maxConns][]byte // what has come of a head that is not whole yet
}

// answer is owed to a connection at a time since the start.
type answer struct {
	fd   int32
	ends bool
	at   time.Duration
}

func serve(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("%s takes a port", args[0])
	}
	runtime.LockOSThread()
	debug.SetGCPercent(-1) // the loop allocates nothing but split heads
	// Timers of the delay fire within microseconds instead of 50.
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("setting the timer slack: %w", err)
	}
	s := &server{started: time.Now(), keep: canned("keep-alive"), shut: canned("close")}
	durations := []*time.Duration{&s.delay}
	if args[0] == serveStall {
		durations = []*time.Duration{&s.every, &s.length}
	}
	for i, a := range args[2:] {
		d, err := time.ParseDuration(a)
		if err != nil || i >= len(durations) {
			return fmt.Errorf("%s: %q is not expected", args[0], a)
		}
		*durations[i] = d
	}
	var err error
	if s.listener, err = listen(args[1]); err != nil {
		return err
	}
	if s.ring, err = newRing(4096, 32768); err != nil {
		return err
	}
	if s.buffers, err = s.provide(16384, 1024); err != nil {
		return err
	}
	s.due = make([]answer, maxConns)
	fmt.Fprintln(os.Stderr, "ready")
	s.run()
	return nil
}

// canned is a response of 1.5 kB as nginx sends it.
func canned(connection string) []byte {
	head := "HTTP/1.1 200 OK\r\nServer: canned/1.0\r\nDate: Mon, 30 Nov 2026 13:12:58 GMT\r\nContent-Type: text/html\r\nContent-Length: 1536\r\n" +
		"Last-Modified: Mon, 30 Nov 2026 13:12:57 GMT\r\nConnection: " + connection + "\r\nETag: \"6b0d7659-600\"\r\nAccept-Ranges: bytes\r\n\r\n"
	return append([]byte(head), bytes.Repeat([]byte("x"), smallBytes)...)
}

func listen(port string) (int, error) {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return -1, fmt.Errorf("reading the port: %w", err)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("opening a socket: %w", err)
	}
	// An accepted socket has its listener's options.
	for _, o := range [][2]int{{unix.SOL_SOCKET, unix.SO_REUSEADDR}, {unix.IPPROTO_TCP, unix.TCP_NODELAY}} {
		if err := unix.SetsockoptInt(fd, o[0], o[1], 1); err != nil {
			return -1, fmt.Errorf("setting a socket option: %w", err)
		}
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: int(n), Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return -1, fmt.Errorf("binding port %d: %w", n, err)
	}
	if err := unix.Listen(fd, 16384); err != nil {
		return -1, fmt.Errorf("listening: %w", err)
	}
	return fd, nil
}

func (s *server) run() {
	s.accept()
	handle := s.handle
	for {
		s.enter(1, s.patience())
		s.stall()
		s.each(handle)
		s.payDebts()
	}
}

// wakeUp is more than an idle processor needs to come back from sleep.
const wakeUp = 200 * time.Microsecond

// patience is how long the next wait may last: until shortly before the oldest
// answer is due. The rest is spent awake, so that the delay is kept to some
// microseconds; the processor has nothing else to do.
func (s *server) patience() time.Duration {
	if s.pending == 0 {
		return -1
	}
	return max(0, s.due[s.first].at-time.Since(s.started)-wakeUp)
}

// stall sleeps through the rest of a stall. The first one begins half an
// interval after the start, so that a run of one interval sees one whole stall.
func (s *server) stall() {
	if s.every == 0 {
		return
	}
	if into := (time.Since(s.started) + s.every/2) % s.every; time.Since(s.started) > s.every/2 && into < s.length {
		time.Sleep(s.length - into)
	}
}

func (s *server) handle(c *cqe) {
	fd := int32(uint32(c.user))
	switch c.user >> 32 {
	case onAccept:
		if c.res >= 0 {
			s.receive(c.res)
		}
		if c.flags&cqeMore == 0 {
			s.accept()
		}
	case onRecv:
		s.received(fd, c)
	}
}

func (s *server) received(fd int32, c *cqe) {
	if c.res <= 0 && c.res != -int32(unix.ENOBUFS) {
		s.heads[fd] = nil
		unix.Close(int(fd))
		return
	}
	if c.flags&cqeBuffer != 0 {
		id := uint16(c.flags >> 16)
		s.read(fd, s.buffers.bytes(id, c.res))
		s.back(id)
	}
	if c.flags&cqeMore == 0 {
		s.receive(fd)
	}
}

// read finds the heads in what came. Nearly always it is one whole head, and
// the same one as before: comparing is cheaper than searching.
func (s *server) read(fd int32, b []byte) {
	pending := &s.heads[fd]
	if *pending == nil && bytes.Equal(b, s.last) {
		s.owe(fd, s.lastEnds)
		return
	}
	*pending = append(*pending, b...)
	for {
		head, rest, whole := bytes.Cut(*pending, []byte("\r\n\r\n"))
		if !whole {
			return
		}
		ends := asksToClose(head)
		if len(rest) == 0 && len(*pending) == len(b) {
			s.last, s.lastEnds = bytes.Clone(b), ends
		}
		if *pending = rest; len(rest) == 0 {
			*pending = nil
		}
		s.owe(fd, ends)
	}
}

// asksToClose follows RFC 9112: 1.1 stays unless told "close", 1.0 ends unless
// told "keep-alive".
func asksToClose(head []byte) bool {
	line, fields, _ := bytes.Cut(bytes.ToLower(head), []byte("\r\n"))
	if bytes.HasSuffix(line, []byte("http/1.0")) {
		return !bytes.Contains(fields, []byte("connection: keep-alive"))
	}
	return bytes.Contains(fields, []byte("connection: close"))
}

func (s *server) owe(fd int32, ends bool) {
	if s.delay == 0 {
		s.send(fd, ends)
		return
	}
	s.due[(s.first+s.pending)%len(s.due)] = answer{fd, ends, time.Since(s.started) + s.delay}
	s.pending++
}

func (s *server) payDebts() {
	for s.pending > 0 {
		a := s.due[s.first]
		if a.at > time.Since(s.started) {
			return
		}
		s.send(a.fd, a.ends)
		s.first = (s.first + 1) % len(s.due)
		s.pending--
	}
}

func (s *server) accept() {
	e := s.next()
	e.op, e.fd, e.ioprio, e.user = opAccept, int32(s.listener), acceptMultishot, onAccept<<32
}

func (s *server) receive(fd int32) {
	e := s.next()
	e.op, e.fd, e.ioprio, e.flags, e.user = opRecv, fd, recvMultishot, sqeBufferSelect, onRecv<<32|uint64(uint32(fd))
}

func (s *server) send(fd int32, ends bool) {
	s.room(2)
	response := s.keep
	if ends {
		response = s.shut
	}
	e := s.next()
	e.op, e.fd, e.flags, e.user = opSend, fd, sqeSkipSuccess, onSend<<32|uint64(uint32(fd))
	e.addr, e.len, e.opFlags = uint64(uintptr(unsafe.Pointer(&response[0]))), uint32(len(response)), unix.MSG_NOSIGNAL|unix.MSG_WAITALL
	if ends {
		e.flags |= sqeLink
		// The end of the stream then completes the receive, which closes.
		e = s.next()
		e.op, e.fd, e.len, e.flags, e.user = opShutdown, fd, unix.SHUT_RDWR, sqeSkipSuccess, onShutdown<<32|uint64(uint32(fd))
	}
}
