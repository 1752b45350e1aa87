package observe

import (
	"matrix/internal/bench"

	"github.com/shirou/gopsutil/v4/mem"
)

func readMemory(g *glance, h *bench.Host) {
	if m, err := mem.VirtualMemoryWithContext(g.env()); err == nil && m.Total > 0 {
		h.MemFree = new(int64(m.Available))
	}
}
