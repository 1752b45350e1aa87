package poll

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bufferEntry is one offer of a buffer to the kernel. In the first of the ring
// the last field is the ring's tail.
type bufferEntry struct {
	addr uint64
	len  uint32
	id   uint16
	tail uint16
}

type bufferRegistration struct {
	addr    uint64
	entries uint32
	group   uint16
	flags   uint16
	_       [3]uint64
}

// makeBuffers offers n buffers, from which the kernel takes one whenever bytes
// arrive: connections that wait need no memory.
func (r *ring) makeBuffers(n int) (err error) {
	const access, private = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_ANON | unix.MAP_PRIVATE
	if r.bufMemory, err = unix.Mmap(-1, 0, n*bufferSize, access, private); err != nil {
		return fmt.Errorf("mapping receive buffers: %w", err)
	}
	if r.bufRing, err = unix.Mmap(-1, 0, n*int(unsafe.Sizeof(bufferEntry{})), access, private); err != nil {
		return fmt.Errorf("mapping the ring of buffers: %w", err)
	}
	r.bufs = uint16(n)
	reg := bufferRegistration{addr: uint64(uintptr(unsafe.Pointer(&r.bufRing[0]))), entries: uint32(n)}
	if errno := r.register(registerBufRing, uintptr(unsafe.Pointer(&reg)), 1); errno != 0 {
		return fmt.Errorf("registering receive buffers: %v: %w", errno, ErrUnsupported)
	}
	for id := range uint16(n) {
		r.giveBuffer(id)
	}
	r.offerBuffers()
	return nil
}

// buffer is the received bytes in buffer id.
func (r *ring) buffer(id uint16, n int32) []byte {
	at := int(id) * bufferSize
	return r.bufMemory[at : at+int(n)]
}

// giveBuffer queues a buffer to be offered again.
func (r *ring) giveBuffer(id uint16) {
	entries := unsafe.Slice((*bufferEntry)(unsafe.Pointer(&r.bufRing[0])), r.bufs)
	e := &entries[r.bufTail&(r.bufs-1)]
	e.addr = uint64(uintptr(unsafe.Pointer(&r.bufMemory[int(id)*bufferSize])))
	e.len = bufferSize
	e.id = id // not e.tail, which in the first entry is the ring's
	r.bufTail++
}

// offerBuffers shows the kernel what was given. The tail is 16 bits wide and
// shares a word with the id of the first entry, which nobody else writes.
func (r *ring) offerBuffers() {
	if r.bufTail == r.bufTailSeen {
		return
	}
	r.bufTailSeen = r.bufTail
	first := (*bufferEntry)(unsafe.Pointer(&r.bufRing[0]))
	word := [2]uint16{first.id, r.bufTail}
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&first.id)), *(*uint32)(unsafe.Pointer(&word)))
}
