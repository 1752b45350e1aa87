package observe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// Work is what others are at on a host while nothing is measured.
type Work struct {
	Cores   int // 0: not known
	Taken   map[bench.Taker]bench.Taken
	Busiest []Worker // at most three of other processes, the busiest first
	Load1   *float64 // nil: not known
}

// Worker is a process at work.
type Worker struct {
	Name  string // its own choice: a stranger's words
	PID   int
	Cores float64 // how many it kept busy
}

// LookAround watches this host for a while, or until ctx ends.
func LookAround(ctx context.Context, d time.Duration) Work { return Local.LookAround(ctx, d) }

// LookAround watches the host for a while, or until ctx ends. All but this
// process and what came of it is others' work.
func (s Source) LookAround(ctx context.Context, d time.Duration) Work {
	nobody := func() []int { return nil }
	watch := s.Start(ctx, time.Hour, Party{Server: nobody})
	before := watch.crowd.others.last
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	o := watch.Stop()
	w := Work{Cores: watch.cpu.cores, Load1: o.After.Load1, Taken: map[bench.Taker]bench.Taken{}}
	one := []bench.Record{{Host: o}}
	for _, who := range bench.Takers {
		if t, ok := who.Of(one); ok {
			w.Taken[who] = t
		}
	}
	if o.HostCPU == nil {
		return w
	}
	for pid, p := range watch.crowd.others.last {
		if was := before[pid]; was.started == p.started {
			p.own = p.own.less(was.own)
		}
		const notable = 0.01 // of a core
		if busy := p.own.exact.Seconds() * float64(w.Cores) / *o.HostCPU; busy >= notable {
			w.Busiest = append(w.Busiest, Worker{p.name, pid, busy})
		}
	}
	slices.SortFunc(w.Busiest, func(a, b Worker) int {
		return cmp.Or(cmp.Compare(b.Cores, a.Cores), a.PID-b.PID)
	})
	w.Busiest = w.Busiest[:min(len(w.Busiest), 3)]
	return w
}

// Notes tell of work that would disturb measurements. A high load average is told
// by itself only where nothing says what is at work: it goes on for minutes after
// the work has ended, our own too.
func (w Work) Notes() (notes []bench.Note) {
	about := unit.Counted(w.Cores, "core")
	if w.Load1 != nil {
		about += fmt.Sprintf(", load average %.2f", *w.Load1)
	}
	for _, who := range bench.Takers {
		if n, is := who.Note(w.Taken[who]); is {
			notes = append(notes, bench.Note{Code: "busy-host", Text: n.Text + " (" + about + ")"})
		}
	}
	_, known := w.Taken[bench.Others].Share()
	above := over(bench.Host{Load1: w.Load1}, bench.CoolDown{TimeWait: -1, Load: bench.RestingLoad(w.Cores)})
	if !known && len(notes) == 0 && above != "" {
		notes = append(notes, bench.Note{Code: "busy-host", Text: above + ": other work is going on, or has just ended"})
	}
	return notes
}
