package load

import "time"

// links chains a connection into a queue. The zero value is in none.
type links struct {
	prev, next int32 // slot + 1; 0: none
	at         int64 // when it is due
	in         *queue
}

// queue holds connections that each wait the same time: the first in is the
// first due. The links are in the connections, so it allocates nothing.
type queue struct {
	head, tail int32 // slot + 1; 0: empty
}

func (q *queue) push(conns []conn, i int32, at int64) {
	l := &conns[i].queue
	*l = links{prev: q.tail, at: at, in: q}
	if q.tail != 0 {
		conns[q.tail-1].queue.next = i + 1
	} else {
		q.head = i + 1
	}
	q.tail = i + 1
}

// remove takes slot i out; a connection that is in no queue is left alone.
func (q *queue) remove(conns []conn, i int32) {
	l := conns[i].queue
	if l.in != q {
		return
	}
	if l.prev != 0 {
		conns[l.prev-1].queue.next = l.next
	} else {
		q.head = l.next
	}
	if l.next != 0 {
		conns[l.next-1].queue.prev = l.prev
	} else {
		q.tail = l.prev
	}
	conns[i].queue = links{}
}

// first is the connection that is due next, and when.
func (q *queue) first(conns []conn) (i int32, at int64, ok bool) {
	if q.head == 0 {
		return 0, 0, false
	}
	return q.head - 1, conns[q.head-1].queue.at, true
}

// delay is a slot that is to be woken at a time of its own: ramp, think time,
// back-off.
type delay struct {
	at   int64
	slot int32
}

// delays is a heap of them, the soonest on top. A slot is in it at most once.
type delays []delay

func (h *delays) push(at int64, slot int32) {
	*h = append(*h, delay{at, slot})
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if s[up].at <= s[i].at {
			return
		}
		s[up], s[i] = s[i], s[up]
		i = up
	}
}

// pop takes the soonest out when it is due; at is when it was.
func (h *delays) pop(now int64) (slot int32, at int64, ok bool) {
	s := *h
	if len(s) == 0 || s[0].at > now {
		return 0, 0, false
	}
	slot, at = s[0].slot, s[0].at
	last := len(s) - 1
	s[0] = s[last]
	s = s[:last]
	*h = s
	for i := 0; ; {
		least := i
		for _, down := range [2]int{2*i + 1, 2*i + 2} {
			if down < len(s) && s[down].at < s[least].at {
				least = down
			}
		}
		if least == i {
			return slot, at, true
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
}

func dur(ns int64) time.Duration { return time.Duration(ns) }
