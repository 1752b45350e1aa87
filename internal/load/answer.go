package load

import (
	"matrix/internal/bench"
	"matrix/internal/load/poll"
	"matrix/internal/load/wire"
)

func (th *thread) received(d poll.Done) {
	c := &th.conns[d.Slot]
	if d.Err != nil {
		th.broken(d)
		return
	}
	if d.N > 0 && c.at.first == 0 {
		c.at.first = th.now
	}
	if c.counted {
		th.t.wire += int64(d.N)
	}
	if d.Data == nil {
		c.resp.Skip(int64(d.N))
	} else if n, err := c.resp.Feed(d.Data); err != nil {
		th.failed(d.Slot, bench.ProtocolError, err.Error)
		return
	} else if n < len(d.Data) {
		th.failed(d.Slot, bench.ProtocolError, func() string { return "bytes follow the answer" })
		return
	}
	th.proceed(d)
}

// proceed looks where the answer stands after the bytes of d.
func (th *thread) proceed(d poll.Done) {
	c := &th.conns[d.Slot]
	if d.End && !c.resp.Done() {
		if err := c.resp.End(); err == wire.ErrShort {
			th.failed(d.Slot, bench.Length, err.Error)
			return
		} else if err != nil {
			d.Err, d.Step = err, "recv"
			th.broken(d)
			return
		}
	}
	switch due := c.resp.Due(); {
	case c.resp.Done():
		th.answered(d.Slot, d.End)
	case due > discardFrom:
		th.io.Submit(poll.Op{Verb: poll.Discard, Slot: d.Slot, N: due})
	default:
		th.io.Submit(poll.Op{Verb: poll.Recv, Slot: d.Slot})
	}
}

// discardFrom is the number of body bytes from which they are thrown away in
// the kernel, unseen.
const discardFrom = 4 << 10

// broken handles a connection that ended or was reset before the answer was
// whole. On a connection that had answered before that may be the race with an
// idle close: see resent.
func (th *thread) broken(d poll.Done) {
	c := &th.conns[d.Slot]
	if th.idempotent() && th.resent(d.Slot) {
		return
	}
	long := len(th.run.requests[c.request].bytes) >= poll.Long
	if long && (c.unsent || c.sending) && c.at.first == 0 {
		th.failed(d.Slot, bench.Write, func() string { return "send: the server stopped reading" })
		return
	}
	th.failed(d.Slot, classify(d), func() string { return describe(d) })
}

// early handles what was there before the request was sent: bytes answer
// nothing that was asked. On a connection that had answered before, the request
// is sent again, once, over another.
func (th *thread) early(d poll.Done) {
	if d.N > 0 {
		th.t.stray++
	}
	if (d.Unsent || th.idempotent()) && th.resent(d.Slot) {
		return
	}
	if d.N == 0 {
		th.received(d)
		return
	}
	th.failed(d.Slot, bench.ProtocolError, func() string { return "the server sent bytes before it was asked" })
}

// idempotent reports that to ask twice does no harm.
func (th *thread) idempotent() bool { return wire.Idempotent(wire.Method(th.run.load)) }

// resent sends the request on slot i again over a new connection, if that is
// allowed: once, on a connection that had answered before, with no byte of an
// answer.
func (th *thread) resent(i int32) bool {
	c := &th.conns[i]
	if !c.reused || c.retried || c.at.first != 0 {
		return false
	}
	c.retried = true
	if c.counted {
		th.t.retried++
	}
	th.shut(i)
	th.open(i)
	return true
}

// answered judges a whole answer; ended says that the stream ended with it.
func (th *thread) answered(i int32, ended bool) {
	c := &th.conns[i]
	if c.resp.KeepServer && c.resp.Server != "" {
		name := c.resp.Server
		th.run.server.CompareAndSwap(nil, &name)
	}
	th.run.used.Store(c.addr)
	th.mean += (th.now - c.at.start - th.mean) / meanShare
	keep := c.resp.KeepAlive() && !ended && !c.sending && !c.unsent
	if c.counted {
		th.count(c)
	}
	th.ended(i)
	switch {
	case keep && th.run.load.KeepAlive:
		c.phase = idle
	case ended || c.sending || c.unsent || th.impatient():
		th.shut(i)
	default:
		c.phase = closing
		th.lingering.push(th.conns, i, th.now+grace)
		th.io.Submit(poll.Op{Verb: poll.Recv, Slot: i})
		return
	}
	th.rest(i)
}

// count adds a whole answer to the tally.
func (th *thread) count(c *conn) {
	th.t.status[min(c.resp.Status, len(th.t.status)-1)]++
	th.t.body += c.resp.Body
	if th.run.load.KeepAlive && c.resp.KeepAlive() {
		th.t.kept++
	}
	if class, message := judge(&th.run.requests[c.request], c.resp.Status, c.resp.Body, c.sum); class != "" {
		th.t.fail(th.now, c.at, class, message)
		return
	}
	th.t.success(th.now, c.at)
}
