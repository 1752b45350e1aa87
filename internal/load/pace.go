package load

import "matrix/internal/bench"

// pace says when the requests of an open loop are due: request k at zero +
// k / rate, whatever became of the earlier ones. Thread id of n has every nth.
type pace struct {
	interval float64 // ns between two requests of the whole load
	zero     float64 // ns since the run began
	k        int64   // of this thread's next request
	step     int64
	first    int64
	budget   int64 // requests of the whole load; 0: no limit
	warming  bool
}

func newPace(l bench.Load, id, threads int) *pace {
	return &pace{interval: 1e9 / l.Rate, k: int64(id), first: int64(id), step: int64(threads), budget: l.Requests, warming: true}
}

// restart begins the measured schedule at now.
func (p *pace) restart(now int64) {
	p.zero, p.k, p.warming = float64(now), p.first, false
}

// due is when the next request is due, in ns since the run began.
func (p *pace) due() int64 { return p.dueOf(p.k) }

func (p *pace) dueOf(k int64) int64 {
	const never = 1 << 62
	return int64(min(p.zero+float64(k)*p.interval, never))
}

// take uses the next request up and returns its number.
func (p *pace) take() int64 {
	k := p.k
	p.k += p.step
	return k
}

// over reports that the budget is used up.
func (p *pace) over() bool { return !p.warming && p.budget > 0 && p.k >= p.budget }

// missed is the number of requests due before end that were never taken.
func (p *pace) missed(end int64) int64 {
	beyond := int64((float64(end)-p.zero)/p.interval) + 1 // the first that is not due by then, or near it
	for beyond > p.k && p.dueOf(beyond-1) >= end {
		beyond--
	}
	for p.dueOf(beyond) < end {
		beyond++
	}
	if !p.warming && p.budget > 0 {
		beyond = min(beyond, p.budget)
	}
	return max(beyond-p.k+p.step-1, 0) / p.step
}
