package system

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"matrix/internal/bench"
)

// Running is a server that answers. Its methods may be called from several
// goroutines.
type Running struct {
	name  string // in messages: the kind, or where it is
	base  string
	info  bench.ServerInfo
	guard *guarded // nil: not ours

	behind *Running // the server that this one is a connector to; nil: it serves by itself
}

// BaseURL is the URL under which the files lie, without a slash at its end. It
// may hold a password.
func (r *Running) BaseURL() string { return r.base }

// URL is the whole URL of a path as bench.File.Paths spells it.
func (r *Running) URL(path string) string { return r.base + path }

// Info tells what was started.
func (r *Running) Info() bench.ServerInfo { return r.info }

// PIDs lists the server's live processes, its guard left out; none when the
// server is not ours.
func (r *Running) PIDs() []int {
	if r.guard == nil {
		return nil
	}
	pids := descendants(r.guard.pid)
	if r.behind != nil {
		pids = append(pids, r.behind.PIDs()...)
	}
	return pids
}

// Alive returns nil while the server runs, and then why it does not, with the
// last lines of its log. Of a server that is not ours nothing is known: nil.
func (r *Running) Alive() error {
	if r.guard == nil {
		return nil
	}
	select {
	case <-r.guard.ended:
		return fmt.Errorf("%s has ended%s%s", r.name, r.guard.left, r.guard.lastWords())
	default:
	}
	if r.behind != nil {
		return r.behind.Alive()
	}
	return nil
}

// Stop ends the server and returns when its last process is gone: by SIGTERM
// and 5 s later by SIGKILL, or by SIGKILL at once when ctx ends (do not pass one
// that has ended unless that is meant). Calling it again does nothing. It does
// not touch a server that is not ours.
func (r *Running) Stop(ctx context.Context) error {
	if r.guard == nil {
		return nil
	}
	var err error
	if err = r.guard.stop(ctx); err != nil {
		err = fmt.Errorf("stopping %s: %w", r.name, err)
	}
	if r.behind != nil {
		err = errors.Join(err, r.behind.Stop(ctx))
	}
	return err
}

// guarded is a server under its guard.
type guarded struct {
	pid   int // of the guard
	stdin io.Closer
	logs  []string
	ended chan struct{} // closed when the guard, and so the server, is gone
	left  string        // what became of processes that a guard left behind; "": it left none. Set before ended is closed
	once  sync.Once
	err   error
}

// startGuarded runs argv under a guard, in dir ("" is the current one). What
// both print goes to the first of the logs, which is emptied.
func startGuarded(self []string, dir string, t terms, logs []string, argv []string) (*guarded, error) {
	if len(self) == 0 {
		return nil, errors.New("no way to run the guard: Site.Self is empty")
	}
	log, err := os.Create(logs[0])
	if err != nil {
		return nil, fmt.Errorf("opening the server's log: %w", err)
	}
	defer log.Close()
	args := append(self[1:len(self):len(self)], guardArgs(t, argv)...)
	cmd := exec.Command(self[0], args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	k := kin{Mark: rand.Text(), Name: filepath.Base(argv[0]), Boot: bootID()}
	cmd.Env = append(os.Environ(), markName+"="+k.Mark)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the guard: %w", err)
	}
	g := &guarded{pid: cmd.Process.Pid, stdin: stdin, logs: logs, ended: make(chan struct{})}
	k.Guard = g.pid
	k.remember()
	go func() {
		err := cmd.Wait()
		// A guard that was killed leaves its server behind: on its port, and at
		// the cost of whatever is measured next.
		if n := endKin(k); n > 0 {
			g.left = fmt.Sprintf("; its guard was gone before it (%v), and the processes that were left (%d) have been ended", err, n)
		}
		k.forget()
		close(g.ended)
	}()
	return g, nil
}

// stopTime is how long a guard may take: its own grace, twice, and a little.
const stopTime = 2*defaultGrace + 2*time.Second

func (g *guarded) stop(ctx context.Context) error {
	g.once.Do(func() { g.err = g.stopOnce(ctx) })
	return g.err
}

func (g *guarded) stopOnce(ctx context.Context) error {
	g.stdin.Close()
	late := time.NewTimer(stopTime)
	defer late.Stop()
	select {
	case <-g.ended:
		return nil
	case <-ctx.Done():
	case <-late.C:
	}
	// The guard hangs, or there is no time left to be kind.
	for _, pid := range append(descendants(g.pid), g.pid) {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	late.Reset(stopTime)
	select {
	case <-g.ended:
		return nil
	case <-late.C:
		return errors.New("its processes cannot be killed")
	}
}

func (g *guarded) lastWords() string {
	var all strings.Builder
	for _, name := range g.logs {
		all.WriteString(tail(name))
	}
	if all.Len() == 0 {
		return "; it logged nothing"
	}
	return "; the last lines of its log:" + all.String()
}
