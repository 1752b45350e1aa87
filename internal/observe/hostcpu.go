package observe

import (
	"bytes"
	"time"
)

// hostCPU is what a host has counted of the time of its cores since boot.
type hostCPU struct {
	at    time.Time
	cores int // that are in use
	// In ticks. Idle includes waiting for disks, in which nothing runs; steal is
	// time that the hypervisor gave to other guests.
	all, idle, interrupts, steal int64
}

// hostCPU reads /proc/stat (proc(5)); the zero value where there is none.
func (s Source) hostCPU() (h hostCPU) {
	text := s.read("proc", "stat")
	f := fields(text, "cpu ")
	if len(f) < 8 {
		return hostCPU{}
	}
	var n [8]int64 // user nice system idle iowait irq softirq steal
	for i := range n {
		var ok bool
		if n[i], ok = number(f[i]); !ok {
			return hostCPU{}
		}
		h.all += n[i]
	}
	h.at, h.idle, h.interrupts, h.steal = time.Now(), n[3]+n[4], n[5]+n[6], n[7]
	for line := range bytes.Lines(text) {
		if len(line) > 3 && bytes.HasPrefix(line, []byte("cpu")) && line[3] != ' ' {
			h.cores++
		}
	}
	return h
}

// cpuSpan is the time of all cores together between two moments, in seconds.
type cpuSpan struct {
	all float64 // 0: not known

	// What became of it; accounted is false where the host does not tell, as a
	// sandbox whose counters stand still, or too coarsely for so short a time.
	accounted               bool
	busy, interrupts, steal float64
}

// since is what became of the cores' time.
//
// What was busy is what was not idle: most kernels measure idling exactly, and
// the rest by what they find at work at each tick of a clock. That is wrong by a
// fifth of the machine where a load wakes up in time with the clock, as one at a
// fixed rate can.
func (h hostCPU) since(b hostCPU) (s cpuSpan) {
	if h.cores == 0 || h.cores != b.cores {
		return s
	}
	s.all = h.at.Sub(b.at).Seconds() * float64(h.cores)
	seconds := func(now, then int64) float64 { return float64(max(now-then, 0)) / ticks }
	const least, rounding = 10.0 / ticks, 3.0 / ticks
	if s.all < least || seconds(h.all, b.all) < s.all/2-rounding {
		return s
	}
	s.accounted, s.interrupts, s.steal = true, seconds(h.interrupts, b.interrupts), seconds(h.steal, b.steal)
	s.busy = min(max(s.all-seconds(h.idle, b.idle)-s.steal, 0), s.all)
	return s
}
