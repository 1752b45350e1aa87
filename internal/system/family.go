package system

import "github.com/shirou/gopsutil/v4/process"

// descendants lists the processes that come of pid, itself left out, zombies
// included.
func descendants(pid int) []int {
	all, err := process.Pids()
	if err != nil {
		return nil
	}
	children := map[int32][]int32{}
	for _, p := range all {
		if parent, err := (&process.Process{Pid: p}).Ppid(); err == nil {
			children[parent] = append(children[parent], p)
		}
	}
	var found []int
	for queue := children[int32(pid)]; len(queue) > 0; queue = queue[1:] {
		found = append(found, int(queue[0]))
		queue = append(queue, children[queue[0]]...)
	}
	return found
}
