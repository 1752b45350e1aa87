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
	pids   func() []int
	stop   context.CancelFunc
	done   sync.WaitGroup

	seen    bench.Observation // until Stop, of the following goroutine
	account account
	busy    int64
	hasBusy bool
}

// Start begins a Watch of this host.
func Start(ctx context.Context, every time.Duration, pids func() []int) *Watch {
	return Local.Start(ctx, every, pids)
}

// Start looks at the host now, and from then on about once in every, until Stop
// or the end of ctx. pids lists the processes of the server as they are at the
// moment it is called, from another goroutine; nil when they are not ours to
// look into.
func (s Source) Start(ctx context.Context, every time.Duration, pids func() []int) *Watch {
	w := &Watch{source: s, pids: pids}
	w.seen.Before = w.look()
	w.busy, w.hasBusy = s.busy()
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
	w.seen.After = w.look()
	if w.account.seen {
		w.seen.ServerCPUUser = new(float64(w.account.user) / ticks)
		w.seen.ServerCPUSystem = new(float64(w.account.system) / ticks)
		w.seen.ServerMaxRSS = new(w.account.rss)
	}
	if busy, ok := w.source.busy(); ok && w.hasBusy {
		w.seen.HostCPUBusy = new(float64(max(busy-w.busy, 0)) / ticks)
	}
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
	h := w.source.Sample()
	w.seen.Peak = peak(w.seen.Peak, h)
	if w.pids != nil {
		w.account.look(w.source.processes(w.pids()))
	}
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
