package observe

import "matrix/internal/bench"

// readZombies looks at the state of every process, which is the one probe whose
// cost grows with the host: see pace of Watch.
func readZombies(g *glance, h *bench.Host) {
	all, zombies := g.processes(), 0
	for _, p := range all {
		if p.state == 'Z' {
			zombies++
		}
	}
	if len(all) > 0 {
		h.Zombies = &zombies
	}
}
