package observe

import (
	"cmp"
	"context"
	"sync"
	"time"

	"matrix/internal/bench"
)

// Watch follows a host while a trial runs.
type Watch struct {
	source Source
	party  Party
	stop   context.CancelFunc
	done   sync.WaitGroup

	seen   bench.Observation // until Stop, of the following goroutine
	server account
	crowd  crowd
	cpu    hostCPU
}

// Start begins a Watch of this host.
func Start(ctx context.Context, every time.Duration, p Party) *Watch {
	return Local.Start(ctx, every, p)
}

// Start looks at the host now, and from then on about once in every, until Stop
// or the end of ctx.
func (s Source) Start(ctx context.Context, every time.Duration, p Party) *Watch {
	w := &Watch{source: s, party: p}
	w.cpu = s.hostCPU() // before the look, as in Stop: the time between is the same
	w.seen.Before = w.look()
	ctx, w.stop = context.WithCancel(ctx)
	w.done.Go(func() { w.follow(ctx, every) })
	return w
}

// Stop looks once more and returns all that was seen. The peaks are over every
// look, the first and the last included, so that a trial shorter than the time
// between two looks has some.
func (w *Watch) Stop() bench.Observation {
	w.stop()
	w.done.Wait()
	cpu := w.source.hostCPU()
	w.seen.After = w.look()
	if w.server.seen {
		w.seen.ServerCPUUser = new(float64(w.server.sum().user) / ticks)
		w.seen.ServerCPUSystem = new(float64(w.server.sum().system) / ticks)
		w.seen.ServerMaxRSS = new(w.server.rss)
	}
	span := cpu.since(w.cpu)
	if span.all > 0 {
		w.seen.HostCPU = new(span.all)
	}
	if span.accounted {
		w.seen.HostCPUBusy, w.seen.HostCPUSteal = new(span.busy), new(span.steal)
	}
	w.crowd.tell(&w.seen, w.party, span)
	return w.seen
}

func (w *Watch) follow(ctx context.Context, every time.Duration) {
	wait := max(every, time.Millisecond)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		began := time.Now()
		w.look()
		wait = pace(every, time.Since(began))
	}
}

// pace is the time to the next look: with thousands of processes a look takes
// long, and must not take more than a fiftieth of a core from what is measured.
func pace(every, cost time.Duration) time.Duration {
	return max(every, 50*cost, time.Millisecond)
}

func (w *Watch) look() bench.Host {
	g := w.source.glance()
	h := g.sample()
	w.seen.Peak = peak(w.seen.Peak, h)
	if w.party.Server != nil {
		w.server.look(g.only(w.party.Server()))
	}
	w.crowd.look(w.source, g.processes(), w.party.Apart)
	return h
}

// peak joins two conditions: the greater of each figure, of free memory the less.
func peak(a, b bench.Host) bench.Host {
	return bench.Host{
		Load1: greater(a.Load1, b.Load1), Zombies: greater(a.Zombies, b.Zombies),
		TimeWait: greater(a.TimeWait, b.TimeWait), Sockets: greater(a.Sockets, b.Sockets),
		MemFree: less(a.MemFree, b.MemFree),
	}
}

func greater[T cmp.Ordered](a, b *T) *T {
	if a == nil || (b != nil && *b > *a) {
		return b
	}
	return a
}

func less[T cmp.Ordered](a, b *T) *T {
	if a == nil || (b != nil && *b < *a) {
		return b
	}
	return a
}
