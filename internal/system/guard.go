package system

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"matrix/internal/unit"
)

// defaultGrace is the time a server has to end by itself when it is asked to.
const defaultGrace = 5 * time.Second

// terms are the conditions under which a server runs.
type terms struct {
	openFiles int    // descriptor limit; 0 leaves it
	nice      int    // nice level; 0 leaves it
	user      string // "uid:gid" to run as, of a server that does not drop root itself; "" is our own
}

// guardArgs is the command line of the guard, behind the one of this binary.
func guardArgs(t terms, argv []string) []string {
	args := []string{"guard", "--open-files", strconv.Itoa(t.openFiles), "--nice", strconv.Itoa(t.nice), "--user", t.user, "--"}
	return append(args, argv...)
}

// Guard is the subcommand that a server runs under: `guard [--open-files N]
// [--nice N] [--user UID:GID] [--grace 5s] -- argv...`, where args is what follows "guard". It starts argv
// and stays until all processes that came of it are gone. When stdin ends - on
// request, or because the process at the other end is dead, however it died -
// it sends them SIGTERM and, after the grace, SIGKILL. Signals of the terminal
// do not end it.
//
// It returns an error when argv cannot be started or ends by itself, were it only
// its first process, by a signal or with a status other than 0.
func Guard(args []string, stdin io.Reader) error {
	flags := flag.NewFlagSet("guard", flag.ContinueOnError)
	openFiles := flags.Uint64("open-files", 0, "descriptor limit of the server; 0 leaves it")
	nice := flags.Int("nice", 0, "nice level of the server; 0 leaves it")
	user := flags.String("user", "", "UID:GID that the server runs as; empty for that of the guard")
	grace := flags.Duration("grace", defaultGrace, "time to end after SIGTERM")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("guard: nothing to run")
	}
	// A channel rather than signal.Ignore: the server would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	// The server is told of the death of the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := adopt(); err != nil {
		return fmt.Errorf("becoming the parent of orphans: %w", err)
	}
	if err := limitOpenFiles(*openFiles); err != nil {
		return err
	}
	if err := beNice(*nice); err != nil {
		return err
	}
	pid, err := spawn(flags.Args(), *user)
	if err != nil {
		return fmt.Errorf("starting the server: %w", err)
	}
	asked, first, gone := make(chan struct{}), make(chan syscall.WaitStatus, 1), make(chan syscall.WaitStatus, 1)
	go func() {
		io.Copy(io.Discard, stdin)
		close(asked)
	}()
	go func() { gone <- reap(pid, first) }()
	return watch(pid, first, gone, asked, *grace)
}

// watch waits until the server is to end or has ended by itself. A first process
// that ends well may have become a daemon, whose processes are the server then; of
// one that is killed or fails, what it leaves behind is no server any more: workers
// that nobody looks after. They are ended.
func watch(pid int, first, gone <-chan syscall.WaitStatus, asked <-chan struct{}, grace time.Duration) error {
	for {
		select {
		case status := <-gone:
			return fmt.Errorf("the server ended by itself: %s", describe(status))
		case <-asked:
			return end(pid, gone, grace)
		case status := <-first:
			left := len(descendants(os.Getpid()))
			if status == 0 || left == 0 { // then gone tells
				continue
			}
			err := fmt.Errorf("the server's first process ended by itself: %s; %d of its processes lived on and were ended", describe(status), left)
			return errors.Join(err, end(pid, gone, 0))
		}
	}
}

// limitOpenFiles sets the limit that the server inherits, hard limit included:
// a server that raises its soft limit would otherwise undo it.
func limitOpenFiles(n uint64) error {
	if n == 0 {
		return nil
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		return fmt.Errorf("setting the descriptor limit to %d (see ulimit -Hn): %w", n, err)
	}
	return nil
}

// beNice sets the level that the server inherits, of the thread that starts it.
func beNice(level int) error {
	if level == 0 {
		return nil
	}
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, level); err != nil {
		return fmt.Errorf("setting the nice level to %d (below 0 is for root): %w", level, err)
	}
	return nil
}

// spawn starts the server as the given user, "uid:gid" or "" for our own.
func spawn(argv []string, user string) (pid int, err error) {
	attr := serverAttr()
	if user != "" {
		ids, ok := unit.ParseCounts(strings.Replace(user, ":", " ", 1), 2)
		if !ok || ids[0] > math.MaxUint32 || ids[1] > math.MaxUint32 {
			return 0, fmt.Errorf("reading the user %q: it is not uid:gid", user)
		}
		attr.Credential = &syscall.Credential{Uid: uint32(ids[0]), Gid: uint32(ids[1])}
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return 0, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	p, err := os.StartProcess(path, argv, &os.ProcAttr{
		Env:   os.Environ(),
		Files: []*os.File{null, os.Stdout, os.Stderr},
		Sys:   attr,
	})
	if err != nil {
		return 0, err
	}
	// It is reaped with all the others, not through p.
	defer p.Release()
	return p.Pid, nil
}

// reap waits until no child is left, own or adopted, and returns how the first
// process ended, which it tells at once, too.
func reap(first int, ended chan<- syscall.WaitStatus) (status syscall.WaitStatus) {
	for {
		var s syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &s, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return status
		case pid == first:
			status = s
			ended <- s
		}
	}
}

// end asks all to end and makes those end that do not. Processes that left the
// server's group are found by their descent.
func end(group int, gone <-chan syscall.WaitStatus, grace time.Duration) error {
	signalAll(group, syscall.SIGTERM)
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-gone:
		return nil
	case <-patience.C:
	}
	// Again and again: a process may have forked while the others were killed.
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	patience.Reset(defaultGrace)
	for {
		signalAll(group, syscall.SIGKILL)
		select {
		case <-gone:
			return nil
		case <-again.C:
		case <-patience.C:
			return errors.New("processes of the server cannot be killed")
		}
	}
}

func signalAll(group int, sig syscall.Signal) {
	syscall.Kill(-group, sig)
	for _, pid := range descendants(os.Getpid()) {
		if g, err := syscall.Getpgid(pid); err == nil && g != group {
			syscall.Kill(pid, sig)
		}
	}
}

func describe(s syscall.WaitStatus) string {
	if s.Signaled() {
		return "killed by signal " + s.Signal().String()
	}
	return "exit status " + strconv.Itoa(s.ExitStatus())
}
