package poll

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kernel's io_uring interface, as far as it is used here
// (include/uapi/linux/io_uring.h).
type sqe struct {
	opcode, flags uint8
	ioprio        uint16
	fd            int32
	off           uint64
	addr          uint64
	len           uint32
	opFlags       uint32
	userData      uint64
	bufGroup      uint16
	personality   uint16
	fileIndex     uint32
	addr3, pad    uint64
}

type cqe struct {
	userData uint64
	res      int32
	flags    uint32
}

type ringParams struct {
	sqEntries, cqEntries, flags, sqCPU, sqIdle, features, wqFD uint32
	_                                                          [3]uint32
	sq                                                         struct {
		head, tail, mask, entries, flags, dropped, array, _ uint32
		userAddr                                            uint64
	}
	cq struct {
		head, tail, mask, entries, overflow, cqes, flags, _ uint32
		userAddr                                            uint64
	}
}

type enterArg struct {
	sigmask     uint64
	sigmaskSize uint32
	minWait     uint32 // microseconds
	timeout     uint64 // address of a Timespec
}

const (
	opNop, opCancel, opConnect, opClose, opSend, opRecv, opSocket = 0, 14, 16, 19, 26, 27, 45

	flagFixed, flagLink, flagSelect, flagSkip = 1 << 0, 1 << 2, 1 << 5, 1 << 6

	setupCQSize, setupSubmitAll, setupSingle, setupDefer, setupNoArray = 1 << 3, 1 << 7, 1 << 12, 1 << 13, 1 << 16

	featureMinWait = 1 << 15

	enterGetEvents, enterExtArg, enterRegistered = 1 << 0, 1 << 3, 1 << 4

	recvPollFirst, recvMultishot = 1 << 0, 1 << 1
	cqeBuffer, cqeMore           = 1 << 0, 1 << 1

	registerFiles, unregisterFiles, updateFiles    = 2, 3, 6
	registerRing, unregisterRing, registerBufRing  = 20, 21, 22
	offsetSQEs                                     = 0x10000000
	minEntries, maxEntries, bufferSize, maxBuffers = 64, 4096, 4 << 10, 512
)

// ring is an io_uring and its buffers for received bytes. It belongs to the
// thread that made it.
type ring struct {
	fd      int
	enterFD uintptr
	flags   uintptr
	minWait bool // the kernel can wait for several completions for a bounded time

	// instead takes the kernel's place in a test: it is handed n submissions and
	// must have one completion at least before it returns when wait is above zero.
	instead func(n uint32, wait int) syscall.Errno

	memory, sqMemory           []byte
	sqHead, sqTail             *uint32
	cqHead, cqTail             *uint32
	sqes                       []sqe
	cqes                       []cqe
	tail                       uint32
	turn                       uint32 // how often submissions were handed over
	sqMask, cqMask             uint32
	arg                        enterArg
	timeout                    unix.Timespec
	bufMemory, bufRing         []byte
	bufTail, bufTailSeen, bufs uint16
}

func newRing(slots int) (*ring, error) {
	p := &ringParams{flags: setupCQSize | setupSubmitAll | setupSingle | setupDefer | setupNoArray}
	entries := powerOfTwo(4*slots, minEntries, maxEntries)
	p.cqEntries = uint32(powerOfTwo(2*slots, max(entries, 256), 1<<17)) // never fewer than submissions
	fd, _, errno := syscall.RawSyscall(unix.SYS_IO_URING_SETUP, uintptr(entries), uintptr(unsafe.Pointer(p)), 0)
	if errno != 0 {
		return nil, fmt.Errorf("setting up io_uring: %v: %w", errno, ErrUnsupported)
	}
	r := &ring{fd: int(fd), enterFD: fd, flags: enterGetEvents | enterExtArg, minWait: p.features&featureMinWait != 0}
	if err := r.mapMemory(p); err != nil {
		r.release()
		return nil, err
	}
	r.arg.timeout = uint64(uintptr(unsafe.Pointer(&r.timeout)))
	r.registerFD()
	if err := r.makeBuffers(powerOfTwo(2*slots, minEntries, maxBuffers)); err != nil {
		r.release()
		return nil, err
	}
	return r, nil
}

func (r *ring) mapMemory(p *ringParams) (err error) {
	const access, shared = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_POPULATE
	size := int(p.cq.cqes) + int(p.cqEntries)*int(unsafe.Sizeof(cqe{}))
	if r.memory, err = unix.Mmap(r.fd, 0, size, access, shared); err != nil {
		return fmt.Errorf("mapping the ring: %w", err)
	}
	if r.sqMemory, err = unix.Mmap(r.fd, offsetSQEs, int(p.sqEntries)*int(unsafe.Sizeof(sqe{})), access, shared); err != nil {
		return fmt.Errorf("mapping the submissions: %w", err)
	}
	at := func(offset uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.memory[offset])) }
	r.sqHead, r.sqTail, r.cqHead, r.cqTail = at(p.sq.head), at(p.sq.tail), at(p.cq.head), at(p.cq.tail)
	r.sqMask, r.cqMask = *at(p.sq.mask), *at(p.cq.mask)
	r.cqes = unsafe.Slice((*cqe)(unsafe.Pointer(&r.memory[p.cq.cqes])), p.cqEntries)
	r.sqes = unsafe.Slice((*sqe)(unsafe.Pointer(&r.sqMemory[0])), p.sqEntries)
	return nil
}

func (r *ring) register(what, arg uintptr, n int) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), what, arg, uintptr(n), 0, 0)
	return errno
}

// registerFD spares each enter the look-up of the ring's descriptor.
func (r *ring) registerFD() {
	update := [2]uint64{0xffffffff, uint64(r.fd)}
	if r.register(registerRing, uintptr(unsafe.Pointer(&update)), 1) == 0 {
		r.enterFD = uintptr(uint32(update[0]))
		r.flags |= enterRegistered
	}
}

// room makes sure of n free submissions, by handing those so far to the kernel
// where it must. Linked ones need it beforehand: a link does not reach over the
// end of what is handed over.
func (r *ring) room(n uint32) {
	for r.tail-atomic.LoadUint32(r.sqHead)+n > r.sqMask+1 {
		if errno := r.enter(0, 0, 0); errno != 0 && errno != unix.EINTR && errno != unix.EBUSY && errno != unix.EAGAIN {
			return // the ring is lost: Wait will say so
		}
	}
}

// at is the submission with number n.
func (r *ring) at(n uint32) *sqe { return &r.sqes[n&r.sqMask] }

// next is the next submission, zeroed.
func (r *ring) next() *sqe {
	r.room(1)
	s := r.at(r.tail)
	r.tail++
	*s = sqe{}
	return s
}

// enter submits and, when wait is above zero, waits for up to d for the first
// completion and for up to linger for that many.
func (r *ring) enter(wait int, d, linger time.Duration) syscall.Errno {
	atomic.StoreUint32(r.sqTail, r.tail)
	n := r.tail - atomic.LoadUint32(r.sqHead)
	r.turn++
	if r.instead != nil {
		return r.instead(n, wait)
	}
	r.timeout = unix.NsecToTimespec(int64(d))
	r.arg.minWait = uint32(linger / time.Microsecond)
	var errno syscall.Errno
	if wait == 0 {
		_, _, errno = syscall.RawSyscall6(unix.SYS_IO_URING_ENTER, r.enterFD, uintptr(n), 0, r.flags, uintptr(unsafe.Pointer(&r.arg)), unsafe.Sizeof(r.arg))
	} else {
		_, _, errno = syscall.Syscall6(unix.SYS_IO_URING_ENTER, r.enterFD, uintptr(n), uintptr(wait), r.flags, uintptr(unsafe.Pointer(&r.arg)), unsafe.Sizeof(r.arg))
	}
	return errno
}

// pop takes the next completion.
func (r *ring) pop() (cqe, bool) {
	head := *r.cqHead
	if head == atomic.LoadUint32(r.cqTail) {
		return cqe{}, false
	}
	c := r.cqes[head&r.cqMask]
	atomic.StoreUint32(r.cqHead, head+1)
	return c, true
}

// drain throws completions away until the one of key has come.
func (r *ring) drain(key uint64) {
	const turns = 100
	for range turns {
		if errno := r.enter(1, 10*time.Millisecond, 0); errno != 0 && errno != unix.EINTR && errno != unix.ETIME {
			return
		}
		for c, ok := r.pop(); ok; c, ok = r.pop() {
			if c.userData == key {
				return
			}
		}
	}
}

// release gives everything back, however far newRing came.
func (r *ring) release() {
	if r.flags&enterRegistered != 0 {
		update := [2]uint64{uint64(r.enterFD), 0}
		r.register(unregisterRing, uintptr(unsafe.Pointer(&update)), 1)
	}
	_ = unix.Close(r.fd)
	for _, m := range [][]byte{r.memory, r.sqMemory, r.bufMemory, r.bufRing} {
		if m != nil {
			_ = unix.Munmap(m)
		}
	}
}

// powerOfTwo is the least one that is at least n, within bounds that are
// powers of two themselves.
func powerOfTwo(n, least, most int) int {
	p := least
	for p < n && p < most {
		p *= 2
	}
	return p
}
