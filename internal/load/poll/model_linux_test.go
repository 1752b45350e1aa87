package poll

import (
	"slices"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// model stands for the kernel behind a ring: sockets whose peers do what choose
// says, and receives that lose a reset as the kernel's do. It knows the submissions that uring makes and no others.
type model struct {
	ring    *ring
	choose  func(n int) int // one of 0 to n-1
	files   []*modelSocket
	live    []*modelSocket // those with something under way
	head    uint32         // of the submissions
	buffers []uint16       // offered
	offered uint16         // tail of the ring of buffers as seen so far
}

// modelSocket is a connection. Peer events are the rest of what its peer does:
// a byte count above zero is data.
type modelSocket struct {
	slot    int32
	made    bool
	wakes   bool // something happened since the receive last looked
	data    int  // bytes that can be read
	ended   bool // the peer's FIN has come
	reset   bool // the peer's RST has come
	failure bool // and has not been told of
	events  []int
	chain   []sqe // waits for the connection
	recv    *sqe  // under way, waiting for a wake
	asked   int   // requests that came in whole
}

const (
	peerFIN = -1 - iota
	peerRST
	peerRefuses
	peerAccepts
)

func newModel(slots int, choose func(int) int) *model {
	const entries = 256
	r := &ring{
		minWait: true, sqMask: entries - 1, cqMask: 1<<12 - 1,
		sqes: make([]sqe, entries), cqes: make([]cqe, 1<<12),
		sqHead: new(uint32), sqTail: new(uint32), cqHead: new(uint32), cqTail: new(uint32),
		bufMemory: make([]byte, minEntries*bufferSize), bufRing: make([]byte, minEntries*16), bufs: minEntries,
	}
	m := &model{ring: r, choose: choose, files: make([]*modelSocket, slots)}
	r.instead = m.enter
	for id := range uint16(minEntries) {
		r.giveBuffer(id)
	}
	r.offerBuffers()
	return m
}

// enter takes the submissions, lets the peers act, and wakes what waits.
func (m *model) enter(uint32, int) syscall.Errno {
	var chain []sqe
	for tail := atomic.LoadUint32(m.ring.sqTail); m.head != tail; m.head++ {
		q := m.ring.sqes[m.head&m.ring.sqMask]
		chain = append(chain, q)
		if q.flags&flagLink == 0 {
			m.carryOut(chain)
			chain = nil
		}
	}
	atomic.StoreUint32(m.ring.sqHead, m.head)
	m.peers()
	m.wake()
	return 0
}

func (m *model) post(q sqe, res int32, flags uint32) {
	tail := *m.ring.cqTail
	m.ring.cqes[tail&m.ring.cqMask] = cqe{q.userData, res, flags}
	atomic.StoreUint32(m.ring.cqTail, tail+1)
}

// done posts how a submission ended, unless it succeeded and asked for silence.
func (m *model) done(q sqe, res int32) (ok bool) {
	if res >= 0 && q.flags&flagSkip != 0 {
		return true
	}
	m.post(q, res, 0)
	return res >= 0
}

// carryOut does the submissions of a chain until one fails or has to wait. What
// hangs on one that failed is cancelled: silently if that one asked for silence.
func (m *model) carryOut(chain []sqe) {
	for i, q := range chain {
		ok := true
		switch q.opcode {
		case opNop:
			ok = m.done(q, 0)
		case opSocket:
			m.files[q.fileIndex-1] = &modelSocket{slot: int32(q.fileIndex - 1)}
			ok = m.done(q, 0)
		case opClose:
			m.files[q.fileIndex-1] = nil
			ok = m.done(q, 0)
		case opCancel:
			ok = m.done(q, m.cancel(q.addr))
		case opConnect:
			s := m.files[q.fd]
			s.chain = slices.Clone(chain[i:])
			s.events = append(s.events, []int{peerAccepts, peerAccepts, peerAccepts, peerRefuses}[m.choose(4)])
			m.live = append(m.live, s)
			return
		case opSend:
			ok = m.done(q, m.send(m.files[q.fd], q))
		case opRecv:
			m.receive(m.files[q.fd], q)
		}
		if !ok {
			m.abandon(chain[i+1:], q.flags&flagSkip != 0)
			return
		}
	}
}

func (m *model) abandon(chain []sqe, silently bool) {
	for _, q := range chain {
		if !silently {
			m.post(q, -int32(unix.ECANCELED), 0)
		}
	}
}

func (m *model) send(s *modelSocket, q sqe) int32 {
	if s == nil {
		return -int32(unix.EBADF)
	}
	if s.failure {
		s.failure = false
		return -int32(unix.ECONNRESET)
	}
	if s.reset {
		return -int32(unix.EPIPE)
	}
	if q.len >= Long && m.choose(4) == 0 {
		s.events = append(s.events, peerRST)
		return int32(q.len / 2)
	}
	s.asked++
	s.events = append(s.events, m.answer()...)
	if !slices.Contains(m.live, s) {
		m.live = append(m.live, s)
	}
	return int32(q.len)
}

// answer is what a peer does about a request.
func (m *model) answer() []int {
	var events []int
	for range m.choose(4) {
		events = append(events, 1+m.choose(6000))
	}
	return append(events, [][]int{{}, {peerFIN}, {peerRST}, {peerFIN, peerRST}, {500}}[m.choose(5)]...)
}

// peers lets each peer do some of what it will do.
func (m *model) peers() {
	for _, s := range m.live {
		for len(s.events) > 0 && m.choose(3) > 0 {
			e := s.events[0]
			s.events = s.events[1:]
			if s.reset {
				continue
			}
			s.wakes = true
			switch e {
			case peerFIN:
				s.ended = true
			case peerRST:
				s.reset, s.failure = true, true
			case peerRefuses:
				m.connected(s, -int32(unix.ECONNREFUSED))
			case peerAccepts:
				m.connected(s, 0)
			default:
				if !s.ended {
					s.data += e
				}
			}
		}
	}
}

func (m *model) connected(s *modelSocket, res int32) {
	if s.chain == nil { // cancelled
		return
	}
	s.made = res == 0
	chain := s.chain
	s.chain = nil
	if m.done(chain[0], res) {
		m.carryOut(chain[1:])
	} else {
		m.abandon(chain[1:], false)
	}
}

// wake lets the receives look that were woken. A multishot receive which finds
// bytes forgets what else woke it.
func (m *model) wake() {
	for _, s := range m.live {
		if s.recv != nil && s.wakes {
			m.look(s)
		}
	}
}

// receive looks at once, as one that polls first does when it is armed.
func (m *model) receive(s *modelSocket, q sqe) {
	s.recv = &q
	m.look(s)
}

func (m *model) look(s *modelSocket) {
	q := *s.recv
	many := q.ioprio&recvMultishot != 0
	s.wakes = false
	got := false
	for s.data > 0 {
		n, flags := min(s.data, int(q.len)), uint32(0)
		if q.flags&flagSelect != 0 {
			id, ok := m.buffer()
			if !ok {
				s.recv = nil
				m.post(q, -int32(unix.ENOBUFS), 0)
				return
			}
			n, flags = min(s.data, bufferSize), cqeBuffer|uint32(id)<<16
		}
		s.data -= n
		if !many {
			s.recv = nil
			m.post(q, int32(n), flags)
			return
		}
		m.post(q, int32(n), flags|cqeMore)
		got = true
	}
	if got && !s.ended && m.choose(2) == 0 {
		return // a reset that came with the bytes is lost; the end of a TCP stream is not
	}
	switch {
	case s.failure:
		s.failure = false
		s.recv = nil
		m.post(q, -int32(unix.ECONNRESET), 0)
	case s.reset || s.ended:
		s.recv = nil
		m.post(q, 0, 0)
	}
}

// buffer takes one of those that are offered.
func (m *model) buffer() (uint16, bool) {
	entries := unsafe.Slice((*bufferEntry)(unsafe.Pointer(&m.ring.bufRing[0])), minEntries)
	for tail := entries[0].tail; m.offered != tail; m.offered++ {
		m.buffers = append(m.buffers, entries[m.offered&(minEntries-1)].id)
	}
	if len(m.buffers) == 0 {
		return 0, false
	}
	id := m.buffers[0]
	m.buffers = m.buffers[1:]
	return id, true
}

func (m *model) cancel(key uint64) int32 {
	for _, s := range m.live {
		if s.recv != nil && s.recv.userData == key {
			m.post(*s.recv, -int32(unix.ECANCELED), 0)
			s.recv = nil
			return 0
		}
		if s.chain != nil && s.chain[0].userData == key {
			chain := s.chain
			s.chain = nil
			m.post(chain[0], -int32(unix.ECANCELED), 0)
			m.abandon(chain[1:], false)
			return 0
		}
	}
	return -int32(unix.ENOENT)
}

// unseen reports that something happened to the socket in a slot that a receive
// which looked now would find.
func (m *model) unseen(slot int32) bool {
	s := m.files[slot]
	return s != nil && s.made && (s.data > 0 || s.ended || s.reset)
}
