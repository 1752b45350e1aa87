package load

import "slices"

// pending holds the requests of one slot for a connection that have no outcome
// yet. They outlast a connection: the next one takes up those that wait.
type pending struct {
	order   []*stream // the longest first; ended ones too, until they are looked at
	waiting []*stream // not sent, or refused and to be sent again, the longest first
	live    int       // requests without an outcome

	// refusals counts how often in a row the server refused streams or went away
	// from them, with no answer between. Streams that were open together count
	// once.
	refusals int
}

// add takes a request over that has just been issued.
func (p *pending) add(o *stream) {
	p.live++
	p.line(o)
	p.wait(o)
}

// wait queues a request for a stream. What has waited longer goes first, so that
// a server that takes only a few at a time takes each at some time.
func (p *pending) wait(o *stream) { p.waiting = insert(p.waiting, o) }

// line puts a request into the order. Ended ones behind one that hangs are taken
// out when they have become many.
func (p *pending) line(o *stream) {
	const few = 64
	if len(p.order) > 2*p.live+few {
		p.order = slices.DeleteFunc(p.order, func(o *stream) bool { return o.ended })
	}
	p.order = insert(p.order, o)
}

func insert(all []*stream, o *stream) []*stream {
	i := len(all)
	for i > 0 && all[i-1].at.start > o.at.start {
		i--
	}
	return slices.Insert(all, i, o)
}

// end takes a request out that has its outcome.
func (p *pending) end(o *stream) {
	if !o.ended {
		o.ended = true
		p.live--
	}
}

// first is the request that has been under way for the longest; nil: there is
// none.
func (p *pending) first() *stream {
	for len(p.order) > 0 && p.order[0].ended {
		p.order = p.order[1:]
	}
	if len(p.order) == 0 {
		return nil
	}
	return p.order[0]
}

// next is the request to be sent next; nil: none waits.
func (p *pending) next() *stream {
	for len(p.waiting) > 0 && p.waiting[0].ended {
		p.waiting = p.waiting[1:]
	}
	if len(p.waiting) == 0 {
		return nil
	}
	return p.waiting[0]
}

// backoff is for how long, in ns, nothing is sent to a server that has refused
// all that it was sent.
func (p *pending) backoff() int64 { return int64(1e6) << min(max(p.refusals-1, 0), maxBackoff) }
