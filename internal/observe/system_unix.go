//go:build unix

package observe

import (
	"bytes"
	"strings"

	"golang.org/x/sys/unix"
)

// kernel is the running kernel as uname(1) tells it: "Linux 6.1.0 x86_64".
func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	text := func(b []byte) string {
		b, _, _ = bytes.Cut(b, []byte{0})
		return string(b)
	}
	return strings.Join([]string{text(u.Sysname[:]), text(u.Release[:]), text(u.Machine[:])}, " ")
}

// openFiles are the soft and hard descriptor limits; Go raises the soft one to
// the hard when a program starts, and gives tools the former one.
func openFiles() [2]uint64 {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil {
		return [2]uint64{}
	}
	return [2]uint64{uint64(l.Cur), uint64(l.Max)}
}
