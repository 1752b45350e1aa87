package system

import (
	"bytes"
	"os"
	"strconv"

	"matrix/internal/observe"
)

// parents maps each process of this host to its parent. It reads /proc itself:
// gopsutil needs several times as long, and this is asked for around each trial.
func parents() map[int]int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil
	}
	found := make(map[int]int, len(names))
	buf := make([]byte, 512) // the parent stands well before that
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if parent, ok := parentIn(observe.ReadStart("/proc/"+name+"/stat", buf)); ok {
			found[pid] = parent
		}
	}
	return found
}

// parentIn takes the parent out of a line such as "12 (a) b) S 1 ...": the name
// in brackets may hold anything, brackets too.
func parentIn(stat []byte) (int, bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}
