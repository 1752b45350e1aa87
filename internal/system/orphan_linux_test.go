package system

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"matrix/internal/bench"
)

// TestKilledGuardLeavesNothing: when a guard is killed, what it started is ended,
// and the server says why it is gone. The kernel's signal for the death of a
// parent is not enough: it is lost where a server changes its user, and ignored
// where it wants to.
func TestKilledGuardLeavesNothing(t *testing.T) {
	servers := []bench.Server{stubborn}
	for _, kind := range ours {
		servers = append(servers, bench.Server{Kind: kind, Workers: 2})
	}
	for _, s := range servers {
		t.Run(s.Kind, func(t *testing.T) {
			if s.Kind != "command" {
				need(t, s.Kind)
			}
			site, _ := newSite(t)
			r := start(t, site, s)
			eventually(t, "the server is up", func() bool { return len(r.PIDs()) > 0 && (s.Kind != "command" || len(r.PIDs()) == 2) })
			pids := r.PIDs()
			if err := syscall.Kill(r.guard.pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			<-r.guard.ended
			if !gone(pids) {
				t.Errorf("processes are left of %v", pids)
			}
			err := r.Alive()
			if err == nil || !strings.Contains(err.Error(), "has ended") {
				t.Errorf("alive: %v", err)
			}
			if s.Kind == "command" && !strings.Contains(err.Error(), "its guard was gone before it (signal: killed), and the processes that were left (2) have been ended") {
				t.Errorf("alive: %v", err)
			}
		})
	}
}

// TestLeftovers: where run and guard are both killed, the next start ends what
// they left and says so, once; what a run under way has started is let be.
func TestLeftovers(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	site, _ := newSite(t)
	run := exec.Command(os.Args[0], "hold", "stubborn", site.Dir, site.Docroot)
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
	var pids []int // guard and server
	for f := range strings.FieldsSeq(strings.NewReplacer("[", "", "]", "").Replace(line)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if all := EndLeftovers(); len(all) != 0 || gone(pids[1:]) {
		t.Fatalf("ended what is under way: %v", all)
	}
	for _, pid := range []int{run.Process.Pid, pids[0]} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	run.Wait()
	eventually(t, "the guard is gone", func() bool { return gone(pids[:1]) })
	if gone(pids[1:]) {
		t.Fatal("the server ended by itself: nothing is left to be found")
	}
	all := EndLeftovers()
	if len(all) != 1 || all[0].Processes < 1 || !strings.Contains(all[0].String(), " of an earlier run was still running") {
		t.Errorf("found %v", all)
	}
	eventually(t, "the server is gone", func() bool { return gone(pids[1:]) })
	if again := EndLeftovers(); len(again) != 0 {
		t.Errorf("found again %v", again)
	}
}

func TestSessionIn(t *testing.T) {
	for stat, want := range map[string]int{"12 (nginx) S 34 12 7 0": 7, "12 (a) b) R) Z 5 1 8 9": 8, "12 (x) S 1 1": -1, "": -1, "12 (x) S 1 1 y": -1} {
		_, got, ok := sessionIn([]byte(stat))
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", stat, got, want)
		}
	}
	if !marked([]byte("A=1\x00MATRIX_GUARD=x\x00"), "x") || marked([]byte("A=MATRIX_GUARD=x\x00"), "x") || !slices.Equal(kin{Guard: 1 << 30, Mark: "none"}.find(), nil) {
		t.Error("marks are read wrongly")
	}
}
