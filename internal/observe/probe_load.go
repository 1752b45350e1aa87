package observe

import (
	"matrix/internal/bench"

	"github.com/shirou/gopsutil/v4/load"
)

func readLoad(g *glance, h *bench.Host) {
	if avg, err := load.AvgWithContext(g.env()); err == nil {
		h.Load1 = &avg.Load1
	}
}
