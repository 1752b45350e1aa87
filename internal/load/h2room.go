package load

// room says how many streams a connection may have open at a time: as many as
// the load asks for, the server's settings allow, and the server takes.
type room struct {
	asked int // by the load
	limit int // allowed by the server's settings, asked at most
	open  int // limit, or less where the server refuses streams within it

	settleBy  int64  // the server's settings are waited for until then; 0: they have come
	pause     int64  // no stream is opened before
	explained uint32 // streams below were opened before the limit was known: that they are refused is no news
	flight    uint32 // streams below were opened before the latest refusal

	answers  int // since the latest refusal, or since open was raised
	patience int // answers after which open is raised by one
}

const (
	// settleTime is for how long the server's settings, its first frame, are
	// waited for before a second stream is opened. RFC 9113 lets a client begin
	// at once; what it opens beyond the limit is then refused.
	settleTime = int64(100e6)

	firstPatience, mostPatience = 8, 1 << 16
)

func newRoom(asked int, now int64) room {
	return room{asked: asked, limit: asked, open: asked, settleBy: now + settleTime, patience: firstPatience}
}

// free reports that a stream may be opened beside n others.
func (r *room) free(n int, now int64) bool { return now >= r.pause && n < r.width(now) }

// width is how many streams may be open now.
func (r *room) width(now int64) int {
	if now < r.settleBy {
		return min(r.open, 1)
	}
	return r.open
}

// again is when there may be more room for no other reason than the time; 0:
// it takes a frame.
func (r *room) again(now int64) int64 {
	switch {
	case now < r.pause:
		return r.pause
	case now < r.settleBy:
		return r.settleBy
	}
	return 0
}

// settled hears that the server's first settings are known.
func (r *room) settled() { r.settleBy = 0 }

// allow hears how many streams the server allows. Next is the first stream that
// has not been opened. It may be fewer than are open, which then end as they do,
// or none, for a while (RFC 9113 6.5.2).
func (r *room) allow(limit uint32, next uint32) {
	r.limit = int(min(int64(r.asked), int64(limit)))
	r.open = r.limit
	r.explained = next
	r.pause = 0
}

// answered hears that a stream brought an answer. A server that refuses streams
// within its limit is tried with one more now and then, ever more rarely.
func (r *room) answered() {
	if r.open >= r.limit {
		return
	}
	if r.answers++; r.answers >= r.patience {
		r.open++
		r.answers = 0
	}
}

// refused hears that the server did not take stream id, with left others open.
// It reports whether this is the first word of it: streams that were opened
// together are refused together.
func (r *room) refused(id, next uint32, left int) (news bool) {
	news = id >= r.flight
	if news {
		r.flight = next
	}
	if id < r.explained {
		return news
	}
	if news {
		r.answers, r.patience = 0, min(2*r.patience, mostPatience)
	}
	r.open = min(r.open, max(left, 1))
	return news
}
