package poll

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// epoll is told which sockets are ready and performs their steps at once.
type epoll struct {
	config  Config
	handle  func(Done)
	addrs   *addresses
	fd      int
	slots   []epollSlot
	pending []pended // found out while submitting: reported by the next Wait
	ready   []pended // pending, being reported
	buf     []byte
	events  [256]unix.EpollEvent
	timeout unix.Timespec
	turn    uint32 // counts the calls of Wait
}

type epollSlot struct {
	out      []byte // still to be sent
	discard  int64  // bytes to throw away; 0: receive
	fd       int32  // -1: shut
	gen      int32  // changes when the slot is shut, so that a stale event is known
	low      int32  // SO_RCVLOWAT
	asked    uint32 // the turn in which the last request was sent
	interest uint32 // events asked for
	opening  bool
	long     bool // the end of sending is to be reported
}

type pended struct {
	gen int32
	Done
}

const (
	listening  = unix.EPOLLIN | unix.EPOLLRDHUP
	recvBuffer = 16 << 10
)

func newEpoll(c Config, handle func(Done)) (*epoll, error) {
	addrs, err := newAddresses(c)
	if err != nil {
		return nil, err
	}
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("creating epoll: %w", err)
	}
	e := &epoll{config: c, handle: handle, addrs: addrs, fd: fd, slots: make([]epollSlot, c.Slots), buf: make([]byte, recvBuffer)}
	for i := range e.slots {
		e.slots[i].fd = -1
	}
	return e, nil
}

func (e *epoll) Submit(op Op) {
	s := &e.slots[op.Slot]
	switch op.Verb {
	case Open:
		e.open(op)
	case Send:
		s.out, s.long, s.asked = op.Data, len(op.Data) >= Long, e.turn
		e.receive(s, 0)
		if over, errno := e.flush(op.Slot); over && (errno != 0 || s.long) {
			e.pend(op.Slot, Done{What: Sent, Err: asError(errno), Step: "send"})
		}
	case Recv:
		e.receive(s, 0)
	case Discard:
		if e.config.Unix != "" {
			op.N = 0 // see Discard: MSG_TRUNC would write beyond the buffer
		}
		e.receive(s, op.N)
	case Shut:
		if s.fd >= 0 {
			closeFD(s.fd)
		}
		*s = epollSlot{fd: -1, gen: s.gen + 1}
	}
}

func (e *epoll) receive(s *epollSlot, discard int64) {
	s.discard = discard
	if e.config.LowWater {
		lowWater(s.fd, &s.low, discard)
	}
}

// open connects and, since a connection over the loopback is made at once,
// tries to send right away.
func (e *epoll) open(op Op) {
	s := &e.slots[op.Slot]
	fd, step, errno := e.addrs.socket(op.Addr, unix.SOCK_NONBLOCK)
	if errno != 0 {
		e.pend(op.Slot, Done{What: Opened, Err: errno, Step: step})
		return
	}
	*s = epollSlot{fd: fd, gen: s.gen, low: 1, out: op.Data, long: len(op.Data) >= Long, opening: true}
	if errno := connectFD(fd, e.addrs.to[op.Addr]); errno != 0 && errno != unix.EINPROGRESS {
		e.pend(op.Slot, Done{What: Opened, Err: errno, Step: "connect"})
		return
	}
	n, errno := sendFD(fd, s.out)
	interest := uint32(listening)
	switch errno {
	case 0:
		s.opening = false
		s.out = s.out[n:]
		e.pend(op.Slot, Done{What: Opened})
	case unix.EPIPE, unix.ECONNRESET: // made, and ended at once
		s.opening, s.out, s.long = false, nil, false
		e.pend(op.Slot, Done{What: Opened})
		if op.Data != nil {
			e.pend(op.Slot, Done{What: Sent, Err: errno, Step: "send"})
		}
	case unix.EAGAIN, unix.ENOTCONN:
	default: // refused at once: the error of connect came out here
		e.pend(op.Slot, Done{What: Opened, Err: errno, Step: "connect"})
		return
	}
	if s.opening || len(s.out) > 0 {
		interest |= unix.EPOLLOUT
	} else if s.long {
		e.pend(op.Slot, Done{What: Sent})
	}
	if errno := e.control(unix.EPOLL_CTL_ADD, op.Slot, interest); errno != 0 {
		e.pend(op.Slot, Done{What: Opened, Err: errno, Step: "epoll_ctl"})
	}
}

func (e *epoll) control(verb int, slot int32, interest uint32) syscall.Errno {
	s := &e.slots[slot]
	if s.interest == interest {
		return 0
	}
	s.interest = interest
	event := unix.EpollEvent{Events: interest, Fd: slot, Pad: s.gen}
	_, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_CTL, uintptr(e.fd), uintptr(verb), uintptr(s.fd), uintptr(unsafe.Pointer(&event)), 0, 0)
	return errno
}

// flush sends what it can; over says that there is nothing more to be sent.
func (e *epoll) flush(slot int32) (over bool, errno syscall.Errno) {
	s := &e.slots[slot]
	for len(s.out) > 0 {
		n, errno := sendFD(s.fd, s.out)
		if errno == unix.EAGAIN {
			return false, e.control(unix.EPOLL_CTL_MOD, slot, listening|unix.EPOLLOUT)
		}
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			s.out = nil
			e.control(unix.EPOLL_CTL_MOD, slot, listening)
			return true, errno
		}
		s.out = s.out[n:]
	}
	return true, e.control(unix.EPOLL_CTL_MOD, slot, listening)
}

func (e *epoll) pend(slot int32, d Done) {
	d.Slot = slot
	e.pending = append(e.pending, pended{e.slots[slot].gen, d})
}

func (e *epoll) Wait(d, _ time.Duration) error {
	if len(e.pending) > 0 {
		d = 0
	}
	e.timeout = unix.NsecToTimespec(int64(d))
	n, _, errno := syscall.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(e.fd), uintptr(unsafe.Pointer(&e.events[0])), uintptr(len(e.events)), uintptr(unsafe.Pointer(&e.timeout)), 0, 0)
	e.turn++
	e.pending, e.ready = e.ready[:0], e.pending
	for _, p := range e.ready {
		if e.slots[p.Slot].gen == p.gen {
			e.handle(p.Done)
		}
	}
	if errno == unix.EINTR {
		return nil
	}
	if errno != 0 {
		return errno
	}
	for i := range int(n) {
		ev := &e.events[i]
		if e.slots[ev.Fd].gen == ev.Pad {
			e.event(ev.Fd, ev.Events)
		}
	}
	return nil
}

func (e *epoll) event(slot int32, events uint32) {
	s := &e.slots[slot]
	gen := s.gen
	const broken = unix.EPOLLERR | unix.EPOLLHUP
	if s.opening {
		if events&(unix.EPOLLOUT|broken) == 0 {
			return
		}
		errno := socketError(s.fd)
		s.opening = false
		e.handle(Done{Slot: slot, What: Opened, Err: asError(errno), Step: "connect"})
		if s.gen != gen {
			return
		}
	}
	if s.interest&unix.EPOLLOUT != 0 && events&(unix.EPOLLOUT|broken) != 0 {
		if over, errno := e.flush(slot); over && (errno != 0 || s.long) {
			e.handle(Done{Slot: slot, What: Sent, Err: asError(errno), Step: "send"})
		}
	}
	for s.gen == gen && events&(listening|broken) != 0 && e.read(slot, events) {
	}
}

// read receives once and reports it; true when more is likely to be there and
// still wanted.
func (e *epoll) read(slot int32, events uint32) bool {
	s := &e.slots[slot]
	want, flags := len(e.buf), 0
	if s.discard > 0 {
		want, flags = int(min(s.discard, 1<<30)), unix.MSG_TRUNC
	}
	n, errno := recvFD(s.fd, e.buf, want, flags)
	d := Done{Slot: slot, What: Received, Step: "recv"}
	switch {
	case errno == unix.EAGAIN || errno == unix.EINTR:
		return false
	case errno != 0:
		d.Err = errno
	default:
		d.N = n
		if flags == 0 {
			d.Data = e.buf[:n]
		}
		// A short read emptied the socket: if the peer had shut down by then,
		// nothing more can come.
		shutDown := events&unix.EPOLLRDHUP != 0 && events&(unix.EPOLLERR|unix.EPOLLHUP) == 0
		d.End = n == 0 || n < want && shutDown
		d.Early = s.asked == e.turn // the event was there before the request was sent in this turn
	}
	gen := s.gen
	e.handle(d)
	return s.gen == gen && n == want && s.discard > 0
}

func (e *epoll) Close() error {
	for i := range e.slots {
		e.Submit(Op{Verb: Shut, Slot: int32(i)})
	}
	return unix.Close(e.fd)
}

// asError keeps "no error" nil: a zero Errno in an interface would not be.
func asError(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}
