package load

import (
	"os"
	"strconv"
	"strings"

	"matrix/internal/unit"
)

// preflight notes what of this machine will distort the figures.
func (r *run) preflight() {
	if len(r.config.Addrs) == 0 {
		return
	}
	low, high := portRange()
	ports := (high - low + 1) * max(len(r.config.Sources), 1)
	server := int(r.config.Addrs[0].Port())
	local := r.config.Addrs[0].Addr().IsLoopback()
	if ports > 0 && r.load.Conns > ports {
		r.note("ports", "%d connections need more than the %d local ports there are: name more source addresses", r.load.Conns, ports)
	}
	if waiting := timeWait(); !r.load.KeepAlive && ports > 0 && waiting > ports/2 {
		r.note("time-wait", "%d sockets were in TIME_WAIT before the first connection: local ports may run out", waiting)
	}
	if local && low <= server && server <= high {
		r.note("port-range", "the server's port %d lies within the range of local ports: connections may meet themselves", server)
	}
	if control := read("/proc/sys/net/ipv4/tcp_congestion_control"); local && control == "bbr" {
		r.note("congestion", "congestion control is bbr, which halves the throughput of large files over the loopback")
	}
}

func portRange() (low, high int) {
	n, ok := unit.ParseCounts(read("/proc/sys/net/ipv4/ip_local_port_range"), 2)
	if !ok || n[1] >= 1<<16 {
		return 0, -1
	}
	return int(n[0]), int(n[1])
}

// timeWait is the number of TCP sockets in TIME_WAIT; 0 when unknown.
func timeWait() int {
	for line := range strings.Lines(read("/proc/net/sockstat")) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "TCP:" {
			continue
		}
		for i := 1; i+1 < len(fields); i += 2 {
			if fields[i] == "tw" {
				n, _ := strconv.Atoi(fields[i+1])
				return n
			}
		}
	}
	return 0
}

func read(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
