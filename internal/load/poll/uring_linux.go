package poll

import (
	"fmt"
	"math"
	"syscall"
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
	stale  []int32  // shut and not opened again yet: to be closed
	large  bool     // a large body has been seen: receive singly, so that bodies can be discarded
	junk   [16]byte // stands for discarded bytes, which are never written
}

type uringSlot struct {
	gen     uint32 // changes when the slot is shut, so that a late completion is known
	fd      int32  // the socket, where options are still to be set on it; else -1
	low     int32  // SO_RCVLOWAT
	size    int32  // of the last request
	pending keyMask
	held    bool // the table holds a socket
	stale   bool // of an earlier connection
	long    bool
	waiting bool // bytes are asked for
}

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
	u := &uring{ring: r, config: c, handle: handle, addrs: addrs, slots: make([]uringSlot, c.Slots)}
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
		u.send(op.Slot, op.Data, false)
		if u.large && s.pending.has(keyRecv) {
			u.cancel(op.Slot, keyRecv) // its end makes way for a single receive
		}
		u.receive(op.Slot)
	case Recv:
		u.receive(op.Slot)
	case Discard:
		u.discard(op.Slot, op.N)
	case Shut:
		u.shut(op.Slot)
	}
}

// submit fills in what every submission on a slot's socket has.
func (u *uring) submit(opcode uint8, slot int32, kind int) *sqe {
	q := u.next()
	q.opcode = opcode
	q.flags = flagFixed
	q.fd = slot
	q.userData = key(u.slots[slot].gen, kind, slot)
	u.slots[slot].pending.add(kind)
	return q
}

// chain is the number of submissions that open links.
const chain = 4

// open links socket, connect, send and receive, so that a whole request costs
// no system call of its own.
func (u *uring) open(op Op) {
	s := &u.slots[op.Slot]
	*s = uringSlot{gen: s.gen, fd: -1, low: 1, held: s.held, long: len(op.Data) >= Long}
	if u.optioned(op) {
		if !u.ownSocket(op) {
			return
		}
		u.room(chain)
	} else {
		u.room(chain)
		q := u.submit(opSocket, op.Slot, keySocket)
		q.flags = flagLink | flagSkip
		q.fd = int32(u.addrs.to[op.Addr].family)
		q.off = unix.SOCK_STREAM
		q.fileIndex = uint32(op.Slot) + 1
	}
	s.held = true
	to := u.addrs.to[op.Addr]
	q := u.submit(opConnect, op.Slot, keyConnect)
	q.flags |= flagLink
	q.addr = uint64(uintptr(to.pointer()))
	q.off = uint64(to.len)
	u.send(op.Slot, op.Data, !s.long)
	if !s.long { // else an answer may come before the request is out: see connected
		u.receive(op.Slot)
	}
}

// optioned reports whether the socket needs options, which take a descriptor.
func (u *uring) optioned(op Op) bool {
	const segment = 1400
	return len(op.Data) > segment || len(u.addrs.from) > 0 || u.addrs.buffer > 0 || u.config.LowWater
}

// ownSocket makes the socket by system calls and puts it into the table.
func (u *uring) ownSocket(op Op) bool {
	fd, step, errno := u.addrs.socket(op.Addr, 0)
	if errno == 0 {
		update := struct {
			offset, _ uint32
			fds       uint64
		}{uint32(op.Slot), 0, uint64(uintptr(unsafe.Pointer(&fd)))}
		_, _, errno = syscall.RawSyscall6(unix.SYS_IO_URING_REGISTER, uintptr(u.fd), updateFiles, uintptr(unsafe.Pointer(&update)), 1, 0, 0)
		step = "io_uring_register"
		if u.config.LowWater && errno == 0 {
			u.slots[op.Slot].fd = fd
		} else {
			closeFD(fd)
		}
	}
	if errno != 0 {
		u.failed = append(u.failed, pended{int32(u.slots[op.Slot].gen), Done{Slot: op.Slot, What: Opened, Err: errno, Step: step}})
	}
	return errno == 0
}

func (u *uring) send(slot int32, data []byte, link bool) {
	q := u.submit(opSend, slot, keySend)
	q.addr = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data))))
	u.slots[slot].size = int32(min(len(data), math.MaxInt32))
	q.len = uint32(u.slots[slot].size)
	q.opFlags = unix.MSG_NOSIGNAL | unix.MSG_WAITALL // all of it, or an error
	if !u.slots[slot].long {
		q.flags |= flagSkip
		u.slots[slot].pending.remove(keySend) // nobody will say when it is over
	}
	if link {
		q.flags |= flagLink
	}
}

// receive asks for bytes, unless that is already under way.
func (u *uring) receive(slot int32) {
	s := &u.slots[slot]
	s.waiting = true
	if s.pending.has(keyRecv) || s.pending.has(keyDiscard) {
		return
	}
	if s.fd >= 0 {
		lowWater(s.fd, &s.low, 0)
	}
	q := u.submit(opRecv, slot, keyRecv)
	q.flags |= flagSelect
	q.ioprio = recvPollFirst | recvMultishot
	if u.large {
		q.ioprio = recvPollFirst
		q.len = bufferSize
	}
}

// discard throws bytes away in the kernel. MSG_TRUNC must not meet MSG_WAITALL:
// its retry does not know what was discarded, and hangs.
func (u *uring) discard(slot int32, n int64) {
	s := &u.slots[slot]
	u.large = true
	s.waiting = true
	if s.pending.has(keyRecv) {
		return // the multishot receive under way will bring the bytes
	}
	if s.fd >= 0 {
		lowWater(s.fd, &s.low, n)
	}
	q := u.submit(opRecv, slot, keyDiscard)
	q.addr = uint64(uintptr(unsafe.Pointer(&u.junk[0])))
	q.len = uint32(min(n, 1<<30))
	q.opFlags = unix.MSG_TRUNC
	if s.fd >= 0 {
		q.ioprio = recvPollFirst
	}
}

func (u *uring) cancel(slot int32, kind int) {
	q := u.next()
	q.opcode = opCancel
	q.flags = flagSkip
	q.addr = key(u.slots[slot].gen, kind, slot)
	q.userData = key(0, keyOther, slot)
}

// shut cancels what is under way. The socket goes when the slot is opened
// again, in its place, or else by the next Wait.
func (u *uring) shut(slot int32) {
	s := &u.slots[slot]
	for kind := keySocket; kind < keyOther; kind++ {
		if s.pending.has(kind) {
			u.cancel(slot, kind)
		}
	}
	if s.fd >= 0 {
		closeFD(s.fd)
	}
	if s.held && !s.stale {
		u.stale = append(u.stale, slot)
	}
	*s = uringSlot{gen: (s.gen + 1) & genMask, fd: -1, held: s.held, stale: s.held}
}

func (u *uring) closeStale() {
	for _, slot := range u.stale {
		s := &u.slots[slot]
		if !s.stale {
			continue
		}
		q := u.next()
		q.opcode = opClose
		q.flags = flagSkip
		q.fileIndex = uint32(slot) + 1
		q.userData = key(0, keyOther, slot)
		s.held, s.stale = false, false
	}
	u.stale = u.stale[:0]
}

func (u *uring) Wait(d time.Duration) error {
	for _, p := range u.failed {
		if u.slots[p.Slot].gen == uint32(p.gen) {
			u.handle(p.Done)
			d = 0
		}
	}
	u.failed = u.failed[:0]
	u.closeStale()
	wait, linger := 1, time.Duration(0)
	if u.minWait && u.config.Batch > 1 {
		wait, linger = u.config.Batch, u.config.Linger
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
	u.offerBuffers()
	return nil
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
