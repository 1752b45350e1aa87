package load

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// setFileLimit asks the kernel alone. The runtime's own Setrlimit would also
// forget the soft limit that the program was started with, and programs started
// later, servers under test among them, would get ours instead.
func setFileLimit(limit *unix.Rlimit) error {
	_, _, errno := syscall.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, uintptr(unsafe.Pointer(limit)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
