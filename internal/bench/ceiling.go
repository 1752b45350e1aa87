package bench

import (
	"fmt"
	"math"
	"time"
)

// Ceiling is what the built-in engine can do at most on one machine, measured
// against a server that does next to nothing.
type Ceiling struct {
	Host     string         `json:"host"` // fingerprint of the machine and the program: a ceiling holds for no other
	Measured time.Time      `json:"measured"`
	Points   []CeilingPoint `json:"points"`
}

// CeilingPoint is the ceiling for one sort of load.
type CeilingPoint struct {
	KeepAlive            bool    `json:"keep_alive"`
	SizeBytes            int64   `json:"size_bytes"`
	Concurrency          int     `json:"concurrency"`
	RequestsPerSecond    float64 `json:"requests_per_second"`     // as measured, the server sharing the machine
	RequestsPerCPUSecond float64 `json:"requests_per_cpu_second"` // of the engine's own CPU time
	EngineThreads        int     `json:"engine_threads"`
	Most                 float64 `json:"ceiling_requests_per_second"` // RequestsPerCPUSecond x EngineThreads
}

// closeTo is the share of the ceiling from which on a rate may be the engine's
// limit rather than the server's.
const closeTo = 0.8

// Note tells when the rate of a measurement is so near to the ceiling of its
// sort of load that it may be the engine's limit; false when it is not, or when
// no point of the ceiling is like the load.
func (c Ceiling) Note(l Load, size int64, m Measurement) (Note, bool) {
	p, ok := c.nearest(l.KeepAlive, size)
	if !ok || m.Elapsed <= 0 || m.Backend == "" {
		return Note{}, false
	}
	rate := float64(m.OK) / m.Elapsed.Seconds()
	p.Most *= float64(max(l.Generators, 1)) // each has as many threads
	if rate < closeTo*p.Most {
		return Note{}, false
	}
	return Note{Code: "near-ceiling", Text: fmt.Sprintf("%.0f requests per second are %.0f %% of what the engine was calibrated to on this machine: a lower bound",
		rate, 100*rate/p.Most)}, true
}

// nearest is the point of the same connection mode whose size is nearest, by
// ratio; none when it is more than four times as large or small.
func (c Ceiling) nearest(keepAlive bool, size int64) (best CeilingPoint, ok bool) {
	least := math.Log(4)
	for _, p := range c.Points {
		d := math.Abs(math.Log(float64(size+1) / float64(p.SizeBytes+1)))
		if p.KeepAlive == keepAlive && p.Most > 0 && d <= least {
			best, ok, least = p, true, d
		}
	}
	return best, ok
}
