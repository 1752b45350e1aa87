package system

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/fixtures"
)

// The test binary plays the program: guard and serve are its subcommands, hold
// is a run that starts a server and waits to be killed, stubborn a server that
// does not want to end.
func TestMain(m *testing.M) {
	// Or each process of a race-enabled binary would end a second late.
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	run := map[string]func([]string) error{
		"guard":    func(args []string) error { return Guard(args, os.Stdin) },
		"serve":    serveCommand,
		"hold":     holdCommand,
		"stubborn": stubbornCommand,
	}[os.Args[1]]
	if run == nil {
		os.Exit(m.Run())
	}
	if err := run(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serveCommand(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	o := fixtures.Options{OnReady: func(url string) { fmt.Println("listening on", url) }}
	flags.StringVar(&o.Root, "root", "", "")
	flags.StringVar(&o.Addr, "addr", "", "")
	flags.BoolVar(&o.NoKeepAlive, "no-keep-alive", false, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return fixtures.Serve(ctx, o)
}

func holdCommand(args []string) error {
	s := bench.System{Labels: labels(args[0]), Server: &bench.Server{Kind: args[0], Workers: 2}}
	if args[0] == "stubborn" {
		s.Server = &stubborn
	}
	site := Site{Dir: args[1], Docroot: args[2], Files: files, Self: self()}
	k, err := KindOf(s)
	if err != nil {
		return err
	}
	r, err := k.Start(context.Background(), s, site)
	if err != nil {
		return err
	}
	fmt.Println(r.guard.pid, r.PIDs())
	select {}
}

// stubborn does not end on SIGTERM and has a child in a session of its own.
var stubborn = bench.Server{Kind: "command", Argv: []string{os.Args[0], "stubborn", "127.0.0.1:{port}", "with child"}, Ready: "http://127.0.0.1:{port}"}

// stubbornCommand serves, ignores SIGTERM and has a child that left its group.
func stubbornCommand(args []string) error {
	signal.Ignore(syscall.SIGTERM)
	if len(args) > 1 {
		child := exec.Command(os.Args[0], "stubborn", "127.0.0.1:0")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := child.Start(); err != nil {
			return err
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	return fixtures.Serve(context.Background(), fixtures.Options{Root: dir, Addr: args[0]})
}

var files = []bench.File{{Name: "small", Size: 1500}, {Name: "medium", Size: 143_000}, {Name: "empty"}, {Name: "set", Size: 1024, Count: 30}}

func self() []string { return []string{os.Args[0]} }

func labels(name string) []bench.Pair { return []bench.Pair{{Name: "Server", Value: name}} }

// newSite makes the files under test, and a directory for a server.
func newSite(t testing.TB) (Site, fixtures.Manifest) {
	t.Helper()
	dir := t.TempDir()
	// Servers that drop to another user must get in.
	for d := dir; strings.HasPrefix(d, filepath.Clean(os.TempDir())+string(filepath.Separator)); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	docroot := filepath.Join(dir, "files")
	m, err := fixtures.Make(t.Context(), docroot, files, 1)
	if err != nil {
		t.Fatal(err)
	}
	return Site{Dir: filepath.Join(dir, "server"), Docroot: docroot, Files: files, Self: self()}, m
}

// need skips where a real server is absent, unless nothing may be skipped.
func need(t testing.TB, kind string) {
	t.Helper()
	for _, k := range Kinds {
		if k.Name != kind {
			continue
		}
		if _, err := k.Check(t.Context()); err != nil {
			if os.Getenv("MATRIX_NO_SKIP") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
}

func start(t testing.TB, site Site, srv bench.Server) *Running {
	t.Helper()
	r, err := tryStart(t.Context(), site, srv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

func tryStart(ctx context.Context, site Site, srv bench.Server) (*Running, error) {
	s := bench.System{Labels: labels(srv.Kind), Server: &srv}
	k, err := KindOf(s)
	if err != nil {
		return nil, err
	}
	return k.Start(ctx, s, site)
}

// eventually waits for a condition, for as long as a loaded machine may need.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never came true: %s", what)
		}
	}
}

// gone reports whether none of the processes lives; a zombie, which is for its
// parent to bury, does not.
func gone(pids []int) bool {
	for _, pid := range pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		if _, after, _ := strings.Cut(string(stat), ") "); !strings.HasPrefix(after, "Z") {
			return false
		}
	}
	return true
}

func portOf(t testing.TB, base string) int {
	t.Helper()
	_, p, err := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(p)
	if err != nil {
		t.Fatal(err)
	}
	return port
}
