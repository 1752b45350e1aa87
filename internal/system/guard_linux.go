package system

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of descendants whose own parent ends, so
// that a server that turns itself into a daemon cannot leave.
func adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// serverAttr puts the server into a group of its own; it is asked to end should
// even the guard be killed.
func serverAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
