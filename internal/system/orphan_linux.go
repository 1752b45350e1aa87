package system

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"matrix/internal/observe"
)

// find lists the processes of the guard's session, and those with its mark, that
// are still alive. This process is none of them.
func (k kin) find() (found []int) {
	for pid := range parents() {
		if pid == os.Getpid() {
			continue
		}
		stat := observe.ReadStart(fmt.Sprintf("/proc/%d/stat", pid), make([]byte, 512))
		if state, session, ok := sessionIn(stat); !ok || state == 'Z' || state == 'X' {
			continue
		} else if session == k.Guard {
			found = append(found, pid)
			continue
		}
		if environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err == nil && marked(environ, k.Mark) {
			found = append(found, pid)
		}
	}
	return found
}

// sessionIn takes state and session out of a line such as "12 (a) S 1 12 12 ...".
func sessionIn(stat []byte) (state byte, session int, ok bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 4 {
		return 0, 0, false
	}
	session, err := strconv.Atoi(string(fields[3]))
	return fields[0][0], session, err == nil
}

func alive(pid int) bool {
	state, _, ok := sessionIn(observe.ReadStart(fmt.Sprintf("/proc/%d/stat", pid), make([]byte, 512)))
	return ok && state != 'Z'
}

func kill(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }

// bootID tells this start of the machine from others, after which numbers of
// processes mean something else.
var bootID = sync.OnceValue(func() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
})

func mine(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
