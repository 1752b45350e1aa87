package poll

import (
	"math"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

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
	u.opened++
	to := u.addrs.to[op.Addr]
	q := u.submit(opConnect, op.Slot, keyConnect)
	q.flags |= flagLink
	q.addr = uint64(uintptr(to.pointer()))
	q.off = uint64(to.len)
	if op.Data == nil { // listen all the same: a server that speaks first is found out
		u.receive(op.Slot)
		s.waiting = false
		return
	}
	s.asked = u.turn
	u.send(op.Slot, op.Data, !s.long)
	if !s.long { // else an answer may come before the request is out: see connected
		u.receive(op.Slot)
		s.linked = true
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
	u.room(1)
	u.slots[slot].sending = u.tail
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

// withdraw takes the last request of a slot back, which the kernel has not seen
// yet.
func (u *uring) withdraw(slot int32) {
	s := &u.slots[slot]
	q := u.at(s.sending)
	*q = sqe{opcode: opNop, flags: flagSkip, userData: key(0, keyOther, slot)}
	s.pending.remove(keySend)
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
	if s.many = !u.single && !s.singly; !s.many {
		q.ioprio = recvPollFirst
		q.len = bufferSize
	}
}

// receiveSingly makes a multishot receive that is under way end, and so make
// way for a single one if bytes are still wanted then.
func (u *uring) receiveSingly(slot int32) {
	s := &u.slots[slot]
	if s.pending.has(keyRecv) && s.many && !s.singly {
		s.singly = true
		u.cancel(slot, keyRecv)
	}
}

// discard throws bytes away in the kernel. MSG_TRUNC must not meet MSG_WAITALL:
// its retry does not know what was discarded, and hangs.
func (u *uring) discard(slot int32, n int64) {
	s := &u.slots[slot]
	u.single = true
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
	for kind := range keyOther {
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
