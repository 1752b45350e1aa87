package observe

import (
	"matrix/internal/bench"

	"github.com/shirou/gopsutil/v4/mem"
)

func readMemory(s Source, h *bench.Host) {
	if m, err := mem.VirtualMemoryWithContext(s.env()); err == nil && m.Total > 0 {
		h.MemFree = new(int64(m.Available))
	}
}
