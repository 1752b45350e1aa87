//go:build unix

package driver

import (
	"os"
	"runtime"
	"syscall"

	"matrix/internal/bench"
)

func interruptGroup(pid int) { signalGroup(pid, syscall.SIGINT) }
func killGroup(pid int)      { signalGroup(pid, syscall.SIGKILL) }

// signalGroup leaves it at the attempt: a group that is gone needs no signal.
func signalGroup(pid int, s syscall.Signal) { _ = syscall.Kill(-pid, s) }

// usage is what the kernel charged an ended process and its children with.
func usage(s *os.ProcessState) (c bench.ClientCost) {
	c.CPUUser, c.CPUSystem = s.UserTime().Seconds(), s.SystemTime().Seconds()
	r, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return c
	}
	c.MaxRSS = int64(r.Maxrss)
	if runtime.GOOS != "darwin" {
		c.MaxRSS *= 1024 // only there it is in bytes
	}
	return c
}
