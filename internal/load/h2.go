package load

import (
	"context"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2/hpack"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
	"matrix/internal/load/wire"
)

// group is what the HTTP/2 connections of one thread share. Each connection
// has a goroutine of its own; the tally is theirs in turn.
type group struct {
	run    *run
	fields [][]hpack.HeaderField // of each request

	mu       sync.Mutex
	t        *tally
	rand     *rand.Rand
	pace     *pace // nil in a closed loop
	end      int64 // 0: none, or still warming up
	counting bool
	spent    bool
	sampled  int
	source   int
	wires    map[*h2conn]net.Conn // those that may be writing
	opens    opens

	// Changed by tests: how connections are made, for how many frames a server
	// may bring no request on, and what hears of each answer (nil: nothing).
	dial     func(context.Context, *poll.Config, int32, netip.Addr) (net.Conn, poll.Done)
	mostIdle int
	observe  func(*stream, int64)
}

// threadH2 is thread for HTTP/2.
func (r *run) threadH2(id int) (*tally, error) {
	return newGroup(r, id).work(id), nil
}

func newGroup(r *run, id int) *group {
	g := &group{run: r, t: newTally(r.load), rand: rand.New(rand.NewPCG(r.load.Seed, uint64(id))), wires: map[*h2conn]net.Conn{}, dial: poll.Dial, mostIdle: mostIdle}
	for i := range r.requests {
		g.fields = append(g.fields, pseudo(&r.requests[i], r.load))
	}
	if r.load.Rate > 0 {
		g.pace = newPace(r.load, id, r.threads)
	}
	return g
}

// work makes the group's share of the load and returns what it counted.
func (g *group) work(id int) *tally {
	r := g.run
	g.phase()
	var wg sync.WaitGroup
	for i := range r.slots(id) {
		at := time.Duration(int64(r.load.Ramp) * int64(i*r.threads+id) / int64(r.load.Conns))
		var first *stream
		if at == 0 && g.pace == nil { // one for each, however soon the others begin
			first, _ = g.take()
		}
		wg.Go(func() { newH2Conn(g).run(at, first) })
	}
	done := make(chan struct{})
	go g.cutWrites(done)
	wg.Wait()
	close(done)
	g.t.exhausted = g.spent
	g.t.peak = g.opens.peak
	if g.pace != nil && g.end > 0 {
		g.t.dropped += g.pace.missed(min(r.clock(), g.end))
	}
	return g.t
}

// pseudo lists a request's fields as HTTP/2 has them: the request line as
// pseudo-fields, names in lower case, nothing that speaks of the connection.
func pseudo(q *request, l bench.Load) []hpack.HeaderField {
	authority := wire.Host(q.url)
	var rest []hpack.HeaderField
	for _, h := range wire.Header(q.url, l) {
		switch name := strings.ToLower(h.Name); name {
		case "host":
			authority = h.Value
		case "connection", "keep-alive", "transfer-encoding", "upgrade", "proxy-connection":
		default:
			rest = append(rest, hpack.HeaderField{Name: name, Value: h.Value, Sensitive: name == "authorization" || name == "cookie"})
		}
	}
	return append([]hpack.HeaderField{
		{Name: ":method", Value: wire.Method(l)},
		{Name: ":scheme", Value: q.url.Scheme},
		{Name: ":authority", Value: authority},
		{Name: ":path", Value: q.url.RequestURI()},
	}, rest...)
}

// phase ends the warm-up when it is time. The caller holds the lock, or is
// alone.
func (g *group) phase() {
	now := g.run.clock()
	if g.counting || now < int64(g.run.load.Warmup) {
		return
	}
	g.counting = true
	g.run.count()
	g.t.zero = now
	if g.run.load.Duration > 0 {
		g.end = now + int64(g.run.load.Duration)
	}
	if g.pace != nil {
		g.pace.restart(now)
	}
}

// stopped reports that nothing more is to be issued or waited for. The warm-up
// ends here too, for while no answer comes nothing is taken.
func (g *group) stopped() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.phase()
	return g.run.stop.Load() || g.end > 0 && g.run.clock() >= g.end
}

// take issues the next request when one is due. Otherwise at is when to ask
// again; 0 when no request is left.
func (g *group) take() (s *stream, at int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.phase()
	now := g.run.clock()
	due, ticket := now, int64(g.rand.Uint32())
	switch {
	case g.spent || g.run.stop.Load() || g.end > 0 && now >= g.end:
		return nil, 0
	case g.pace != nil && g.pace.over():
		g.spent = true
		return nil, 0
	case g.pace != nil && g.pace.due() > now:
		return nil, g.pace.due()
	case g.pace != nil:
		due, ticket = g.pace.due(), g.pace.take()
		if g.counting && now-due > lateAfter {
			g.t.late++
		}
	case g.counting:
		var ok bool
		if ticket, ok = g.run.ticket(); !ok {
			g.spent = true
			return nil, 0
		}
	}
	s = &stream{at: attempt{due: due, start: now}, counted: g.counting, length: -1}
	s.request = g.pick(ticket)
	g.sample(s)
	if s.counted {
		g.t.issue(now)
	}
	return s, 0
}

// wants reports that a request would be issued now if there were room for it.
func (g *group) wants() bool {
	if g.pace != nil {
		return !g.spent && g.pace.due() <= g.run.clock()
	}
	return !g.spent && !g.run.drained()
}

func (g *group) pick(ticket int64) int {
	n := len(g.run.requests)
	if g.run.load.Pick == bench.PickInTurn {
		return int(ticket % int64(n))
	}
	return g.rand.IntN(n)
}

func (g *group) sample(s *stream) {
	if digested(g.run.load, &g.run.requests[s.request], g.sampled) {
		s.sum = newDigest()
	}
	g.sampled++
}
