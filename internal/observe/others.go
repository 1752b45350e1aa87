package observe

import "matrix/internal/bench"

// Party is who takes part in a trial, beside this process and all that came of
// it. Everyone else is at other work.
type Party struct {
	// Server lists the server's processes as they are at the moment it is called,
	// from another goroutine; nil when they are not ours to look into.
	Server func() []int
	Apart  []int // processes of this host that serve without being ours; what came of them is taken with them
	Hidden bool  // the server works on this host, and its processes cannot be told from others'
}

// crowd accounts for the CPU time of all processes of a host, ours and others'.
// That of kernel threads is nobody's: they work for whoever causes it, as for the
// connections of the load.
type crowd struct {
	mine         map[int]int64 // our processes so far, and when they started: one that leaves its parent stays ours
	ours, others account
	lost         bool // we could not find ourselves
	all          bool // every process of the host can be seen
}

func (c *crowd) look(s Source, all map[int]process, apart []int) {
	self, ok := s.self()
	if !ok {
		c.lost = true
		return
	}
	belongs := family(all, append([]int{self}, apart...)...)
	mine, ours, others := map[int]int64{}, map[int]process{}, map[int]process{}
	for pid, p := range all {
		started, known := c.mine[pid]
		switch {
		case belongs[pid] || known && started == p.started:
			mine[pid], ours[pid] = p.started, p
		case !p.kernel:
			others[pid] = p
		}
	}
	// The kernel's first thread is seen where all processes are, and in no
	// container; an unprivileged user may be shown only those of the user's own.
	c.mine, c.all = mine, all[2].kernel
	c.ours.look(ours)
	c.others.look(others)
}

// tell fills in what is known of others' CPU time. Where their processes can be
// seen it is the sum of their own. Elsewhere it is what the host was busy with
// beyond us and interrupts, from which some of ours may have been taken twice:
// kernels differ in whether they charge interrupts to whom they interrupt. So it
// is a lower bound there, and a known one only where the server is among ours.
func (c *crowd) tell(o *bench.Observation, p Party, span cpuSpan) {
	if c.lost || p.Hidden {
		return
	}
	switch {
	case c.all:
		o.OthersCPU = new(c.others.sum().exact.Seconds())
	case p.Server != nil && span.accounted:
		const rounding, sampling = 3.0 / ticks, 0.03 // of counters, and of interrupts by many kernels
		o.OthersCPU = new(max(span.busy-span.interrupts-c.ours.sum().exact.Seconds(), 0))
		o.OthersCPUError = rounding + sampling*span.all
	}
}
