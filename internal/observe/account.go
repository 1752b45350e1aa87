package observe

import "time"

// account adds up the CPU time of a changing set of processes between looks.
// Parents take over the times of the children they wait for; what was counted for
// a child already is then left out. It misses what a process did between the last
// look at it and its end when its parent is not in the set or ignores its end,
// and a process that came and went between two looks likewise.
type account struct {
	last   map[int]process
	due    map[int]spent // by parent: what children that are gone had, until the parent has taken it over
	newest int64         // when the newest process of the first look started, in ticks: what comes up is no older
	own    spent
	over   map[int]spent // by parent: what it took over of children beyond what was counted for them
	rss    int64         // the most at one look, in bytes: pages that processes share count in each
	seen   bool
}

func (a *account) look(now map[int]process) {
	first := !a.seen
	a.seen = a.seen || len(now) > 0
	gone, due := a.gone(now), map[int]spent{}
	var rss int64
	for pid, p := range now {
		rss += p.rss
		if first {
			a.newest = max(a.newest, p.started)
			continue
		}
		before, known := a.last[pid]
		if known = known && before.started == p.started; !known {
			before = process{}
		}
		if !known && p.started < a.newest {
			continue // it was overlooked before, and what it had then is not known
		}
		// A parent can have been read before it took over a child that was gone when
		// the child was looked for: that is left for the next look, and no longer.
		over, taken := p.reaped.less(before.reaped), gone[pid].plus(a.due[pid])
		a.own = a.own.plus(p.own.less(before.own))
		if more := over.less(taken); more != (spent{}) {
			if a.over == nil {
				a.over = map[int]spent{}
			}
			a.over[pid] = a.over[pid].plus(more)
		}
		if left := gone[pid].less(over.less(a.due[pid])); left.exact > 0 {
			due[pid] = left
		}
	}
	a.rss = max(a.rss, rss)
	a.last, a.due = now, due
}

// sum is what was spent between the looks. What parents took over is told in
// ticks, so that a child of a moment can show as one of user time and one of
// system time: for exact, which is never too much, these are left out.
func (a *account) sum() spent {
	sum := a.own
	const rounding = 2 * time.Second / ticks
	for _, over := range a.over {
		over.exact = max(over.exact-rounding, 0)
		sum = sum.plus(over)
	}
	return sum
}

// gone is what processes that are no longer there had, by the nearest ancestor
// that still is.
func (a *account) gone(now map[int]process) map[int]spent {
	had := map[int]spent{}
	there := func(pid int, p process) bool {
		still, ok := now[pid]
		return ok && still.started == p.started
	}
	for pid, p := range a.last {
		if there(pid, p) {
			continue
		}
		heir := p.parent
		for range a.last { // at most as often as there are processes
			parent, known := a.last[heir]
			if !known || there(heir, parent) {
				break
			}
			heir = parent.parent
		}
		had[heir] = had[heir].plus(p.own).plus(p.reaped)
	}
	return had
}
