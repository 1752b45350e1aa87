//go:build unix && !linux

package load

import "golang.org/x/sys/unix"

func setFileLimit(limit *unix.Rlimit) error { return unix.Setrlimit(unix.RLIMIT_NOFILE, limit) }
