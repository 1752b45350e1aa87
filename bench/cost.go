package main

// What a client costs, from the accounts of the operating system.

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The client has one processor, everything else another.
const (
	clientCPU = 0
	serverCPU = 1
)

// cost is what the operating system charges one process with, from its start
// to its end.
type cost struct {
	WallS      float64 `json:"wall_s"`
	CPUUserS   float64 `json:"cpu_user_s"`
	CPUSystemS float64 `json:"cpu_system_s"`
	MaxRSS     int64   `json:"max_rss_bytes"`
}

func (c cost) cpu() float64 { return c.CPUUserS + c.CPUSystemS }

// pinned runs f in a thread that has one processor; processes that f starts
// inherit it, from their first instruction.
func pinned(cpu int, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("reading the processors: %w", err)
	}
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return fmt.Errorf("taking processor %d: %w", cpu, err)
	}
	err := f()
	if e := unix.SchedSetaffinity(0, &before); e != nil {
		return fmt.Errorf("giving the processor back: %w", e)
	}
	return err
}

// charge runs a command on the client's processor to its end. The error tells
// that it could not run or ended badly; the cost and the output are good all
// the same.
func charge(ctx context.Context, c *exec.Cmd) (cost, []byte, error) {
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	floor := lowerOwnPeak()
	start := time.Now()
	if err := pinned(clientCPU, c.Start); err != nil {
		return cost{}, nil, fmt.Errorf("starting %s: %w", c.Path, err)
	}
	peaks := make(chan int64, 1)
	ended := make(chan struct{})
	go func() { peaks <- watchPeak(c.Process.Pid, ended) }()
	err := c.Wait()
	wall := time.Since(start)
	close(ended)
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return cost{}, nil, fmt.Errorf("%s: no account of its resources", c.Path)
	}
	k := cost{
		WallS: wall.Seconds(), CPUUserS: c.ProcessState.UserTime().Seconds(), CPUSystemS: c.ProcessState.SystemTime().Seconds(),
		MaxRSS: peakRSS(floor, usage.Maxrss*1024, <-peaks),
	}
	if err != nil {
		err = fmt.Errorf("%w: %s", err, tail(complaints.Bytes()))
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return k, out.Bytes(), err
}

// peakRSS is the peak memory of a child. What wait4 reports begins at the peak
// of the parent, whose memory the child has until it executes: it is the
// child's own only where it is above that. Below, the watched peak holds, which
// could miss what grew in the last moments.
func peakRSS(parent, waited, watched int64) int64 {
	if waited > parent {
		return waited
	}
	return watched
}

// lowerOwnPeak makes this process's peak memory its present memory, and
// returns it, in bytes.
func lowerOwnPeak() int64 {
	// Not permitted everywhere: the peak then stays as it is, which is only a worse floor.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	return highWater(os.Getpid())
}

func watchPeak(pid int, ended <-chan struct{}) (peak int64) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		peak = max(peak, highWater(pid))
		select {
		case <-ended:
			return peak
		case <-tick.C:
		}
	}
}

// highWater reads VmHWM of a process, in bytes; 0, which is not known, when it
// is gone.
func highWater(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	kib, _ := number(b, `(?m)^VmHWM:\s+(\d+) kB`)
	return int64(kib) * 1024
}

// cpuOf sums the CPU time of processes, in seconds, from the scheduler's own
// accounts, which are finer than clock ticks.
func cpuOf(pids []int) (float64, bool) {
	var sum float64
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if err != nil {
			return 0, false
		}
		ns, err := strconv.ParseFloat(strings.Fields(string(b) + " 0")[0], 64)
		if err != nil {
			return 0, false
		}
		sum += ns / 1e9
	}
	return sum, true
}

// tail is the end of what a tool complained of, on one line.
func tail(b []byte) string {
	s := strings.Join(strings.Fields(string(b)), " ")
	if len(s) > 200 {
		s = "..." + s[len(s)-200:]
	}
	return s
}
