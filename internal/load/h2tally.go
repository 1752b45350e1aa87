package load

import (
	"fmt"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
)

// connected counts a connection that was made, or could not be.
func (g *group) connected(d poll.Done, took int64, counted bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if d.Err == nil {
		g.t.made++
	}
	if !counted {
		return
	}
	if d.Handshake {
		g.t.handshakes++
	}
	if d.Resumed {
		g.t.resumed++
	}
	if d.Err == nil {
		g.t.connect.Record(dur(took))
	}
}

// begins counts a slot that is about to make its first connection.
func (g *group) begins() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.t.tried++
}

// fail ends a request without an answer.
func (g *group) fail(now int64, s *stream, class bench.Failure, format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opens.closed(s)
	if s.counted {
		g.t.body += s.body
		g.t.fail(now, s.at, class, func() string { return fmt.Sprintf(format, args...) })
	}
}

// abort ends a request that the end of the run overtook.
func (g *group) abort(s *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opens.closed(s)
	if s.counted {
		g.t.aborted++
		g.t.body += s.body
		g.t.last = g.run.clock()
	}
}

// answered judges a whole answer.
func (g *group) answered(now int64, s *stream, keep bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opens.closed(s)
	if g.observe != nil {
		g.observe(s, now)
	}
	if !s.counted {
		return
	}
	g.t.status[min(max(s.status, 0), len(g.t.status)-1)]++
	g.t.body += s.body
	if keep {
		g.t.kept++
	}
	if class, message := judge(&g.run.requests[s.request], s.status, s.body, s.sum); class != "" {
		g.t.fail(now, s.at, class, message)
		return
	}
	g.t.success(now, s.at)
}

// again prepares a request for being sent again. It is counted once, however
// often that happens.
func (g *group) again(s *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opens.closed(s)
	s.status, s.body, s.length, s.at.first = 0, 0, -1, 0
	if s.sum != nil {
		s.sum.Reset()
	}
	if s.counted && !s.resent {
		g.t.retried++
	}
	s.resent = true
}

// served keeps the server's name.
func (g *group) served(name string) {
	if g.run.server.Load() == nil {
		g.run.server.CompareAndSwap(nil, &name)
	}
}

// stray hears of an answer that came without a request.
func (g *group) stray() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.counting {
		g.t.stray++
	}
}

// lagged notes how long a connection's loop was busy with what had come, in ns.
func (g *group) lagged(took int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.t.lag.Record(dur(took))
}

func (g *group) wire(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.counting {
		g.t.wire += n
	}
}

// held hears that a server takes no more than width streams at a time on a
// connection, where its settings allow limit. Answers tells whether it answered
// any.
func (g *group) held(limit, width int, answers bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.counting || !g.wants() {
		return
	}
	if limit < max(g.run.load.Streams, 1) {
		g.t.allowed = least(g.t.allowed, limit)
	}
	if width < limit && answers {
		g.t.taken = least(g.t.taken, width)
	}
}

// wentAway hears that a server ends a connection and has not looked at requests
// on it.
func (g *group) wentAway() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.t.away = g.t.away || g.counting
}

// opened hears that a request is on its stream.
func (g *group) opened(s *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opens.opened(s)
}

// took hears that a server has taken the streams from one id to another.
func (g *group) took(streams map[uint32]*stream, from, to uint32) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for ; from <= to; from++ {
		if s := streams[from]; s != nil {
			g.opens.took(s)
		}
	}
}

// refused hears that a stream was never open to the server.
func (g *group) refused(s *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opens.refused(s)
}
