//go:build !linux

package system

import "syscall"

// adopt does nothing where a process cannot adopt orphans: a server that turns
// itself into a daemon escapes its guard there.
func adopt() error { return nil }

func serverAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
