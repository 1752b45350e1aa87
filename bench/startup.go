package main

// What the matrix command costs with nothing to do.

import (
	"context"
	"fmt"
	"os/exec"
)

// startup is what the command costs before and after the load itself: medians
// over several runs.
type startup struct {
	Command string  `json:"command"`
	CPUMS   float64 `json:"cpu_ms"`
	WallMS  float64 `json:"wall_ms"`
	MaxRSS  float64 `json:"max_rss_bytes"`
}

// startups measures the matrix command with next to nothing to do.
func (s *sweep) startups(ctx context.Context, matrix string, times int) ([]startup, error) {
	srv, err := s.start(ctx, serverCanned)
	if err != nil {
		return nil, err
	}
	defer srv.stop()
	var all []startup
	for _, args := range [][]string{{"version"}, {"bench", srv.URL + "/", "-n", "1", "--json"}} {
		var cpu, wall, rss []float64
		for range times {
			k, _, err := charge(ctx, exec.CommandContext(ctx, matrix, args...))
			if err != nil {
				return nil, fmt.Errorf("starting %s %s: %w", matrix, args[0], err)
			}
			cpu, wall, rss = append(cpu, k.cpu()*1e3), append(wall, k.WallS*1e3), append(rss, float64(k.MaxRSS))
		}
		all = append(all, startup{shown("matrix", args), spreadOf(cpu).Median, spreadOf(wall).Median, spreadOf(rss).Median})
	}
	return all, nil
}
