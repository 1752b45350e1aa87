//go:build unix

package load

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileLimit is the descriptor limit under which the load will run: the one it
// asks for, else the hard limit.
func fileLimit(asked int) uint64 {
	var now unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &now) != nil {
		return 1 << 20
	}
	if asked > 0 {
		return min(uint64(asked), uint64(now.Max))
	}
	return uint64(now.Max)
}

// limitFiles gives the whole process that limit until restore is called.
func limitFiles(r *run) (restore func(), err error) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		return nil, fmt.Errorf("reading descriptor limit: %w", err)
	}
	want := before
	want.Cur = fileLimit(r.load.OpenFiles)
	if want.Cur == before.Cur {
		return func() {}, nil
	}
	if err := setFileLimit(&want); err != nil {
		return nil, fmt.Errorf("setting descriptor limit to %d: %w", want.Cur, err)
	}
	return func() { _ = setFileLimit(&before) }, nil
}

// usage is what the process has spent so far: seconds of CPU and its greatest
// resident size in bytes.
func usage() (user, system float64, rss int64) {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0, 0, 0
	}
	const unitRSS = 1024 // ru_maxrss counts KiB on Linux
	return float64(u.Utime.Nano()) / 1e9, float64(u.Stime.Nano()) / 1e9, u.Maxrss * unitRSS
}
