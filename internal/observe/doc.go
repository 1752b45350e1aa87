// Package observe tells the condition of a host: what it is (HostInfo), how it
// is right now (Sample), and how it was around a trial (Watch), with the CPU
// time of a server's processes. The kernel's files and counters come in, values
// of package bench go out; what the system does not tell stays nil.
//
// The package changes nothing on the host, sends nothing to it, and draws no
// conclusions but the few of Advice.
package observe

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"matrix/internal/bench"

	"github.com/shirou/gopsutil/v4/common"
)

// Source is where a host's condition is read.
type Source struct {
	Root string // of the file system that holds proc, sys and etc; "/" but in tests

	// clock tells the CPU time of a process exactly; nil where its processes are
	// none of this system.
	clock func(pid int) (time.Duration, bool)
}

// Local is this host.
var Local = Source{Root: "/", clock: cpuClock}

// Sample tells how this host is right now.
func Sample() bench.Host { return Local.Sample() }

// HostInfo describes this host.
func HostInfo() bench.HostInfo { return Local.HostInfo() }

// Sample tells how the host is right now: every probe is asked.
func (s Source) Sample() bench.Host { return s.glance().sample() }

// glance is one look at a host: what several probes want is read once.
type glance struct {
	Source
	all map[int]process
}

func (s Source) glance() *glance { return &glance{Source: s} }

func (g *glance) sample() bench.Host {
	var h bench.Host
	for _, p := range Probes {
		p.Read(g, &h)
	}
	return h
}

// processes are all that there are; none where the system has no /proc.
func (g *glance) processes() map[int]process {
	if g.all == nil {
		g.all = g.Source.processes()
	}
	return g.all
}

// only are those of the processes that have these pids.
func (g *glance) only(pids []int) map[int]process {
	some := make(map[int]process, len(pids))
	for _, pid := range pids {
		if p, ok := g.processes()[pid]; ok {
			some[pid] = p
		}
	}
	return some
}

// longestFile bounds what is read of one file, in bytes: the longest that is
// wanted, of cpuinfo on a large machine, is shorter.
const longestFile = 1 << 20

// read returns the contents of a file below the root; nil when there is none.
func (s Source) read(path ...string) []byte {
	f, err := os.Open(s.path(path...))
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, longestFile))
	if err != nil {
		return nil
	}
	return b
}

func (s Source) path(path ...string) string {
	return filepath.Join(append([]string{s.Root}, path...)...)
}

// env tells gopsutil where to read.
func (s Source) env() context.Context {
	return context.WithValue(context.Background(), common.EnvKey, common.EnvMap{
		common.HostProcEnvKey: s.path("proc"), common.HostSysEnvKey: s.path("sys"),
		common.HostEtcEnvKey: s.path("etc"), common.HostRootEnvKey: s.Root,
	})
}

// fields are the words of the first line that begins with a prefix, after it.
func fields(text []byte, prefix string) [][]byte {
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(prefix)); ok {
			return bytes.Fields(rest)
		}
	}
	return nil
}

// number reads a count, 0 or more.
func number(b []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(b), 10, 64)
	return n, err == nil && n >= 0
}
