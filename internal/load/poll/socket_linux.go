package poll

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sockaddr is an address as the kernel reads it.
type sockaddr struct {
	raw    [112]byte
	len    uint32
	family uint16
}

func (a *sockaddr) pointer() unsafe.Pointer { return unsafe.Pointer(&a.raw[0]) }

func inetAddr(ap netip.AddrPort) *sockaddr {
	a := &sockaddr{family: unix.AF_INET, len: unix.SizeofSockaddrInet4}
	ip := ap.Addr()
	if ip.Is4() {
		copy(a.raw[4:], ip.AsSlice())
	} else {
		a.family, a.len = unix.AF_INET6, unix.SizeofSockaddrInet6
		copy(a.raw[8:], ip.AsSlice())
	}
	binary.NativeEndian.PutUint16(a.raw[0:], a.family)
	binary.BigEndian.PutUint16(a.raw[2:], ap.Port())
	return a
}

func unixAddr(path string) (*sockaddr, error) {
	const limit = 107 // sun_path and its NUL
	if len(path) > limit {
		return nil, fmt.Errorf("path of unix socket is longer than %d bytes", limit)
	}
	a := &sockaddr{family: unix.AF_UNIX, len: uint32(2 + len(path) + 1)}
	binary.NativeEndian.PutUint16(a.raw[0:], a.family)
	copy(a.raw[2:], path)
	return a, nil
}

// addresses are those a Config names, ready for the kernel.
type addresses struct {
	to      []*sockaddr
	from    []*sockaddr
	next    int // source
	buffer  int
	noDelay bool
}

func newAddresses(c Config) (*addresses, error) {
	a := &addresses{buffer: c.ReceiveBuffer, noDelay: c.Unix == ""}
	for _, ap := range c.Addrs {
		a.to = append(a.to, inetAddr(ap))
	}
	for _, ip := range c.Sources {
		a.from = append(a.from, inetAddr(netip.AddrPortFrom(ip, 0)))
	}
	if c.Unix != "" {
		u, err := unixAddr(c.Unix)
		if err != nil {
			return nil, err
		}
		a.to = []*sockaddr{u}
	}
	return a, nil
}

// socket makes a socket for address i, set up and bound but not connected. On
// an error step is the call that failed.
func (a *addresses) socket(i int32, flags int) (fd int32, step string, errno syscall.Errno) {
	to := a.to[i]
	r, _, errno := syscall.RawSyscall(unix.SYS_SOCKET, uintptr(to.family), uintptr(unix.SOCK_STREAM|unix.SOCK_CLOEXEC|flags), 0)
	if errno != 0 {
		return -1, "socket", errno
	}
	fd = int32(r)
	if a.noDelay { // else the last segment of a long request waits for an acknowledgement
		setInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	}
	if a.buffer > 0 {
		setInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, int32(a.buffer))
	}
	if len(a.from) == 0 || to.family == unix.AF_UNIX {
		return fd, "", 0
	}
	from := a.from[a.next%len(a.from)]
	a.next++
	setInt(fd, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1)
	if _, _, errno := syscall.RawSyscall(unix.SYS_BIND, uintptr(fd), uintptr(from.pointer()), uintptr(from.len)); errno != 0 {
		closeFD(fd)
		return -1, "bind", errno
	}
	return fd, "", 0
}

// setInt sets an option of a socket. Options are wishes: a kernel that refuses
// one still connects.
func setInt(fd int32, level, option int, value int32) {
	_, _, _ = syscall.RawSyscall6(unix.SYS_SETSOCKOPT, uintptr(fd), uintptr(level), uintptr(option), uintptr(unsafe.Pointer(&value)), 4, 0)
}

func closeFD(fd int32) { _, _, _ = syscall.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0) }

func connectFD(fd int32, to *sockaddr) syscall.Errno {
	_, _, errno := syscall.RawSyscall(unix.SYS_CONNECT, uintptr(fd), uintptr(to.pointer()), uintptr(to.len))
	return errno
}

func sendFD(fd int32, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0)
	return int(n), errno
}

// recvFD receives up to n bytes; with MSG_TRUNC they are discarded and b may be
// shorter than n.
func recvFD(fd int32, b []byte, n, flags int) (int, syscall.Errno) {
	r, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(n), uintptr(flags), 0, 0)
	return int(r), errno
}

// socketError takes the pending error of a socket.
func socketError(fd int32) syscall.Errno {
	var value, size int32 = 0, 4
	_, _, errno := syscall.RawSyscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_ERROR, uintptr(unsafe.Pointer(&value)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return errno
	}
	return syscall.Errno(value)
}

// lowWater keeps SO_RCVLOWAT at what is still due, within bounds: the kernel
// then wakes its reader once for many segments.
func lowWater(fd int32, now *int32, due int64) {
	const most = 256 << 10
	want := int32(max(1, min(due, most)))
	if want != *now {
		*now = want
		setInt(fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT, want)
	}
}
