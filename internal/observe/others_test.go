package observe

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// proc is a line of /proc/<pid>/stat, times in ticks.
func proc(pid, parent int, name string, kernel bool, own, reaped int) map[string]string {
	flags := 0x400000
	if kernel {
		flags |= 0x200000
	}
	return map[string]string{fmt.Sprintf("%d/stat", pid): fmt.Sprintf(
		"%d (%s) S %d 1 1 0 -1 %d 0 0 0 0 %d 0 %d 0 20 0 1 0 %d 0 10 0", pid, name, parent, flags, own, reaped, 1000+pid)}
}

// cores is /proc/stat of a host with two cores, in ticks.
func cores(user, system, idle, iowait, irq, softirq, steal int) map[string]string {
	line := fmt.Sprintf("%d 0 %d %d %d %d %d %d 0 0\n", user, system, idle, iowait, irq, softirq, steal)
	return map[string]string{"stat": "cpu  " + line + "cpu0 " + line + "cpu1 " + line}
}

// fakeHost is a host whose process 40 is ours: 41 is the server that we started,
// 42 its worker.
func fakeHost(t *testing.T, kthreadd bool) tree {
	t.Helper()
	f := tree{t, t.TempDir()}
	f.write(cores(1000, 1000, 1000, 0, 0, 0, 0))
	for _, p := range []map[string]string{
		proc(1, 0, "init", false, 500, 9000), proc(40, 1, "matrix", false, 100, 0), proc(41, 40, "nginx", false, 5, 0), proc(42, 41, "nginx", false, 50, 0),
		proc(50, 1, "make", false, 10, 300), proc(60, 1, "apache2", false, 7, 0), proc(61, 60, "apache2", false, 70, 0), proc(70, 1, "sh", false, 0, 0),
		proc(2, 0, "kthreadd", kthreadd, 0, 0), proc(3, 2, "ksoftirqd/0", kthreadd, 600, 0),
	} {
		f.write(p)
	}
	if err := os.Symlink("40", filepath.Join(f.root, "proc", "self")); err != nil {
		t.Fatal(err)
	}
	return f
}

// Item 12: what processes used that took no part, by themselves or by children
// that came and went, without that of ours and of the kernel's threads.
func TestOthersCPU(t *testing.T) {
	needLinux(t)
	server := func() []int { return []int{41, 42} }
	for _, c := range []struct {
		name      string
		kthreadd  bool // all processes of the host can be seen
		party     Party
		others    *float64
		errorS    float64
		stopClock bool // the host does not count its cores' time
	}{
		{"a server of ours", true, Party{Server: server}, new(0.3 + 0.18 + 0.02 + 0.4 + 0.05), 0, false},
		{"a server on another host", true, Party{}, new(0.3 + 0.18 + 0.02 + 0.4 + 0.05), 0, false},
		{"a server of this host that is not ours", true, Party{Apart: []int{60}}, new(0.3 + 0.18 + 0.05), 0, false},
		{"a server of this host that cannot be found", true, Party{Hidden: true}, nil, 0, false},
		// 2 s of two cores, less 1.1 idle, 0.2 stolen, 0.1 of interrupts, and ours.
		{"in a container", false, Party{Server: server}, new(4 - 1.1 - 0.2 - 0.1 - 0.64), 0.03 + 0.03*4, false},
		{"in a container, with a server elsewhere", false, Party{}, nil, 0, false},
		{"in a sandbox whose counters stand still", false, Party{Server: server}, nil, 0, true},
		{"counters that stand still, and processes that tell", true, Party{Server: server}, new(0.3 + 0.18 + 0.02 + 0.4 + 0.05), 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fakeHost(t, c.kthreadd)
			synctest.Test(t, func(t *testing.T) {
				w := Source{Root: f.root}.Start(t.Context(), time.Hour, c.party)
				time.Sleep(2 * time.Second)
				for _, p := range []map[string]string{
					proc(40, 1, "matrix", false, 140, 3), proc(41, 40, "nginx", false, 6, 0), proc(42, 41, "nginx", false, 72, 0), // ours: 0.63 s, and 0.03 of children, of which rounding leaves 0.01
					proc(50, 1, "make", false, 40, 320),                                         // 0.3 s of its own, and 0.2 s of children between two looks, less two ticks of rounding
					proc(60, 1, "apache2", false, 9, 0), proc(61, 60, "apache2", false, 110, 0), // 0.02 and 0.4 s
					proc(3, 2, "ksoftirqd/0", c.kthreadd, 650, 0), // nobody's
					proc(80, 70, "a new one", false, 5, 0),        // 0.05 s
				} {
					f.write(p)
				}
				if !c.stopClock {
					f.write(cores(1150, 1100, 1100, 10, 4, 6, 20))
				}
				got := w.Stop()
				if got.HostCPU == nil || *got.HostCPU != 4 || c.stopClock != (got.HostCPUBusy == nil) || c.stopClock != (got.HostCPUSteal == nil) {
					t.Errorf("host CPU %v, busy %v", got.HostCPU, got.HostCPUBusy)
				}
				if diff := cmp.Diff(c.others, got.OthersCPU, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(c.errorS, got.OthersCPUError, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// Children of a moment show as whole ticks of their parent: that is no work.
func TestChildrenOfAMomentAreNoWork(t *testing.T) {
	for _, c := range []struct {
		looks []look
		want  time.Duration
	}{
		{[]look{{1: {0, 5, 0, 70}}, {1: {0, 5, 0, 72}}}, 0},
		{[]look{{1: {0, 5, 0, 70}}, {1: {0, 5, 0, 71}}, {1: {0, 5, 0, 72}}, {1: {0, 5, 0, 73}}}, 10 * time.Millisecond},
		{[]look{{1: {0, 5, 0, 70}, 2: {0, 0, 0, 9}}, {1: {0, 5, 0, 72}, 2: {0, 0, 0, 11}}}, 0},
	} {
		var a account
		for _, l := range c.looks {
			a.look(l.processes())
		}
		if got := a.sum().exact; got != c.want {
			t.Errorf("%v: %v, not %v", c.looks, got, c.want)
		}
	}
}

// A process that leaves its parent, as daemons do, stays ours.
func TestADaemonStaysOurs(t *testing.T) {
	needLinux(t)
	f := fakeHost(t, true)
	synctest.Test(t, func(t *testing.T) {
		w := Source{Root: f.root}.Start(t.Context(), time.Hour, Party{})
		time.Sleep(2 * time.Second)
		f.write(proc(42, 1, "nginx", false, 90, 0))
		f.write(cores(1150, 1100, 1100, 10, 4, 6, 20))
		if got := w.Stop(); got.OthersCPU == nil || *got.OthersCPU != 0 {
			t.Errorf("others %v", got.OthersCPU)
		}
	})
}

// A /proc of other numbers than the system's tells nothing of others.
func TestAStrangeProc(t *testing.T) {
	needLinux(t)
	f := fakeHost(t, true)
	w := Source{Root: f.root, clock: func(int) (time.Duration, bool) { return 0, false }}.Start(t.Context(), time.Hour, Party{})
	if got := w.Stop(); got.OthersCPU != nil {
		t.Errorf("others %v by a process that is not us", *got.OthersCPU)
	}
}

func TestFamily(t *testing.T) {
	all := map[int]process{1: {}, 2: {parent: 1}, 3: {parent: 2}, 4: {parent: 3}, 5: {parent: 1}, 6: {parent: 7}, 7: {parent: 6}, 8: {parent: 99}}
	got := family(all, 2, 8)
	for pid, want := range map[int]bool{1: false, 2: true, 3: true, 4: true, 5: false, 6: false, 7: false, 8: true} {
		if got[pid] != want {
			t.Errorf("process %d: %v", pid, got[pid])
		}
	}
}

func TestHostCPUSince(t *testing.T) {
	at := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	before := hostCPU{at: at, cores: 4, all: 1000, idle: 600, interrupts: 10, steal: 5}
	for _, c := range []struct {
		name  string
		after hostCPU
		want  cpuSpan
	}{
		{"two seconds", hostCPU{at.Add(2 * time.Second), 4, 1790, 1100, 40, 25}, cpuSpan{all: 8, accounted: true, busy: 2.8, interrupts: 0.3, steal: 0.2}},
		{"counters that stand still", hostCPU{at.Add(2 * time.Second), 4, 1000, 600, 10, 5}, cpuSpan{all: 8}},
		{"a core was taken away", hostCPU{at.Add(2 * time.Second), 3, 1790, 1100, 40, 25}, cpuSpan{}},
		{"30 ms, idle", hostCPU{at.Add(30 * time.Millisecond), 4, 1012, 612, 10, 5}, cpuSpan{all: 0.12, accounted: true}},
		{"20 ms, too few ticks to tell", hostCPU{at.Add(20 * time.Millisecond), 4, 1008, 604, 10, 5}, cpuSpan{all: 0.08}},
		{"idle counted down, as kernels do now and then", hostCPU{at.Add(2 * time.Second), 4, 1790, 590, 40, 5}, cpuSpan{all: 8, accounted: true, busy: 8, interrupts: 0.3}},
	} {
		got := c.after.since(before)
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(cpuSpan{}), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// The kernel's clock of a process says what /proc does, more exactly.
func TestCPUClock(t *testing.T) {
	needLinux(t)
	rough := Source{Root: "/"}
	before := rough.processes()[os.Getpid()].own.exact
	exact, ok := cpuClock(os.Getpid())
	after := rough.processes()[os.Getpid()].own.exact
	const rounding = 2 * time.Second / ticks
	if !ok || exact < before || exact > after+rounding {
		t.Errorf("%v, %v: not between %v and %v", exact, ok, before, after)
	}
	if _, ok := cpuClock(1 << 23); ok {
		t.Error("a process that is not there has a clock")
	}
}

// Item 12: what is said of a host before anything is measured.
func TestLookAround(t *testing.T) {
	needLinux(t)
	for _, c := range []struct {
		name  string
		load  float64
		sees  bool
		spent int // ticks of process 70 within 2 s
		want  []string
		most  []Worker
	}{
		{"quiet", 0.3, true, 0, nil, nil},
		{"one process", 1.2, true, 196, []string{"other processes used 49% of this machine's CPU time (2 cores, load average 1.20)"}, []Worker{{"sh", 70, 0.98}}},
		{"a little", 0.3, true, 15, nil, []Worker{{"sh", 70, 0.075}}},
		{"a load average that goes on after the work", 21, true, 0, nil, nil},
		{"in a container", 0.3, false, 0, []string{"other processes used 25% of this machine's CPU time (2 cores, load average 0.30)"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fakeHost(t, c.sees)
			f.write(condition(c.load, 0, 900))
			synctest.Test(t, func(t *testing.T) {
				go func() {
					time.Sleep(time.Second)
					f.write(proc(70, 1, "sh", false, c.spent, 0))
					f.write(cores(1060, 1060, 1300, 0, 0, 0, 0))
				}()
				w := Source{Root: f.root}.LookAround(t.Context(), 2*time.Second)
				var got []string
				for _, n := range w.Notes() {
					got = append(got, n.Text)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(c.most, w.Busiest, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// Where nothing tells what is at work, a high load average is a hint.
func TestAHighLoadAverageAlone(t *testing.T) {
	for _, c := range []struct {
		load  float64
		cores int
		want  string
	}{
		{21, 2, "load average 21.00: other work is going on, or has just ended"},
		{21, 64, ""},
		{1.9, 1, ""},
	} {
		var got []string
		for _, n := range (Work{Cores: c.cores, Load1: &c.load}).Notes() {
			got = append(got, n.Text)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%v on %d cores: %q", c.load, c.cores, got)
		}
	}
	known := Work{Cores: 2, Load1: new(21.0), Taken: map[bench.Taker]bench.Taken{bench.Others: {CPU: 0.001, Host: 0.4}}}
	if n := known.Notes(); n != nil {
		t.Errorf("a machine at rest after work: %+v", n)
	}
}

// A process of nobody's family that is at work is found, and by its name.
func TestAProcessAtWorkIsFound(t *testing.T) {
	needLinux(t)
	// A shell that leaves its parent, and so is no child of this test; it ends by itself should nobody end it.
	out, err := exec.Command("sh", "-c", "(i=0; while [ $i -lt 100000000 ]; do i=$((i+1)); done) >/dev/null 2>&1 & echo $!").Output()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	sh, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer sh.Kill()
	for t.Context().Err() == nil {
		w := LookAround(t.Context(), 20*time.Millisecond)
		for _, b := range w.Busiest {
			if b.PID == pid && b.Name == "sh" && b.Cores > 0 {
				return
			}
		}
	}
}
