package load

import (
	"fmt"
	"hash"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
	"matrix/internal/load/wire"
)

const (
	grace      = int64(5 * time.Millisecond) // how long a server is given to close first
	graceTries = 3                           // after so many in vain it is no longer waited for
	maxBackoff = 5                           // doublings of a millisecond
	longestNap = int64(20 * time.Millisecond)
	lateAfter  = int64(time.Millisecond)

	// An answer that is there may wait for others for so long: see linger.
	leastLinger, mostLinger = int64(50 * time.Microsecond), int64(time.Millisecond)
	lingerShare, meanShare  = 10, 64
)

// thread is one engine thread: it shares its connections, timers and tally with
// nobody.
type thread struct {
	run   *run
	io    poll.Poller
	t     *tally
	conns []conn
	memo  wire.Memo // of the last head
	rand  *rand.Rand
	now   int64 // ns since the run began, as of the event being handled
	woke  int64 // when the first completion of this turn was handled; 0: none yet
	mean  int64 // running mean of service times, in ns
	addr  int32 // index of the address that took the last connection: tried first

	timeouts  queue  // requests in flight
	lingering queue  // answered; the server is let close first
	delays    delays // ramp, think time, back-off
	idle      []int32
	freed     int64 // since when there has been an idle connection
	pace      *pace // nil in a closed loop

	sums    []hash.Hash // to be used again
	sampled int
	vain    int // times in a row that the server was given grace and did not close

	warmEnd, end int64 // end is 0 without a duration, and until the warm-up is over
	counting     bool  // the warm-up is over
	spent        bool  // no request is left to be issued
}

// thread makes its share of the load and returns what it counted.
func (r *run) thread(id int) (*tally, error) {
	// The thread is never unlocked: it ends with the goroutine, and what the
	// kernel keeps for a thread that used a ring ends with it.
	runtime.LockOSThread()
	th := &thread{
		run: r, t: newTally(r.load), conns: make([]conn, r.slots(id)),
		rand:    rand.New(rand.NewPCG(r.load.Seed, uint64(id))),
		warmEnd: int64(r.load.Warmup),
	}
	for i := range th.conns {
		th.conns[i].resp.Memo = &th.memo
	}
	if r.load.Rate > 0 {
		th.pace = newPace(r.load, id, r.threads)
	}
	c := r.config
	c.Slots = len(th.conns)
	io, err := poll.New(r.backend, c, th.complete)
	if err != nil {
		return th.t, fmt.Errorf("opening %s: %w", r.backend, err)
	}
	th.io = io
	err = th.loop(id)
	th.abort()
	if err == nil {
		err = th.listen()
	}
	if shut := io.Close(); err == nil {
		err = shut
	}
	return th.t, err
}

func (th *thread) loop(id int) error {
	th.now = th.run.clock()
	th.count0()
	for i := range int32(len(th.conns)) {
		// Connection i of thread id is the (i * threads + id)th of all.
		at := int64(th.run.load.Ramp) * (int64(i)*int64(th.run.threads) + int64(id)) / int64(th.run.load.Conns)
		if at > 0 {
			th.delays.push(th.now+at, i)
		} else {
			th.next(i)
		}
	}
	th.arrivals()
	for !th.finished() {
		if err := th.io.Wait(dur(th.nap()), dur(th.linger())); err != nil {
			return fmt.Errorf("waiting for %s: %w", th.run.backend, err)
		}
		th.tick()
	}
	return nil
}

// count0 begins the measurement once the warm-up is over.
func (th *thread) count0() {
	if th.counting || th.now < th.warmEnd {
		return
	}
	th.counting = true
	th.run.count()
	th.t.zero = th.now
	th.spent = false
	if th.run.load.Duration > 0 {
		th.end = th.now + int64(th.run.load.Duration)
	}
	if th.pace != nil {
		th.pace.restart(th.now)
	}
}

func (th *thread) finished() bool {
	return th.run.stop.Load() || th.end > 0 && th.now >= th.end || th.spent && th.counting && th.t.inFlight == 0
}

// nap is how long the loop may sleep: until the next thing that is due. Being
// stopped is looked for between naps.
func (th *thread) nap() int64 {
	at := th.now + longestNap
	if _, due, ok := th.timeouts.first(th.conns); ok {
		at = min(at, due)
	}
	if _, due, ok := th.lingering.first(th.conns); ok {
		at = min(at, due)
	}
	if len(th.delays) > 0 {
		at = min(at, th.delays[0].at)
	}
	if th.pace != nil && len(th.idle) > 0 {
		at = min(at, th.pace.due())
	}
	if th.end > 0 {
		at = min(at, th.end)
	}
	if !th.counting {
		at = min(at, th.warmEnd)
	}
	return max(at-th.run.clock(), 0)
}

// linger is how long an answer may wait to be taken together with others.
// Sleeping and waking for each costs more than all the rest, here and, by the
// wake-ups, in the server. On average an answer waits half of this at most: a
// twentieth of the mean, or leastLinger / 2 where answers come within 500 us.
func (th *thread) linger() int64 {
	return min(max(th.mean/lingerShare, leastLinger), mostLinger)
}

// tick does what time alone makes due.
func (th *thread) tick() {
	th.now = th.run.clock()
	if th.woke > 0 {
		th.t.lag.Record(dur(th.now - th.woke))
		th.woke = 0
	}
	th.count0()
	for {
		i, at, ok := th.timeouts.first(th.conns)
		if !ok || at > th.now {
			break
		}
		th.lagged(at)
		th.failed(i, bench.Timeout, func() string { return fmt.Sprintf("no whole answer within %v", th.run.load.Timeout) })
	}
	for {
		i, at, ok := th.lingering.first(th.conns)
		if !ok || at > th.now {
			break
		}
		th.lagged(at)
		th.vain++
		th.timeoutsDone(i)
		th.shut(i)
		th.rest(i)
	}
	for {
		i, at, ok := th.delays.pop(th.now)
		if !ok {
			break
		}
		th.lagged(at)
		th.next(i)
	}
	th.arrivals()
	if th.counting && th.pace == nil && th.lingering.head == 0 && th.run.drained() {
		th.spent = true // what still pauses, or has yet to begin, would find nothing to do
	}
}

// lagged notes how late the loop came to what was due at at.
func (th *thread) lagged(at int64) { th.t.lag.Record(dur(th.now - at)) }

// timeoutsDone takes slot i out of whichever queue it waits in.
func (th *thread) timeoutsDone(i int32) {
	th.timeouts.remove(th.conns, i)
	th.lingering.remove(th.conns, i)
}

// impatient reports that the server has had its chances to close first.
func (th *thread) impatient() bool { return th.vain >= graceTries }

// rest lets slot i, whose request has ended, wait for as long as it must.
func (th *thread) rest(i int32) {
	c := &th.conns[i]
	pause := int64(th.run.load.Think)
	if c.phase == vacant && c.fails > 0 {
		pause = max(pause, int64(time.Millisecond)<<(c.fails-1))
	}
	if pause > 0 {
		th.delays.push(th.now+pause, i)
		return
	}
	th.next(i)
}

// next gives slot i its next request, when there is one.
func (th *thread) next(i int32) {
	if th.pace != nil {
		if len(th.idle) == 0 {
			th.freed = th.now
		}
		th.idle = append(th.idle, i)
		return
	}
	if th.run.stop.Load() || th.end > 0 && th.now >= th.end {
		return
	}
	ticket := int64(th.rand.Uint32())
	if th.counting {
		var ok bool
		if ticket, ok = th.run.ticket(); !ok {
			th.spent = true
			return
		}
	}
	th.issue(i, th.now, ticket)
}

// arrivals sends the requests of an open loop that are due.
func (th *thread) arrivals() {
	if th.pace == nil {
		return
	}
	for len(th.idle) > 0 && !th.pace.over() && th.pace.due() <= th.now {
		due, k := th.pace.due(), th.pace.take()
		if th.counting && th.now-due > lateAfter {
			th.t.late++
		}
		th.lagged(max(due, th.freed)) // before, no connection was free: not the loop's fault
		i := th.idle[len(th.idle)-1]
		th.idle = th.idle[:len(th.idle)-1]
		th.issue(i, due, k)
	}
	th.spent = th.pace.over()
}

// abort ends what is in flight: the time is up, or the run was stopped.
func (th *thread) abort() {
	th.now = th.run.clock()
	th.t.exhausted = th.spent
	for i := range th.conns {
		c := &th.conns[i]
		if c.phase == opening || c.phase == asking {
			if c.counted {
				th.t.aborted++
				th.t.body += c.resp.Body
				th.t.last = th.now
			}
			th.ended(int32(i))
		}
		if c.phase != idle {
			th.shut(int32(i))
		}
	}
	if th.pace != nil && th.end > 0 {
		th.t.dropped += th.pace.missed(min(th.now, th.end))
	}
}

// listen gives servers that said more than they were asked a moment to be found
// out: what now comes on an idle connection is an answer too many, and those
// before it on that connection may each have been taken for the next.
func (th *thread) listen() error {
	const moment = int64(2 * time.Millisecond)
	for until := th.run.clock() + moment; th.keepsIdle() && th.now < until; th.now = th.run.clock() {
		if err := th.io.Wait(dur(until-th.now), 0); err != nil {
			return fmt.Errorf("waiting for %s: %w", th.run.backend, err)
		}
	}
	return nil
}

// keepsIdle reports that an idle connection is open.
func (th *thread) keepsIdle() bool {
	return slices.ContainsFunc(th.conns, func(c conn) bool { return c.phase == idle })
}

// pick chooses one of the URLs.
func (th *thread) pick(ticket int64) int32 {
	n := int64(len(th.run.requests))
	switch {
	case n == 1:
		return 0
	case th.run.load.Pick == bench.PickInTurn:
		return int32(ticket % n)
	}
	return int32(th.rand.Int64N(n))
}
