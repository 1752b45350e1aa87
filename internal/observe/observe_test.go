package observe

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var old = Source{Root: filepath.Join("testdata", "host")}

// needLinux holds tests of Linux's /proc back on systems whose own counters
// gopsutil reads instead.
func needLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "linux" {
		return
	}
	if os.Getenv("MATRIX_NO_SKIP") != "" {
		t.Fatal("this is not Linux")
	}
	t.Skip("reads the files of Linux's /proc")
}

func TestSample(t *testing.T) {
	needLinux(t)
	want := bench.Host{Load1: new(1.25), Zombies: new(1), TimeWait: new(12916), Sockets: new(312), MemFree: new(int64(65536 << 10))}
	if diff := cmp.Diff(want, old.Sample()); diff != "" {
		t.Error(diff)
	}
}

// What a host does not tell is nil, not zero.
func TestSampleOfNothing(t *testing.T) {
	needLinux(t)
	got := Source{Root: t.TempDir()}.Sample()
	got.Load1 = nil // of which gopsutil asks the kernel when the file is not there
	if diff := cmp.Diff(bench.Host{}, got); diff != "" {
		t.Error(diff)
	}
}

func TestHostInfo(t *testing.T) {
	needLinux(t)
	h := old.HostInfo()
	if h.OS != "Red Hat Linux release 7.0 (Guinness)" || h.CPU != "Pentium II (Deschutes)" || h.Memory != 127284<<10 {
		t.Errorf("%+v", h)
	}
	want := map[string]string{
		"net.core.somaxconn": "128", "net.ipv4.ip_local_port_range": "1024 4999",
		"net.ipv4.tcp_tw_reuse": "0", "net.ipv4.tcp_congestion_control": "cubic",
	}
	if diff := cmp.Diff(want, h.Sysctls); diff != "" {
		t.Error(diff)
	}
	if h.Cores < 1 || !strings.HasPrefix(h.Kernel, "Linux ") {
		t.Errorf("cores %d, kernel %q", h.Cores, h.Kernel)
	}
}

func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		info bench.HostInfo
		want []string
	}{
		{bench.HostInfo{}, nil},
		{bench.HostInfo{Cores: 8, OpenFiles: [2]uint64{1024, 1048576}, Sysctls: map[string]string{
			"net.core.somaxconn": "4096", "net.ipv4.ip_local_port_range": "32768 60999", "net.ipv4.tcp_tw_reuse": "2"}}, nil},
		{bench.HostInfo{Cores: 1, OpenFiles: [2]uint64{1024, 4096}, Virtualised: "kvm", Sysctls: map[string]string{
			"net.core.somaxconn": "128", "net.ipv4.ip_local_port_range": "1024 4999", "net.ipv4.tcp_tw_reuse": "0"}},
			[]string{"few-open-files", "short-backlog", "few-ports", "no-port-reuse", "one-core", "virtualised"}},
		{bench.HostInfo{Sysctls: map[string]string{"net.core.somaxconn": "x", "net.ipv4.ip_local_port_range": "9 1"}}, nil},
	} {
		var got []string
		for _, n := range Advice(c.info) {
			got = append(got, n.Code)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, not %v", c.info, got, c.want)
		}
	}
}

func TestParseStat(t *testing.T) {
	line, err := os.ReadFile(filepath.Join(old.Root, "proc", "1", "stat"))
	if err != nil {
		t.Fatal(err)
	}
	p, ok := parseStat(line)
	want := process{name: "init", state: 'S', parent: 0, own: ticked(151, 703), reaped: ticked(1953, 1731), started: 30, rss: 4391 * int64(os.Getpagesize())}
	if !ok || p != want {
		t.Errorf("%+v, %v", p, ok)
	}
	for _, bad := range []string{"", "1 (x", "1 (x)", "1 (x) S 1 2 3", strings.Replace(string(line), " 151 ", " -151 ", 1)} {
		if _, ok := parseStat([]byte(bad)); ok {
			t.Errorf("%q reads as a process", bad)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("1 (init) S 0 1 1 0 -1 4194560 40268 729108 0 640 151 703 1953 1731 20 0 1 0 30 48910336 4391 1"))
	f.Fuzz(func(t *testing.T, line []byte) {
		p, ok := parseStat(line)
		if ok && (p.parent < 0 || p.started < 0) {
			t.Errorf("%+v", p)
		}
	})
}

// look is one look at processes: pid to parent, own user and system CPU time in
// ticks, and the user time of children that it has waited for.
type look map[int][4]int64

func (c look) processes() map[int]process {
	m := map[int]process{}
	for pid, v := range c {
		m[pid] = process{parent: int(v[0]), own: ticked(v[1], v[2]), reaped: ticked(v[3], 0), started: int64(pid), rss: 1000}
	}
	return m
}

func TestAccount(t *testing.T) {
	for _, c := range []struct {
		name         string
		looks        []look
		user, system int64
	}{
		{"nothing", []look{{}, {}}, 0, 0},
		{"what was spent before does not count", []look{{1: {0, 500, 100, 70}}, {1: {0, 530, 110, 70}}}, 30, 10},
		{"a worker comes", []look{{1: {0, 500, 100}}, {1: {0, 500, 100}, 2: {1, 7, 3}}}, 7, 3},
		{"a worker ends and is reaped", []look{{1: {0, 500}, 2: {1, 100}}, {1: {0, 500}, 2: {1, 150}}, {1: {0, 500, 0, 155}}}, 55, 0},
		{"a worker ends and its parent was read before", []look{{1: {0, 500}, 2: {1, 100}}, {1: {0, 510}}, {1: {0, 510, 0, 104}}}, 14, 0},
		{"a worker that nobody waits for", []look{{1: {0, 500}, 2: {1, 9000}}, {1: {0, 510}}, {1: {0, 520}}, {1: {0, 520, 0, 30}}}, 50, 0},
		{"the parent is not ours", []look{{2: {1, 100}, 3: {1, 100}}, {2: {1, 150}, 3: {1, 120}}, {3: {1, 125}}}, 75, 0},
		{"workers are replaced", []look{{1: {0, 0}, 2: {1, 50}}, {1: {0, 0, 0, 60}, 3: {1, 20}}, {1: {0, 0, 0, 85}, 4: {1, 1}}}, 36, 0},
		{"one that ends hides nothing of another", []look{{1: {0, 0}, 2: {1, 9000}, 5: {0, 0}}, {1: {0, 0}, 5: {0, 40}}}, 40, 0},
		{"a parent ends with its child", []look{{1: {0, 0}, 2: {1, 10}, 3: {2, 500}}, {1: {0, 0, 0, 520}}}, 10, 0},
		{"a child that came and went between looks", []look{{1: {0, 5}}, {1: {0, 6, 0, 33}}}, 34, 0},
		{"one overlooked for a while", []look{{1: {0, 500}, 2: {1, 100}}, {2: {1, 110}}, {1: {0, 520}, 2: {1, 115}}, {1: {0, 523}, 2: {1, 115}}}, 18, 0},
		{"all end", []look{{1: {0, 500}}, {1: {0, 510}}, {}}, 10, 0},
		{"the server starts within the trial", []look{{}, {1: {0, 5, 2}}}, 5, 2},
	} {
		var a account
		last := int64(0)
		for i, l := range c.looks {
			if i == 0 {
				a.seen = len(l) == 0 // an empty first look is a look too
			}
			a.look(l.processes())
			if a.sum().user < last {
				t.Errorf("%s: the sum fell from %d to %d", c.name, last, a.sum().user)
			}
			last = a.sum().user
		}
		if got := a.sum(); got.user != c.user || got.system != c.system || got.exact > ticked(c.user, c.system).exact {
			t.Errorf("%s: %+v, not %d and %d ticks", c.name, got, c.user, c.system)
		}
	}
}

// tree is a file system that a test changes as it goes.
type tree struct {
	t    *testing.T
	root string
}

func (f tree) write(files map[string]string) {
	f.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(f.root, "proc", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			f.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
			f.t.Fatal(err)
		}
	}
}

func stat(pid int, state string, user, system, pages int) string {
	return fmt.Sprintf("%d (httpd) %s 1 1 1 0 -1 0 0 0 0 0 %d %d 0 0 20 0 1 0 77 0 %d 0", pid, state, user, system, pages)
}

func condition(load float64, tw, mem int) map[string]string {
	return map[string]string{
		"loadavg":      fmt.Sprintf("%.2f 0 0 1/1 1", load),
		"net/sockstat": fmt.Sprintf("TCP: inuse 3 orphan 0 tw %d alloc 3 mem 1\n", tw),
		"meminfo":      fmt.Sprintf("MemTotal: 100000 kB\nMemAvailable: %d kB\n", mem),
	}
}

func TestWatch(t *testing.T) {
	needLinux(t)
	f := tree{t, t.TempDir()}
	f.write(condition(0.5, 10, 900))
	f.write(map[string]string{"7/stat": stat(7, "S", 100, 50, 10), "stat": "cpu  100 0 0 900 0 0 0 0\ncpu0 100 0 0 900 0 0 0 0\n"})
	synctest.Test(t, func(t *testing.T) {
		w := Source{Root: f.root}.Start(t.Context(), 250*time.Millisecond, Party{Server: func() []int { return []int{7} }})
		f.write(condition(9, 500, 100))
		f.write(map[string]string{"7/stat": stat(7, "R", 150, 60, 40), "8/stat": stat(8, "Z", 0, 0, 0)})
		time.Sleep(300 * time.Millisecond)
		f.write(condition(3, 200, 500))
		f.write(map[string]string{"7/stat": stat(7, "S", 175, 65, 20), "8/stat": stat(8, "S", 0, 0, 0), "stat": "cpu  105 1 4 909 2 1 1 9\ncpu0 105 1 4 909 2 1 1 9\n"})
		got := w.Stop()
		want := bench.Observation{
			Before:        bench.Host{Load1: new(0.5), Zombies: new(0), TimeWait: new(10), Sockets: new(3), MemFree: new(int64(900 << 10))},
			After:         bench.Host{Load1: new(3.0), Zombies: new(0), TimeWait: new(200), Sockets: new(3), MemFree: new(int64(500 << 10))},
			Peak:          bench.Host{Load1: new(9.0), Zombies: new(1), TimeWait: new(500), Sockets: new(3), MemFree: new(int64(100 << 10))},
			ServerCPUUser: new(0.75), ServerCPUSystem: new(0.15), ServerMaxRSS: new(40 * int64(os.Getpagesize())),
			HostCPU: new(0.3), HostCPUBusy: new(0.10), HostCPUSteal: new(0.09),
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWatchWithoutServer(t *testing.T) {
	w := Start(t.Context(), time.Hour, Party{})
	o := w.Stop()
	if o.ServerCPUUser != nil || o.ServerCPUSystem != nil || o.ServerMaxRSS != nil {
		t.Errorf("figures of a server that is not ours: %+v", o)
	}
}

// The server's own CPU time, measured on this very process.
func TestWatchThisProcess(t *testing.T) {
	needLinux(t)
	self := []int{os.Getpid()}
	before := Local.processes()[self[0]].own
	w := Start(t.Context(), time.Hour, Party{Server: func() []int { return self }})
	for spent := int64(0); spent < 3; {
		now := Local.processes()[self[0]].own
		spent = now.user + now.system - before.user - before.system
	}
	o := w.Stop()
	if o.ServerCPUUser == nil || *o.ServerCPUUser+*o.ServerCPUSystem <= 0 || *o.ServerMaxRSS < 1<<20 {
		t.Errorf("%+v", o)
	}
}

func TestPace(t *testing.T) {
	for _, c := range []struct{ every, cost, want time.Duration }{
		{250 * time.Millisecond, time.Millisecond, 250 * time.Millisecond},
		{250 * time.Millisecond, 20 * time.Millisecond, time.Second},
		{0, 0, time.Millisecond},
	} {
		if got := pace(c.every, c.cost); got != c.want {
			t.Errorf("pace(%v, %v) = %v, not %v", c.every, c.cost, got, c.want)
		}
	}
}
