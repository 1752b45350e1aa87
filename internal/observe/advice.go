package observe

import (
	"fmt"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// Advice tells what about a host is likely to limit or disturb measurements.
func Advice(h bench.HostInfo) []bench.Note {
	var notes []bench.Note
	add := func(is bool, code, format string, args ...any) {
		if is {
			notes = append(notes, bench.Note{Code: code, Text: fmt.Sprintf(format, args...)})
		}
	}
	const files = 10240
	add(h.OpenFiles[1] > 0 && h.OpenFiles[1] < files, "few-open-files",
		"at most %d files can be open: cells with more connections fail (raise it with ulimit -n, or LimitNOFILE= of systemd)", h.OpenFiles[1])
	backlog, ok := number([]byte(h.Sysctls["net.core.somaxconn"]))
	add(ok && backlog < 1024, "short-backlog",
		"net.core.somaxconn is %d: more connections than that at once are dropped and tried again after a second", backlog)
	if low, high, ok := portRange(h.Sysctls["net.ipv4.ip_local_port_range"]); ok {
		n := high - low + 1
		add(n < 20000, "few-ports", "only %d local ports (net.ipv4.ip_local_port_range): loads without keep-alive can run out of them", n)
	}
	add(h.Sysctls["net.ipv4.tcp_tw_reuse"] == "0", "no-port-reuse",
		"net.ipv4.tcp_tw_reuse is 0: a local port rests for a minute after each connection, so loads without keep-alive can run out of them")
	add(h.Sysctls["net.ipv4.tcp_congestion_control"] == "bbr", "congestion",
		"congestion control is bbr, which halves the throughput of large files over the loopback: compare with sysctl net.ipv4.tcp_congestion_control=cubic")
	add(h.Cores == 1, "one-core", "there is one core: server and load generator take it from each other")
	add(h.Virtualised != "", "virtualised", "this host is virtual (%s): what its neighbours do can show in the figures", h.Virtualised)
	return notes
}

func portRange(text string) (low, high int, ok bool) {
	n, ok := unit.ParseCounts(text, 2)
	if !ok || n[0] == 0 || n[1] < n[0] || n[1] >= 1<<16 {
		return 0, 0, false
	}
	return int(n[0]), int(n[1]), true
}
