package poll

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// uring hands whole steps to the kernel, many in one system call. Connections
// live in its table of registered files, not among the process's descriptors.
type uring struct {
	*ring
	config Config
	handle func(Done)
	addrs  *addresses
	slots  []uringSlot
	failed []pended // found out while submitting: reported by the next Wait
	doubts []doubt  // receives that may have missed a reset: see doubt
	stale  []int32  // shut and not opened again yet: to be closed
	opened int      // connections asked for since the last Wait
	single bool     // all receives are single: over a unix socket, and once a large body was seen, so that bodies can be discarded
	junk   [16]byte // stands for discarded bytes, which are never written
}

type uringSlot struct {
	gen     uint32 // changes when the slot is shut, so that a late completion is known
	fd      int32  // the socket, where options are still to be set on it; else -1
	low     int32  // SO_RCVLOWAT
	size    int32  // of the last request
	asked   uint32 // the ring's turn in which the last request was submitted
	got     uint32 // receives reported
	sending uint32 // place of the last request among the submissions
	pending keyMask
	held    bool // the table holds a socket
	stale   bool // of an earlier connection
	long    bool
	waiting bool // bytes are asked for
	linked  bool // the receive under way hangs on the first send
	many    bool // the receive under way is multishot
	singly  bool // multishot is not trusted on this connection any more
}

// doubt is a multishot receive that has brought bytes, where more is wanted.
//
// The kernel counts what wakes such a receive, and forgets all that it counted
// once the receive has emptied the socket. A reset that came together with the
// bytes is forgotten, too, and nothing will wake the receive again. A single
// receive looks at the socket anew and misses nothing. So a receive that still
// brings nothing in the turn after it was doubted makes way for a single one.
// Over a unix socket the end of the stream is forgotten as well, which no send
// would find out (axboe/liburing, issue 1549): there all receives are single.
type doubt struct {
	slot int32
	gen  uint32
	got  uint32
}

// patience is the longest that a turn waits while a receive is doubted.
const patience = time.Millisecond

// keyMask is a set of kinds of submissions that are under way.
type keyMask uint8

// A key tells whose completion it is: generation, kind and slot.
const (
	keySocket = iota
	keyConnect
	keySend
	keyRecv    // may be multishot
	keyDiscard // bytes that nobody sees
	keyOther   // its completion means nothing
)

const genMask = 1<<24 - 1

func key(gen uint32, kind int, slot int32) uint64 {
	return uint64(gen&genMask)<<40 | uint64(kind)<<32 | uint64(uint32(slot))
}

func newUring(c Config, handle func(Done)) (*uring, error) {
	addrs, err := newAddresses(c)
	if err != nil {
		return nil, err
	}
	r, err := newRing(c.Slots)
	if err != nil {
		return nil, err
	}
	u := &uring{ring: r, config: c, handle: handle, addrs: addrs, slots: make([]uringSlot, c.Slots), single: c.Unix != ""}
	files := make([]int32, c.Slots)
	for i := range files {
		files[i] = -1
		u.slots[i].fd = -1
	}
	if errno := r.register(registerFiles, uintptr(unsafe.Pointer(&files[0])), len(files)); errno != 0 {
		r.release()
		return nil, fmt.Errorf("registering %d files: %w", len(files), errno)
	}
	return u, nil
}

func (u *uring) Submit(op Op) {
	s := &u.slots[op.Slot]
	switch op.Verb {
	case Open:
		u.open(op)
	case Send:
		s.long = len(op.Data) >= Long
		s.asked = u.turn
		u.send(op.Slot, op.Data, false)
		if u.single {
			u.receiveSingly(op.Slot)
		}
		u.receive(op.Slot)
	case Recv:
		u.doubt(op.Slot)
		u.receive(op.Slot)
	case Discard:
		u.doubt(op.Slot)
		if u.config.Unix != "" {
			u.receive(op.Slot) // see Discard: MSG_TRUNC would write into junk, and beyond
			return
		}
		u.discard(op.Slot, op.N)
	case Shut:
		u.shut(op.Slot)
	}
}

// chain is the number of submissions that open links.
const chain = 4

func (u *uring) Wait(d, linger time.Duration) error {
	for _, p := range u.failed {
		if u.slots[p.Slot].gen == uint32(p.gen) {
			u.handle(p.Done)
			d = 0
		}
	}
	u.failed = u.failed[:0]
	u.closeStale()
	wait := 1
	if u.minWait && u.config.Batch > 1 {
		// Over the loopback a connection is made while it is submitted: its
		// completion is there at once, and is not what is waited for.
		wait = u.config.Batch + u.opened
	} else {
		linger = 0
	}
	u.opened = 0
	doubted := len(u.doubts)
	if doubted > 0 {
		d = min(d, patience)
	}
	if d <= 0 {
		wait = 0
	}
	switch errno := u.enter(wait, d, min(linger, d)); errno {
	case 0, unix.ETIME, unix.EINTR, unix.EBUSY, unix.EAGAIN:
	default:
		return errno
	}
	for c, ok := u.pop(); ok; c, ok = u.pop() {
		u.completed(c)
	}
	u.settle(doubted)
	u.offerBuffers()
	return nil
}

// doubt notes that slot wants more of a multishot receive.
func (u *uring) doubt(slot int32) {
	s := &u.slots[slot]
	if s.pending.has(keyRecv) && s.many && !s.singly {
		u.doubts = append(u.doubts, doubt{slot, s.gen, s.got})
	}
}

// settle ends the first n doubts: the turn that has just passed either brought
// more or makes way for a single receive.
func (u *uring) settle(n int) {
	for _, d := range u.doubts[:n] {
		if s := &u.slots[d.slot]; s.gen == d.gen && s.got == d.got && s.waiting {
			u.receiveSingly(d.slot)
		}
	}
	u.doubts = u.doubts[:copy(u.doubts, u.doubts[n:])]
}

func (u *uring) Close() error {
	// One cancellation of everything would compare every request with every
	// other: each by its key is a look-up.
	for i := range u.slots {
		u.shut(int32(i))
	}
	u.closeStale()
	last := key(genMask, keyOther, 0)
	q := u.next()
	q.opcode = opNop
	q.userData = last
	u.drain(last)
	u.register(unregisterFiles, 0, 0)
	u.release()
	return nil
}

func (m keyMask) has(kind int) bool { return m&(1<<kind) != 0 }
func (m *keyMask) add(kind int)     { *m |= 1 << kind }
func (m *keyMask) remove(kind int)  { *m &^= 1 << kind }
