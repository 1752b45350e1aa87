package observe

import "matrix/internal/bench"

// readSockets reads the kernel's own counters: counting the lines of
// /proc/net/tcp would take longer the more there is to see.
func readSockets(g *glance, h *bench.Host) {
	four := pairs(fields(g.read("proc", "net", "sockstat"), "TCP:"))
	if tw, ok := four["tw"]; ok {
		h.TimeWait = new(int(tw))
	}
	inuse, ok := four["inuse"]
	if !ok {
		return
	}
	inuse += pairs(fields(g.read("proc", "net", "sockstat6"), "TCP6:"))["inuse"]
	h.Sockets = new(int(inuse))
}

// pairs reads "inuse 5 orphan 0".
func pairs(words [][]byte) map[string]int64 {
	m := map[string]int64{}
	for i := 0; i+1 < len(words); i += 2 {
		if n, ok := number(words[i+1]); ok && n < 1<<31 {
			m[string(words[i])] = n
		}
	}
	return m
}
