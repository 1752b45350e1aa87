package system

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
)

// listeners lists the processes that listen on the port; 0 stands for one that
// we may not look into. It reads /proc itself: gopsutil looks at all connections
// and takes a hundred times as long, and this is asked for around short loads.
func listeners(_ context.Context, port int) []int {
	wanted := map[string]bool{} // what descriptors of the sockets link to; true once an owner is found
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue // without IPv6 there is no second one
		}
		for line := range bytes.Lines(text) {
			if inode, ok := listening(line, port); ok {
				wanted["socket:["+inode+"]"] = false
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	var found []int
	for pid := range parents() {
		dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
		fds, err := os.Open(dir)
		if err != nil {
			continue
		}
		names, _ := fds.Readdirnames(-1) // what was read before an error stands
		fds.Close()
		for _, name := range names {
			link, err := os.Readlink(dir + name)
			if _, is := wanted[link]; is && err == nil {
				wanted[link] = true
				found = append(found, pid)
				break
			}
		}
	}
	slices.Sort(found)
	for _, owned := range wanted {
		if !owned {
			found = append(found, 0)
		}
	}
	return found
}

// listening takes the inode out of a line of /proc/net/tcp (proc(5)), where it is
// of a socket that listens on the port.
func listening(line []byte, port int) (inode string, ok bool) {
	f := strings.Fields(string(line))
	const listen = "0A" // TCP_LISTEN
	if len(f) < 10 || f[3] != listen {
		return "", false
	}
	_, hex, _ := strings.Cut(f[1], ":")
	n, err := strconv.ParseUint(hex, 16, 16)
	return f[9], err == nil && int(n) == port
}
