package load

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
)

// Run makes the load and returns what came of it. Bad answers, dead servers and
// the engine's own want of descriptors or ports are counted in the measurement;
// an error means that the load contradicts itself or that the engine could not
// work at all. When ctx ends, what is in flight is counted as aborted and the
// measurement so far is returned without an error.
func Run(ctx context.Context, l bench.Load) (bench.Measurement, error) {
	r, err := prepare(ctx, l)
	if err != nil {
		var unknown *lookupError
		if errors.As(err, &unknown) {
			return unresolved(l, unknown), nil
		}
		return bench.Measurement{}, err
	}
	r.preflight()
	restore, err := limitFiles(r)
	if err != nil {
		return bench.Measurement{}, err
	}
	defer restore()
	defer moreProcs(r.threads)()
	defer quiet()()
	r.before = startCost()
	r.begin = time.Now()
	defer context.AfterFunc(ctx, func() { r.stop.Store(true) })()

	tallies, err := r.spread()
	if err != nil && l.Backend == "" && r.backend == poll.Uring && unused(tallies) {
		// What the probe could do a moment ago, the kernel may refuse to many.
		r.note("back-end", "io_uring gave up: %v", err)
		r.backend = poll.Epoll
		r.stop.Store(false)
		if ctx.Err() != nil { // looked at afterwards: it may have ended just now
			r.stop.Store(true)
		}
		tallies, err = r.spread()
	}
	if err != nil {
		return bench.Measurement{}, err
	}
	return r.sum(tallies), nil
}

// unused reports that no thread sent a request that counts.
func unused(tallies []*tally) bool {
	for _, t := range tallies {
		if t.first >= 0 {
			return false
		}
	}
	return true
}

// run is what the threads of a run share: read only, but for the atomics.
type run struct {
	load     bench.Load // with defaults filled in
	requests []request
	config   poll.Config // Slots is each thread's own
	backend  string
	threads  int
	begin    time.Time
	timeout  int64 // ns
	notes    []bench.Note

	tickets atomic.Int64 // requests issued so far, warm-up apart
	stop    atomic.Bool
	server  atomic.Pointer[string]
	used    atomic.Int32 // index of the address that answered last

	before spent     // when the first thread began to count
	began  sync.Once // guards it while the threads run
}

// count hears that a thread begins to count: what was spent on the warm-up is no
// part of the measurement.
func (r *run) count() {
	if r.load.Warmup > 0 {
		r.began.Do(func() { r.before = startCost() })
	}
}

// ticket numbers the next request; false when the budget is spent.
func (r *run) ticket() (int64, bool) {
	k := r.tickets.Add(1) - 1
	return k, r.load.Requests == 0 || k < r.load.Requests
}

// drained reports that no ticket is left.
func (r *run) drained() bool { return r.load.Requests > 0 && r.tickets.Load() >= r.load.Requests }

// clock is the time in nanoseconds since the run began.
func (r *run) clock() int64 { return int64(time.Since(r.begin)) }

// spread runs the threads and returns the tally of each. A thread that cannot
// work stops the others.
func (r *run) spread() ([]*tally, error) {
	tallies := make([]*tally, r.threads)
	errs := make([]error, r.threads)
	var wg sync.WaitGroup
	work := r.thread
	if isH2(r.load.Protocol) {
		work = r.threadH2
	}
	for id := range r.threads {
		wg.Go(func() {
			tallies[id], errs[id] = work(id)
			if errs[id] != nil {
				r.stop.Store(true)
			}
		})
	}
	wg.Wait()
	return tallies, errors.Join(errs...)
}

// slots is thread id's part of the connections.
func (r *run) slots(id int) int {
	n := r.load.Conns / r.threads
	if id < r.load.Conns%r.threads {
		n++
	}
	return n
}

// quiet keeps a timer pending until stop is called. The Go scheduler then has a
// thread asleep in its network poller; with none there, each time it takes a
// processor from an engine thread that waits in the kernel it would wake one to
// look, a thousand times a second, for nothing.
func quiet() (stop func() bool) {
	const never = 365 * 24 * time.Hour
	return time.AfterFunc(never, func() {}).Stop
}

// moreProcs makes room for the engine's threads beside the rest of the program.
func moreProcs(threads int) (restore func()) {
	before := runtime.GOMAXPROCS(0)
	if before > threads {
		return func() {}
	}
	runtime.GOMAXPROCS(threads + 1)
	return func() { runtime.GOMAXPROCS(before) }
}
