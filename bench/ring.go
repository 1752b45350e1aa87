package main

// As much of io_uring as the canned servers need, by hand.

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Numbers of the io_uring interface that golang.org/x/sys lacks; see
// io_uring_setup(2), io_uring_enter(2) and linux/io_uring.h.
const (
	setupClamp        = 1 << 4
	setupCQSize       = 1 << 3
	setupSubmitAll    = 1 << 7
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13

	enterGetEvents = 1 << 0
	enterExtArg    = 1 << 3

	opAccept   = 13
	opSend     = 26
	opRecv     = 27
	opShutdown = 34

	sqeLink         = 1 << 2
	sqeBufferSelect = 1 << 5
	sqeSkipSuccess  = 1 << 6

	acceptMultishot = 1 << 0
	recvMultishot   = 1 << 1

	cqeBuffer = 1 << 0
	cqeMore   = 1 << 1

	registerBufferRing = 22

	offSQEntries = 0x10000000
)

type sqOffsets struct {
	head, tail, mask, entries, flags, dropped, array, _ uint32
	_                                                   uint64
}

type cqOffsets struct {
	head, tail, mask, entries, overflow, cqes, flags, _ uint32
	_                                                   uint64
}

type ringParams struct {
	sqEntries, cqEntries, flags, cpu, idle, features, wq uint32
	_                                                    [3]uint32
	sq                                                   sqOffsets
	cq                                                   cqOffsets
}

// sqe is one submission, cqe one completion, as the kernel lays them out.
type sqe struct {
	op, flags uint8
	ioprio    uint16
	fd        int32
	off, addr uint64
	len       uint32
	opFlags   uint32
	user      uint64
	group     uint16
	_         uint16
	_         int32
	_         [2]uint64
}

type cqe struct {
	user  uint64
	res   int32
	flags uint32
}

// ring is one io_uring used by one locked thread: not safe for concurrent use.
type ring struct {
	fd             int
	params         ringParams
	memory         []byte // both queues
	entries        []byte // the sqe array
	sqTail, cqHead *uint32
	cqTail         *uint32
	sqMask, cqMask uint32
	tail, sent     uint32 // submissions filled, submissions handed over
	wait           waitArg
	span           unix.Timespec
}

// waitArg is the extended argument of io_uring_enter. It lies in the ring and
// not on the stack because the system call gets its address as a number.
type waitArg struct {
	mask         uint64
	size, minUse uint32
	span         *unix.Timespec
}

func newRing(entries, completions uint32) (*ring, error) {
	r := &ring{params: ringParams{cqEntries: completions, flags: setupClamp | setupCQSize | setupSubmitAll | setupSingleIssuer | setupDeferTaskrun}}
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(entries), uintptr(unsafe.Pointer(&r.params)), 0)
	if errno != 0 {
		return nil, fmt.Errorf("setting up io_uring: %w", errno)
	}
	r.fd = int(fd)
	p := &r.params
	size := max(int(p.sq.array+p.sqEntries*4), int(p.cq.cqes+p.cqEntries*16))
	var err error
	if r.memory, err = unix.Mmap(r.fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
		return nil, fmt.Errorf("mapping the queues: %w", err)
	}
	if r.entries, err = unix.Mmap(r.fd, offSQEntries, int(p.sqEntries)*64, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
		return nil, fmt.Errorf("mapping the submissions: %w", err)
	}
	r.sqTail, r.cqHead, r.cqTail = r.at(p.sq.tail), r.at(p.cq.head), r.at(p.cq.tail)
	r.sqMask, r.cqMask = *r.at(p.sq.mask), *r.at(p.cq.mask)
	for i := range p.sqEntries {
		*r.at(p.sq.array + 4*i) = i
	}
	return r, nil
}

func (r *ring) at(offset uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.memory[offset])) }

// next gives an empty submission; it hands over what is queued when the queue is full.
func (r *ring) next() *sqe {
	if r.tail-r.sent == r.params.sqEntries {
		r.enter(0, -1)
	}
	s := (*sqe)(unsafe.Pointer(&r.entries[(r.tail&r.sqMask)*64]))
	*s = sqe{}
	r.tail++
	return s
}

// room makes sure that n submissions in a row fit without a hand-over between
// them, which would break a chain of linked ones.
func (r *ring) room(n uint32) {
	if r.tail-r.sent+n > r.params.sqEntries {
		r.enter(0, -1)
	}
}

// enter hands over the submissions and waits for a number of completions, no
// longer than timeout; a negative timeout is none. An interrupted or timed-out
// wait is no error: the caller looks at the completions and comes again.
//
// The raw system call keeps the Go scheduler out of the loop: the process has
// one goroutine, and nothing else waits for the thread.
func (r *ring) enter(want uint32, timeout time.Duration) {
	atomic.StoreUint32(r.sqTail, r.tail)
	flags := uintptr(enterGetEvents)
	var arg, size uintptr
	if timeout >= 0 {
		r.span = unix.NsecToTimespec(int64(timeout))
		r.wait.span = &r.span
		arg, size = uintptr(unsafe.Pointer(&r.wait)), unsafe.Sizeof(r.wait)
		flags |= enterExtArg
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(r.fd), uintptr(r.tail-r.sent), uintptr(want), flags, arg, size)
	if errno == 0 {
		r.sent += uint32(n)
	}
}

// each calls f for every completion there is.
func (r *ring) each(f func(*cqe)) {
	head, tail := *r.cqHead, atomic.LoadUint32(r.cqTail)
	for ; head != tail; head++ {
		f((*cqe)(unsafe.Pointer(&r.memory[r.params.cq.cqes+(head&r.cqMask)*16])))
	}
	atomic.StoreUint32(r.cqHead, head)
}

// buffers are provided to the kernel, which picks one for each receive.
type buffers struct {
	ring, data []byte
	count      uint32 // a power of two
	size       uint32 // bytes of each
	tail       uint16
}

func (r *ring) provide(count, size uint32) (*buffers, error) {
	private := unix.MAP_ANONYMOUS | unix.MAP_PRIVATE
	b := &buffers{count: count, size: size}
	var err error
	if b.ring, err = unix.Mmap(-1, 0, int(count)*16, unix.PROT_READ|unix.PROT_WRITE, private); err != nil {
		return nil, fmt.Errorf("mapping the buffer ring: %w", err)
	}
	if b.data, err = unix.Mmap(-1, 0, int(count*size), unix.PROT_READ|unix.PROT_WRITE, private); err != nil {
		return nil, fmt.Errorf("mapping the buffers: %w", err)
	}
	reg := struct {
		addr         *byte
		entries      uint32
		group, flags uint16
		_            [3]uint64
	}{addr: &b.ring[0], entries: count}
	if _, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), registerBufferRing, uintptr(unsafe.Pointer(&reg)), 1, 0, 0); errno != 0 {
		return nil, fmt.Errorf("registering the buffers: %w", errno)
	}
	for i := range count {
		b.back(uint16(i))
	}
	return b, nil
}

func (b *buffers) bytes(id uint16, n int32) []byte {
	from := uint32(id) * b.size
	return b.data[from : from+uint32(n)]
}

// back gives a buffer to the kernel again. The tail of the buffer ring lies in
// the reserved field of its first entry; a store releases the entry with it.
func (b *buffers) back(id uint16) {
	e := unsafe.Pointer(&b.ring[uint32(b.tail)&(b.count-1)*16])
	*(*uint64)(e) = uint64(uintptr(unsafe.Pointer(&b.data[uint32(id)*b.size])))
	*(*uint32)(unsafe.Add(e, 8)) = b.size
	b.tail++
	// The id and, in entry 0, the tail share a 32-bit word.
	if e == unsafe.Pointer(&b.ring[0]) {
		atomic.StoreUint32((*uint32)(unsafe.Add(e, 12)), uint32(id)|uint32(b.tail)<<16)
		return
	}
	*(*uint16)(unsafe.Add(e, 12)) = id
	first := (*uint32)(unsafe.Pointer(&b.ring[12]))
	atomic.StoreUint32(first, *first&0xffff|uint32(b.tail)<<16)
}
