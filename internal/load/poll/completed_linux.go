package poll

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// completed reports what a completion means; those of a connection that has
// been shut mean nothing, but their buffers come back.
func (u *uring) completed(c cqe) {
	slot, kind := int32(uint32(c.userData)), int(c.userData>>32&0xff)
	s := &u.slots[slot]
	if kind < keyOther && s.gen == uint32(c.userData>>40) {
		if c.flags&cqeMore == 0 {
			s.pending.remove(kind)
		}
		var errno syscall.Errno
		if c.res < 0 {
			errno = syscall.Errno(-c.res)
		}
		u.report(slot, kind, c, errno)
	}
	if c.flags&cqeBuffer != 0 {
		u.giveBuffer(uint16(c.flags >> 16))
	}
}

func (u *uring) report(slot int32, kind int, c cqe, errno syscall.Errno) {
	switch kind {
	case keySocket:
		u.handle(Done{Slot: slot, What: Opened, Err: asError(errno), Step: "socket"})
	case keyConnect:
		u.connected(slot, errno)
	case keySend:
		if errno == 0 && c.res < u.slots[slot].size {
			errno = unix.EPIPE // part of it went out before the peer stopped reading
		}
		if errno != unix.ECANCELED {
			u.sent(slot, errno)
		}
	case keyRecv, keyDiscard:
		u.received(slot, kind, c, errno)
	}
}

func (u *uring) connected(slot int32, errno syscall.Errno) {
	s := &u.slots[slot]
	s.pending.remove(keySocket) // silent when all is well
	gen := s.gen
	u.handle(Done{Slot: slot, What: Opened, Err: asError(errno), Step: "connect"})
	if s.gen == gen && errno == 0 && s.long {
		u.receive(slot)
	}
}

// sent reports the end of a send. A receive linked to one that failed is gone
// without a word, since the kernel extends the silence that the send asked for
// to what hangs on it; but the server may have said why it stopped reading.
func (u *uring) sent(slot int32, errno syscall.Errno) {
	s := &u.slots[slot]
	if errno != 0 && s.linked {
		s.linked = false
		s.pending.remove(keyRecv)
	}
	gen := s.gen
	u.handle(Done{Slot: slot, What: Sent, Err: asError(errno), Step: "send"})
	if s.gen == gen && errno != 0 && s.waiting {
		u.receiveSingly(slot) // the reset that the send met may have been missed: see doubt
		u.receive(slot)
	}
}

func (u *uring) received(slot int32, kind int, c cqe, errno syscall.Errno) {
	s := &u.slots[slot]
	s.linked = false
	early := s.asked == u.turn
	switch errno {
	case 0:
	case unix.ENOBUFS, unix.ECANCELED, unix.EINTR, unix.EAGAIN:
		// Out of buffers for the moment, or cancelled to receive in another way.
		if s.waiting {
			u.receive(slot)
		}
		return
	default:
		if early {
			u.withdraw(slot)
		}
		u.handle(Done{Slot: slot, What: Received, Err: errno, Step: "recv", Early: early, Unsent: early})
		return
	}
	if early {
		u.withdraw(slot)
	}
	d := Done{Slot: slot, What: Received, N: int(c.res), End: c.res == 0, Early: early, Unsent: early}
	if kind == keyRecv {
		d.Data = []byte{}
		if c.flags&cqeBuffer != 0 {
			d.Data = u.buffer(uint16(c.flags>>16), c.res)
		}
	}
	s.waiting = false
	s.got++
	u.handle(d)
}
