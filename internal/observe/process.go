package observe

import (
	"bytes"
	"os"
	"strconv"
)

// ticks is the number of clock ticks in a second in which Linux tells CPU times
// to programs: USER_HZ, 100 on every architecture that Go runs on.
const ticks = 100

// process is what /proc/<pid>/stat tells.
type process struct {
	state        byte
	parent       int
	user, system int64 // ticks, of the process and of the children that it has reaped
	started      int64 // ticks since boot: with the pid, the identity of a process
	rss          int64 // bytes
}

// parseStat reads the one line of /proc/<pid>/stat (proc(5)). The name in
// parentheses is the program's own choice: it may hold spaces and parentheses.
func parseStat(line []byte) (p process, ok bool) {
	end := bytes.LastIndexByte(line, ')')
	if end < 0 {
		return p, false
	}
	f := bytes.Fields(line[end+1:]) // f[0] is field 3 of proc(5)
	if len(f) < 22 || len(f[0]) != 1 {
		return p, false
	}
	var n [22]int64
	for _, i := range []int{1, 11, 12, 13, 14, 19, 21} {
		if n[i], ok = number(f[i]); !ok {
			return p, false
		}
	}
	return process{
		state: f[0][0], parent: int(n[1]), user: n[11] + n[13], system: n[12] + n[14],
		started: n[19], rss: n[21] * int64(os.Getpagesize()),
	}, true
}

// processes reads those of the pids that are there.
func (s Source) processes(pids []int) map[int]process {
	all := make(map[int]process, len(pids))
	for _, pid := range pids {
		if p, ok := parseStat(s.read("proc", strconv.Itoa(pid), "stat")); ok {
			all[pid] = p
		}
	}
	return all
}

// account adds up the CPU time of a changing set of processes between looks.
// Parents take over the times of the children they reap; what was counted for a
// child already is then left out. It misses what a process did between the last
// look at it and its end when its parent is not in the set or ignores its end,
// and a process that came and went between two looks likewise.
type account struct {
	last         map[int]process
	user, system int64 // ticks
	rss          int64 // the most at one look, in bytes: pages that processes share count in each
	seen         bool
}

func (a *account) look(now map[int]process) {
	first := !a.seen
	a.seen = a.seen || len(now) > 0
	var rss, user, system int64
	for pid, p := range now {
		rss += p.rss
		before, known := a.last[pid]
		switch {
		case known && before.started == p.started:
			user, system = user+p.user-before.user, system+p.system-before.system
		case !first:
			user, system = user+p.user, system+p.system
		}
	}
	for pid, gone := range a.last {
		if p, still := now[pid]; still && p.started == gone.started {
			continue
		}
		if _, reaped := now[gone.parent]; reaped {
			user, system = user-gone.user, system-gone.system
		}
	}
	a.user, a.system = a.user+max(user, 0), a.system+max(system, 0)
	a.rss = max(a.rss, rss)
	a.last = now
}

// busy is the CPU time that the host did not idle, in ticks since boot.
func (s Source) busy() (int64, bool) {
	f := fields(s.read("proc", "stat"), "cpu ")
	if len(f) < 8 {
		return 0, false
	}
	var sum int64
	for i, word := range f[:8] { // user nice system idle iowait irq softirq steal
		n, ok := number(word)
		if !ok {
			return 0, false
		}
		if i != 3 && i != 4 && i != 7 { // steal is time in which nothing ran here
			sum += n
		}
	}
	return sum, true
}
