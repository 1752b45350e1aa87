package observe

import (
	"matrix/internal/bench"

	"github.com/shirou/gopsutil/v4/load"
)

func readLoad(s Source, h *bench.Host) {
	if avg, err := load.AvgWithContext(s.env()); err == nil {
		h.Load1 = &avg.Load1
	}
}
