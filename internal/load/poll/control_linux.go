package poll

import (
	"context"
	"syscall"

	"golang.org/x/sys/unix"
)

// bindLate leaves the choice of the local port to connect, which may use one
// port for several destinations; bind would have to reserve it.
func bindLate(bind bool, buffer int) func(context.Context, string, string, syscall.RawConn) error {
	if !bind && buffer == 0 {
		return nil
	}
	return func(_ context.Context, _, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			// Both are wishes: connecting works without them.
			if bind {
				_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1)
			}
			if buffer > 0 {
				_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, buffer)
			}
		})
	}
}
