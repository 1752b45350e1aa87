package observe

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// ticks is the number of clock ticks in a second in which Linux tells CPU times
// to programs: USER_HZ, 100 on every architecture that Go runs on.
const ticks = 100

// process is what /proc/<pid>/stat tells.
type process struct {
	name        string // the program's own choice: a stranger's words
	state       byte
	parent      int
	kernel      bool  // a thread of the kernel, not a program
	own, reaped spent // of all threads, ended ones included; and of the children that it has waited for, with theirs
	started     int64 // ticks since boot: with the pid, the identity of a process
	rss         int64 // bytes
}

// spent is CPU time.
type spent struct {
	user, system int64         // ticks, each rounded down
	exact        time.Duration // of both together, as exactly as is known
}

func ticked(user, system int64) spent {
	return spent{user, system, time.Duration(user+system) * time.Second / ticks}
}

func (s spent) plus(o spent) spent {
	return spent{s.user + o.user, s.system + o.system, s.exact + o.exact}
}

// less is what is left of s without o, never below 0.
func (s spent) less(o spent) spent {
	return spent{max(s.user-o.user, 0), max(s.system-o.system, 0), max(s.exact-o.exact, 0)}
}

// parseStat reads the one line of /proc/<pid>/stat (proc(5)). The name in
// parentheses is the program's own choice: it may hold spaces and parentheses.
func parseStat(line []byte) (p process, ok bool) {
	begin, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if begin < 0 || end < begin {
		return p, false
	}
	f := bytes.Fields(line[end+1:]) // f[0] is field 3 of proc(5)
	if len(f) < 22 || len(f[0]) != 1 {
		return p, false
	}
	var n [22]int64
	for _, i := range []int{1, 6, 11, 12, 13, 14, 19, 21} {
		if n[i], ok = number(f[i]); !ok {
			return p, false
		}
	}
	const kernelThread = 0x00200000 // PF_KTHREAD
	return process{
		name: string(line[begin+1 : end]), state: f[0][0], parent: int(n[1]), kernel: n[6]&kernelThread != 0,
		own: ticked(n[11], n[12]), reaped: ticked(n[13], n[14]),
		started: n[19], rss: n[21] * int64(os.Getpagesize()),
	}, true
}

// processes reads all that there are; none where the system has no /proc.
func (s Source) processes() map[int]process {
	dir, err := os.Open(s.path("proc"))
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	all := make(map[int]process, len(names))
	buf := make([]byte, 1024) // a line has fifty numbers at most, and a short name
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		p, ok := parseStat(ReadStart(dir.Name()+"/"+name+"/stat", buf))
		if !ok {
			continue
		}
		if s.clock != nil {
			if t, ok := s.clock(pid); ok {
				p.own.exact = t
			}
		}
		all[pid] = p
	}
	return all
}

// self is this process as the source numbers it; false where it numbers
// processes otherwise than the system does, as with the /proc of another
// namespace.
func (s Source) self() (int, bool) {
	link, err := os.Readlink(s.path("proc", "self"))
	if err != nil {
		return 0, false
	}
	pid, err := strconv.Atoi(link)
	return pid, err == nil && (s.clock == nil || pid == os.Getpid())
}

// family are the roots and all that came of them.
func family(all map[int]process, roots ...int) map[int]bool {
	known := make(map[int]bool, len(all))
	for _, pid := range roots {
		known[pid] = true
	}
	for pid := range all {
		var path []int
		belongs, seen := known[pid]
		for p := pid; !seen; belongs, seen = known[p] {
			path = append(path, p)
			known[p] = false // until its end is reached; ends a circle of parents that changed meanwhile
			p = all[p].parent
			if p == 0 {
				break
			}
		}
		for _, p := range path {
			known[p] = belongs
		}
	}
	return known
}
