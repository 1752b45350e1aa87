package driver

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"matrix/internal/unit"
)

// every is how often the memory of a running tool is looked at, once it has run
// for a while; at first it is more often.
const every = 100 * time.Millisecond

// isolate gives the command a process group of its own, so that it can be
// stopped with its children and a Ctrl-C at the terminal reaches only this
// program, and lets the kernel end it should this program die.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// watchPeak follows the peak memory of a process until the returned function is
// called, which tells it in bytes: 0 when the process ended before the first look.
func watchPeak(pid int) (stop func() int64) {
	done, peak := make(chan struct{}), make(chan int64)
	go func() {
		most, wait := int64(0), time.Millisecond
		for {
			most = max(most, residentPeak(strconv.Itoa(pid)))
			select {
			case <-done:
				peak <- most
				return
			case <-time.After(wait):
				wait = min(2*wait, every)
			}
		}
	}()
	return func() int64 { close(done); return <-peak }
}

// ownPeak is the peak memory of this program, in bytes.
func ownPeak() int64 {
	if n := residentPeak("self"); n > 0 {
		return n
	}
	return math.MaxInt64 // unknown: believe nothing that could be ours
}

func residentPeak(pid string) int64 {
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0
	}
	_, rest, ok := bytes.Cut(text, []byte("\nVmHWM:"))
	if !ok {
		return 0
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	kib, ok := unit.ParseCounts(strings.TrimSuffix(string(line), "kB"), 1)
	if !ok {
		return 0
	}
	return kib[0] * 1024
}
