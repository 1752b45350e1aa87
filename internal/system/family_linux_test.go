package system

import (
	"os"
	"slices"
	"testing"

	"github.com/shirou/gopsutil/v4/process"
)

func TestParentIn(t *testing.T) {
	for stat, want := range map[string]int{
		"12 (nginx) S 34 1 1": 34, "12 (a) b) R) Z 5 1": 5, "": -1, "12 (x": -1, "12 (x) S": -1, "12 (x) S y": -1, ")": -1,
	} {
		got, ok := parentIn([]byte(stat))
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", stat, got, want)
		}
	}
}

// Our own reading of /proc agrees with gopsutil's on what does not change.
func TestParentsAgreeWithGopsutil(t *testing.T) {
	got := parents()
	for _, pid := range []int{1, os.Getppid(), os.Getpid()} {
		want, err := (&process.Process{Pid: int32(pid)}).Ppid()
		if err != nil || got[pid] != int(want) {
			t.Errorf("parent of %d: %d, want %d (%v)", pid, got[pid], want, err)
		}
	}
	if !slices.Contains(descendants(os.Getppid()), os.Getpid()) {
		t.Errorf("%d is not among the descendants of its parent", os.Getpid())
	}
}
