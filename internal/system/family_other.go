//go:build !linux

package system

import "github.com/shirou/gopsutil/v4/process"

// parents maps each process of this host to its parent.
func parents() map[int]int {
	found := map[int]int{}
	all, err := process.Pids()
	if err != nil {
		return nil
	}
	for _, pid := range all {
		if parent, err := (&process.Process{Pid: pid}).Ppid(); err == nil {
			found[int(pid)] = int(parent)
		}
	}
	return found
}
