package system

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"matrix/internal/bench"
)

// A run that is killed outright takes its servers with it.
func TestServersDieWithTheirRun(t *testing.T) {
	for _, kind := range ours {
		t.Run(kind, func(t *testing.T) {
			need(t, kind)
			site, _ := newSite(t)
			run := exec.Command(os.Args[0], "hold", kind, site.Dir, site.Docroot)
			run.Stderr = os.Stderr
			out, err := run.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var pids []int
			for f := range strings.FieldsSeq(strings.NewReplacer("[", "", "]", "").Replace(line)) {
				pid, err := strconv.Atoi(f)
				if err != nil {
					t.Fatal(err)
				}
				pids = append(pids, pid)
			}
			if len(pids) < 2 || gone(pids[:1]) || gone(pids[1:]) {
				t.Fatalf("guard and server: %v", pids)
			}
			if err := run.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			run.Wait()
			eventually(t, "guard and server are gone", func() bool { return gone(pids) })
		})
	}
}

// A run that is killed while its server comes up leaves nothing either: the
// guard ends only once it has no child left.
func TestServersDieWithARunKilledWhileStarting(t *testing.T) {
	need(t, "nginx")
	for range 5 {
		site, _ := newSite(t)
		run := exec.Command(os.Args[0], "hold", "nginx", site.Dir, site.Docroot)
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "a guard or a server is there", func() bool { return len(mentioning(site.Dir, run.Process.Pid)) > 0 })
		if err := run.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		run.Wait()
		eventually(t, "all are gone", func() bool { return len(mentioning(site.Dir, 0)) == 0 })
	}
}

// mentioning lists the processes, but for one, with text in their command line.
func mentioning(text string, but int) (found []int) {
	for pid := range parents() {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && pid != but && strings.Contains(string(line), text) {
			found = append(found, pid)
		}
	}
	return found
}

// Should even the guard be killed, its server is asked to end.
func TestServersDieWithTheirGuard(t *testing.T) {
	need(t, "nginx")
	site, _ := newSite(t)
	r := start(t, site, bench.Server{Kind: "nginx", Workers: 2})
	pids := r.PIDs()
	if err := syscall.Kill(r.guard.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server is gone", func() bool { return gone(pids) })
}

func TestGuardIgnoresTheTerminal(t *testing.T) {
	site, m := newSite(t)
	r := start(t, site, bench.Server{Kind: "embedded"})
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if err := syscall.Kill(r.guard.pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Verify(t.Context(), bench.Load{}, m); err != nil {
		t.Error(err)
	}
	if err := r.Alive(); err != nil {
		t.Error(err)
	}
}

// A server that ignores SIGTERM, with a child that left for a session of its
// own, is gone after Stop all the same.
func TestStopEndsTheStubborn(t *testing.T) {
	site, _ := newSite(t)
	r := start(t, site, bench.Server{
		Kind: "command", Argv: []string{os.Args[0], "stubborn", "127.0.0.1:{port}", "with child"}, Ready: "http://127.0.0.1:{port}",
	})
	eventually(t, "there are two processes", func() bool { return len(r.PIDs()) == 2 })
	pids := r.PIDs()
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if !gone(pids) {
		t.Error("processes are left")
	}
}

// A server that turns itself into a daemon does not escape.
func TestStopEndsADaemon(t *testing.T) {
	site, _ := newSite(t)
	script := fmt.Sprintf(`setsid "%s" serve --root "{docroot}" --addr 127.0.0.1:{port} & exit 0`, os.Args[0])
	r := start(t, site, bench.Server{Kind: "command", Argv: []string{"sh", "-c", script}, Ready: "http://127.0.0.1:{port}"})
	if err := r.Alive(); err != nil {
		t.Fatal(err)
	}
	pids := r.PIDs()
	if len(pids) == 0 {
		t.Fatal("no processes")
	}
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if !gone(pids) {
		t.Error("the daemon is left")
	}
}

func TestAliveTellsOfADeath(t *testing.T) {
	site, _ := newSite(t)
	r := start(t, site, bench.Server{Kind: "embedded"})
	for _, pid := range r.PIDs() {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the death is seen", func() bool { return r.Alive() != nil })
	if err := r.Alive().Error(); !strings.Contains(err, "embedded has ended") || !strings.Contains(err, "killed by signal killed") {
		t.Error(err)
	}
	if pids := r.PIDs(); len(pids) != 0 {
		t.Errorf("processes %v", pids)
	}
}

func TestCommandFillsInItsPlaceholders(t *testing.T) {
	site, m := newSite(t)
	r := start(t, site, bench.Server{
		Kind: "command", Argv: []string{os.Args[0], "serve", "--root", "{docroot}", "--addr", "127.0.0.1:{port}"},
		Ready: "http://127.0.0.1:{port}/", OpenFiles: 64,
	})
	if err := r.Verify(t.Context(), bench.Load{}, m); err != nil {
		t.Error(err)
	}
	if info := r.Info(); info.Version != filepath.Base(os.Args[0]) || !strings.Contains(info.Config, "--root "+site.Docroot) {
		t.Errorf("info %+v", info)
	}
}

func TestCommandThatEndsAtOnce(t *testing.T) {
	site, _ := newSite(t)
	_, err := tryStart(t.Context(), site, bench.Server{
		Kind: "command", Argv: []string{"sh", "-c", "echo out of luck; exit 7"}, Ready: "http://127.0.0.1:{port}",
	})
	if err == nil || !strings.Contains(err.Error(), "out of luck") || !strings.Contains(err.Error(), "exit status 7") {
		t.Error(err)
	}
}

// A server that never answers is given up with the context, and ended.
func TestStartEndsWithItsContext(t *testing.T) {
	site, _ := newSite(t)
	ctx, cancel := context.WithCancel(t.Context())
	mark := filepath.Join(t.TempDir(), "mark")
	ended := make(chan error, 1)
	go func() {
		_, err := tryStart(ctx, site, bench.Server{
			Kind: "command", Argv: []string{"sh", "-c", "echo $$ >" + mark + ".tmp && mv " + mark + ".tmp " + mark + "; exec sleep 600"},
			Ready: "http://127.0.0.1:{port}",
		})
		ended <- err
	}()
	var pid int
	eventually(t, "it runs", func() bool {
		data, err := os.ReadFile(mark)
		if err == nil {
			pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		}
		return err == nil
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if !gone([]int{pid}) {
		t.Error("the server is left")
	}
}

func BenchmarkPIDs(b *testing.B) {
	for b.Loop() {
		descendants(os.Getpid())
	}
}

func TestGuardArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "nothing to run"},
		{[]string{"--open-files", "many", "--", "true"}, "invalid value"},
		{[]string{"--open-files", "999999999999", "--", "true"}, "setting the descriptor limit to 999999999999 (see ulimit -Hn)"},
		{[]string{"--", "no-such-program"}, "starting the server"},
		{[]string{"--", "sh", "-c", "exit 3"}, "the server ended by itself: exit status 3"},
		{[]string{"--", "sh", "-c", "kill -9 $$"}, "killed by signal killed"},
	} {
		cmd := exec.Command(os.Args[0], append([]string{"guard"}, c.args...)...)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.CombinedOutput()
		stdin.Close()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%q: %s, %v, want %q", c.args, out, err, c.want)
		}
	}
}

func TestTakenPortIsRefusedWithItsHolder(t *testing.T) {
	site, _ := newSite(t)
	r := start(t, site, bench.Server{Kind: "embedded"})
	port := portOf(t, r.BaseURL())
	other, _ := newSite(t)
	for _, kind := range append([]string{"command"}, ours...) {
		need(t, kind)
		_, err := tryStart(t.Context(), other, bench.Server{Kind: kind, Port: port, Argv: []string{"true"}, Ready: "http://127.0.0.1:{port}"})
		want := fmt.Sprintf("port %d is already served by", port)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), fmt.Sprintf("(pid %d)", r.PIDs()[0])) {
			t.Errorf("%s: %v, want %q and the pid", kind, err, want)
		}
	}
	// The same where only ready names the port.
	_, err := tryStart(t.Context(), other, bench.Server{Kind: "command", Argv: []string{"true"}, Ready: r.BaseURL()})
	if err == nil || !strings.Contains(err.Error(), "is already served by") {
		t.Error(err)
	}
	if a, err := http.Get(r.URL("/small.html")); err != nil || a.StatusCode != 200 {
		t.Errorf("the holder was disturbed: %v", err)
	}
}

// A server that answers on the port in place of ours is not taken for ours.
func TestForeignAnswerIsNotReadiness(t *testing.T) {
	site, _ := newSite(t)
	r := start(t, site, bench.Server{Kind: "embedded"})
	other, _ := newSite(t)
	if _, err := prepare(bench.System{}, other); err != nil {
		t.Fatal(err)
	}
	l := launch{
		name: "sleeper", argv: []string{"sleep", "60"}, logs: []string{filepath.Join(other.Dir, "output.log")},
		port: portOf(t, r.BaseURL()), base: r.BaseURL(),
	}
	_, err := l.start(t.Context(), bench.System{}, other)
	if err == nil || !strings.Contains(err.Error(), "that answers on port") {
		t.Error(err)
	}
}

// TestFirstProcessKilled: item 18: workers that outlive their master are no server:
// it has ended, with the reason, and nothing of it is left.
func TestFirstProcessKilled(t *testing.T) {
	for _, kind := range []string{"nginx", "apache", "lighttpd"} {
		t.Run(kind, func(t *testing.T) {
			need(t, kind)
			site, _ := newSite(t)
			r := start(t, site, bench.Server{Kind: kind, Workers: 2})
			eventually(t, "there are workers", func() bool { return len(r.PIDs()) > 2 })
			pids := r.PIDs()
			all := parents()
			master := 0
			for _, pid := range pids {
				if all[pid] == r.guard.pid {
					master = pid
				}
			}
			if err := syscall.Kill(master, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the server has ended", func() bool { return r.Alive() != nil })
			if err := r.Alive(); !strings.Contains(err.Error(), "the server's first process ended by itself: killed by signal killed; ") || !strings.Contains(err.Error(), " of its processes lived on and were ended") {
				t.Error(err)
			}
			if !gone(pids) {
				t.Error("workers are left")
			}
		})
	}
}

// TestFirstProcessBecomesADaemon: one that ends well may leave the server behind.
func TestFirstProcessBecomesADaemon(t *testing.T) {
	site, m := newSite(t)
	serve := fmt.Sprintf("%s serve --root {docroot} --addr 127.0.0.1:{port} &", os.Args[0])
	r := start(t, site, bench.Server{Kind: "command", Argv: []string{"/bin/sh", "-c", serve}, Ready: "http://127.0.0.1:{port}"})
	if err := r.Verify(t.Context(), bench.Load{}, m); err != nil {
		t.Error(err)
	}
	if err := r.Alive(); err != nil {
		t.Error(err)
	}
}
