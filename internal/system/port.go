package system

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"syscall"

	"github.com/shirou/gopsutil/v4/process"

	"matrix/internal/unit"
)

// host is where servers started here listen.
const host = "127.0.0.1"

var errTaken = errors.New("port taken")

// onPort calls start with the port to use: the one wanted, which must be free,
// or for 0 a free one. A free port that someone else takes before the server
// does is replaced by another.
func onPort(ctx context.Context, wanted int, start func(port int) (*Running, error)) (*Running, error) {
	if wanted != 0 {
		if err := checkPort(ctx, wanted); err != nil {
			return nil, err
		}
		return start(wanted)
	}
	const attempts = 3
	for i := 1; ; i++ {
		port, err := freePort()
		if err != nil {
			return nil, fmt.Errorf("looking for a free port: %w", err)
		}
		r, err := start(port)
		if err == nil || i == attempts || ctx.Err() != nil || checkPort(ctx, port) == nil {
			return r, err
		}
	}
}

// checkPort refuses a port that someone listens on, and says who.
func checkPort(ctx context.Context, port int) error {
	err := bindable(port)
	if err == nil {
		return nil
	}
	if holders := listeners(ctx, port); len(holders) > 0 {
		return fmt.Errorf("%w: port %d is already served by %s: end that, or choose another port", errTaken, port, who(holders[0]))
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: port %d is in use by a process that cannot be seen: end that, or choose another port", errTaken, port)
	}
	return fmt.Errorf("port %d cannot be listened on: %w", port, err)
}

func bindable(port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return l.Close()
}

func who(pid int) string {
	if pid == 0 {
		return "a process of another user"
	}
	name, err := (&process.Process{Pid: int32(pid)}).Name()
	if err != nil {
		name = "a process"
	}
	return fmt.Sprintf("%s (pid %d)", plain(name, 100), pid)
}

// freePort finds a port outside the range from which the system takes the ports
// of outgoing connections: there, one of the load's own connections could hold
// the server's port by chance. Every such port is as likely as any other, so that
// programs which look at the same time seldom find the same.
func freePort() (int, error) {
	low, high := ephemeral()
	const first, last, attempts = 10240, 65000, 10_000
	for range attempts {
		port := first + rand.IntN(last-first)
		if (port < low || port > high) && bindable(port) == nil {
			return port, nil
		}
	}
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// ephemeral is the range of ports of outgoing connections.
func ephemeral() (low, high int) {
	data, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	n, ok := unit.ParseCounts(string(data), 2)
	if err != nil || !ok || n[1] >= 1<<16 {
		return 32768, 65535
	}
	return int(n[0]), int(n[1])
}
