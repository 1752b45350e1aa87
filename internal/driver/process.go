package driver

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"

	"matrix/internal/bench"
)

// patience is what a tool gets to print what it has counted once it was asked
// to end.
const patience = 2 * time.Second

// ended is a process that has ended.
type ended struct {
	output string
	client *bench.ClientCost // nil: it did not even start
}

// command builds the call of a tool. With a descriptor limit a shell sets it for
// itself and then becomes the tool: setting it on the running tool would come
// too late for the first connections, and this process keeps its own.
func command(path string, args []string, openFiles int) *exec.Cmd {
	if openFiles > 0 {
		const script = `ulimit -n "$0" && exec "$@"`
		args = append([]string{"-c", script, strconv.Itoa(openFiles), path}, args...)
		path = "/bin/sh"
	}
	cmd := exec.Command(path, args...)
	cmd.Env = environment()
	return cmd
}

// run runs a command to its end, at the given nice level; 0 leaves ours. When ctx ends, the command's whole process
// group is asked to end, and after a while made to. The error is how the process
// ended, or why it could not be started.
func run(ctx context.Context, cmd *exec.Cmd, nice int) (p ended, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The kernel ends the tool together with the thread that started it, so
		// that thread must stay; and it ends with this goroutine, as it may not
		// lower a nice level again.
		runtime.LockOSThread()
		if nice == 0 {
			defer runtime.UnlockOSThread()
		}
		if err = beNice(nice); err == nil {
			p, err = runHere(ctx, cmd)
		}
	}()
	<-done
	return p, err
}

// runHere is run on the thread at hand.
func runHere(ctx context.Context, cmd *exec.Cmd) (p ended, err error) {
	out := &bounded{most: longestOutput}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = patience
	isolate(cmd)
	if err := cmd.Start(); err != nil {
		return p, err
	}
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { end(cmd.Process.Pid, over) })
	peak := watchPeak(cmd.Process.Pid)
	err = cmd.Wait()
	stop()
	close(over)
	killGroup(cmd.Process.Pid)
	cost := usage(cmd.ProcessState)
	if seen := peak(); cost.MaxRSS <= ownPeak() {
		// Linux counts the moment between fork and exec, when the child still has
		// this program's memory, as the child's own.
		cost.MaxRSS = seen
	}
	if out.over {
		err = errTooMuch
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // the tool itself ended; a child of its held the pipe
	}
	return ended{output: out.String(), client: &cost}, err
}

// end asks a process group to end, and makes it when it is not over soon.
func end(pid int, over <-chan struct{}) {
	interruptGroup(pid)
	select {
	case <-over:
	case <-time.After(patience):
		killGroup(pid)
	}
}

var errTooMuch = errors.New("too much output")

// bounded keeps what is written to it, up to a bound; beyond it, writing fails,
// and so ends the pipe of whoever writes.
type bounded struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.buf.Len()+len(p) > b.most {
		b.over = true
		n, _ := b.buf.Write(p[:b.most-b.buf.Len()])
		return n, errTooMuch
	}
	return b.buf.Write(p)
}

func (b *bounded) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
