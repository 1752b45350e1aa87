package load

import (
	"hash"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
	"matrix/internal/load/wire"
)

// phase is what a connection is about.
type phase uint8

const (
	vacant  phase = iota // no connection, no request
	idle                 // connected, no request
	opening              // a request waits for its connection
	asking               // a request waits for its answer
	closing              // the answer is whole; the server is let close first
)

// conn is a connection and the request it carries, if any.
type conn struct {
	resp    wire.Response
	at      attempt
	sum     hash.Hash // of a sampled body; nil: not sampled
	opened  int64     // when the connection was asked for
	queue   links     // in thread.timeouts or thread.lingering
	request int32     // index into run.requests
	addr    int32     // index of the address connected to, or tried
	fails   uint8     // connections in a row that could not be made
	tried   uint8     // addresses tried for this request
	phase   phase
	counted bool // the request belongs to the measurement, not to the warm-up
	reused  bool // the connection has answered before
	retried bool // the request has been sent twice
	sending bool // a long request is still on its way out
	unsent  bool // sending failed; an answer may still be there
}

// issue sends a request that was due at due on slot i.
func (th *thread) issue(i int32, due, ticket int64) {
	c := &th.conns[i]
	now := th.now
	c.at = attempt{due: due, start: now}
	c.request = th.pick(ticket)
	c.counted = th.counting
	c.retried, c.tried = false, 0
	th.t.begin(now, c.counted)
	th.timeouts.push(th.conns, i, now+th.run.timeout)
	th.sample(c)
	if c.phase == idle {
		c.reused = true
		th.send(i, poll.Send)
		return
	}
	c.addr = th.addr
	th.open(i)
}

// open makes slot i's connection. With a connection for each request, whose
// time includes the connecting, the request goes with it at once. Else it waits
// for the connection: its time begins when that stands, and no answer may be
// there by then.
func (th *thread) open(i int32) {
	c := &th.conns[i]
	c.reused = false
	c.opened = th.now
	c.phase = opening
	if th.run.load.KeepAlive {
		th.io.Submit(poll.Op{Verb: poll.Open, Slot: i, Addr: c.addr})
		return
	}
	th.send(i, poll.Open)
}

func (th *thread) send(i int32, verb poll.Verb) {
	c := &th.conns[i]
	if verb == poll.Send {
		c.phase = asking
	}
	c.at.first = 0
	c.unsent = false
	th.resetAnswer(c)
	data := th.run.requests[c.request].bytes
	c.sending = len(data) >= poll.Long
	th.io.Submit(poll.Op{Verb: verb, Slot: i, Addr: c.addr, Data: data})
}

func (th *thread) resetAnswer(c *conn) {
	head := th.run.load.Method == "HEAD"
	if c.sum == nil {
		c.resp.Reset(head, nil)
	} else {
		c.sum.Reset()
		c.resp.Reset(head, c.sum)
	}
	c.resp.KeepServer = th.run.server.Load() == nil
}

// complete is the poller's handler: one step on a slot is done.
func (th *thread) complete(d poll.Done) {
	th.now = th.run.clock()
	if th.woke == 0 {
		th.woke = th.now
	}
	switch c := &th.conns[d.Slot]; c.phase {
	case opening:
		th.connected(d)
	case asking:
		switch {
		case d.What == poll.Sent:
			th.sent(d)
		case d.Early && d.N > 0 || d.Unsent:
			th.early(d)
		default:
			th.received(d)
		}
	case closing:
		th.vain = 0
		th.timeoutsDone(d.Slot)
		th.shut(d.Slot)
		th.rest(d.Slot)
	case idle: // the server closed, or spoke out of turn
		if d.N > 0 {
			th.t.stray++
		}
		th.shut(d.Slot)
	}
}

func (th *thread) connected(d poll.Done) {
	c := &th.conns[d.Slot]
	if d.Handshake && c.counted {
		th.t.handshakes++
		if d.Resumed {
			th.t.resumed++
		}
	}
	if d.Err != nil {
		th.unconnected(d)
		return
	}
	c.phase = asking
	c.fails = 0
	th.t.made++
	th.addr = c.addr
	if c.counted {
		th.t.connect.Record(dur(th.now - c.opened))
	}
	if !th.run.load.KeepAlive {
		return
	}
	if !c.retried {
		if th.pace == nil {
			c.at.due = th.now
		}
		c.at.start = th.now
	}
	th.send(d.Slot, poll.Send)
}

// unconnected tries the next address, when there is one that this request has
// not tried.
func (th *thread) unconnected(d poll.Done) {
	c := &th.conns[d.Slot]
	class := classify(d)
	if c.tried++; class == bench.Connect && int(c.tried) < len(th.run.config.Addrs) {
		c.addr = (c.addr + 1) % int32(len(th.run.config.Addrs))
		th.shut(d.Slot)
		th.open(d.Slot)
		return
	}
	if class != bench.Reset {
		c.fails = min(c.fails+1, maxBackoff)
	}
	th.failed(d.Slot, class, func() string { return describe(d) })
}

// sent hears that a long request is out, or that a request could not be sent.
// Of a short one nothing has left then, so that it may be sent again whatever
// its method is. Else the server may yet have said why.
func (th *thread) sent(d poll.Done) {
	c := &th.conns[d.Slot]
	long := c.sending
	c.sending = false
	c.unsent = d.Err != nil
	if c.unsent && !long {
		th.resent(d.Slot)
	}
}

// failed counts the request on slot i as failed and drops its connection, so
// that late bytes never meet the next request.
func (th *thread) failed(i int32, class bench.Failure, message func() string) {
	c := &th.conns[i]
	if c.counted {
		th.t.body += c.resp.Body
		th.t.fail(th.now, c.at, class, message)
	}
	th.ended(i)
	th.shut(i)
	th.rest(i)
}

// ended takes the request off slot i.
func (th *thread) ended(i int32) {
	th.t.inFlight--
	th.timeoutsDone(i)
	c := &th.conns[i]
	if c.sum != nil {
		th.sums = append(th.sums, c.sum)
		c.sum = nil
	}
}

func (th *thread) shut(i int32) {
	th.conns[i].phase = vacant
	th.io.Submit(poll.Op{Verb: poll.Shut, Slot: i})
}
