package observe

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuClock is the CPU time of a process by the clock that the kernel keeps of it
// (clock_getcpuclockid(3)): exact to the nanosecond, where /proc tells
// hundredths of a second.
func cpuClock(pid int) (time.Duration, bool) {
	const scheduled = 2 // CPUCLOCK_SCHED
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|scheduled), &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}

// ReadStart reads the beginning of a file into buf, as much as the kernel gives at
// once: a small file of /proc is whole then. It does without the preparations of
// package os, which take as long as the rest, as this is done for each process of
// the host again and again.
func ReadStart(name string, buf []byte) []byte {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf)
	if err != nil {
		return nil
	}
	return buf[:n]
}
