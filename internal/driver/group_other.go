//go:build unix && !linux

package driver

import (
	"os/exec"
	"syscall"
)

// isolate gives the command a process group of its own, so that it can be
// stopped with its children.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// watchPeak leaves peak memory to what the kernel tells at the end.
func watchPeak(int) (stop func() int64) { return func() int64 { return 0 } }

func ownPeak() int64 { return -1 }
