//go:build unix

package results

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks an open file for as long as it is open, and fails at once where
// another holds it.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
