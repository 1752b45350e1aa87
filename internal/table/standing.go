package table

import (
	"math"
	"slices"

	"matrix/internal/bench"
	"matrix/internal/stats"
	"matrix/internal/unit"
)

// contestant is a system of a run and how it fares.
type contestant struct {
	name   string
	cells  []dot
	failed []dot // no round of which could be measured
	lossy  []dot // measured, but some requests failed
	shaky  []dot // measured, but in some rounds not at all
	wins   []dot // where it is the fastest, and told apart from all others
	met    []dot // where another system has a figure, too

	leads []float64 // at each of wins: how many times as fast as the next
	next  string    // the next at the last of wins
}

// entrant is a system at a point where it has a figure.
type entrant struct {
	*contestant
	dot
	rate Value
	fair bool // it may be compared; see cell.races
}

// finish is the systems with a figure at one point, the fastest first.
type finish struct {
	of    []*contestant
	last  bool    // the last is told apart from all others
	share float64 // rate of the last over that of the fastest
}

// standing is how the systems of a run compare in requests per second. The rule
// of telling apart is that of markBest; where nothing has more than one round,
// the figures are compared as they are, and single says so.
type standing struct {
	systems []*contestant
	place   placer
	ends    []finish // of each point
	rate    Metric
	points  int  // that two systems or more have figures of
	open    int  // of these: where the fastest cannot be told from the next
	single  bool // no cell has more than one round
	printed bool // figures are what a published table printed
	alone   bool // a single system has figures
	least   float64
	most    float64
	nothing bool // no figures at all
}

// newStanding holds the cells of a run against each other.
func newStanding(p bench.Plan, cells []cell, dots []dot) *standing {
	s := &standing{place: newPlacer(dots), single: true, nothing: true, least: math.Inf(1), most: math.Inf(-1)}
	s.rate, _ = Lookup("requests_per_second")
	names := newNamer(p, cells)
	byKey := map[bench.Key]*contestant{}
	points := map[bench.Key][]entrant{}
	var order []bench.Key
	for _, d := range dots {
		k := systemKey(d.cell)
		if byKey[k] == nil {
			byKey[k] = &contestant{name: names.prose[k]}
			s.systems = append(s.systems, byKey[k])
		}
		e, ok := s.enter(byKey[k], d)
		if !ok {
			continue
		}
		at := pointKey(d.cell)
		if points[at] == nil {
			order = append(order, at)
		}
		points[at] = append(points[at], e)
	}
	for _, at := range order {
		s.meet(points[at])
	}
	measured := 0
	for _, c := range s.systems {
		if len(c.cells) > len(c.failed) {
			measured++
		}
	}
	s.alone = measured == 1
	return s
}

// pointKey is the point of a cell.
func pointKey(c cell) bench.Key { return bench.KeyOf(pointOf(c)) }

// pointOf is what makes the point of a cell: its axes, and the driver even if no
// axis says it. What else a system has for itself, such as a protocol, does not.
func pointOf(c cell) []bench.Pair {
	axes := slices.Clone(c.Axes)
	if _, ok := bench.Lookup(axes, "driver"); !ok {
		axes = append(axes, bench.Pair{Name: "driver", Value: c.Driver})
	}
	return axes
}

// enter counts a cell for its system; false where it has no figure.
func (s *standing) enter(c *contestant, d dot) (entrant, bool) {
	c.cells = append(c.cells, d)
	if StateOf(d.all).Failed() {
		c.failed = append(c.failed, d)
	}
	if !every(d.ranked, func(r *bench.Record) bool { return r.FailedSum() == 0 }) {
		c.lossy = append(c.lossy, d)
	}
	if len(d.ranked) > 0 && slices.ContainsFunc(d.all, func(r bench.Record) bool { return r.State.Failed() }) {
		c.shaky = append(c.shaky, d)
	}
	s.single = s.single && len(d.all) < 2
	v, ok := s.rate.fold(d.folder)
	if !ok || !finite(v.Number) {
		return entrant{}, false
	}
	_, told := asPrinted(s.rate.Name, d.all)
	s.printed = s.printed || told
	s.nothing = false
	s.least, s.most = min(s.least, v.Number), max(s.most, v.Number)
	return entrant{c, d, v, d.races(s.rate)}, true
}

// meet compares the systems at one point.
func (s *standing) meet(all []entrant) {
	rivals := slices.Clone(all)
	if !s.single {
		rivals = slices.DeleteFunc(rivals, func(e entrant) bool { return !e.fair })
	}
	if len(all) < 2 {
		return
	}
	s.points++
	if len(rivals) < 2 {
		s.open++
		return
	}
	slices.SortStableFunc(rivals, func(x, y entrant) int { return worse(unit.Higher, x.rate.Number, y.rate.Number) })
	first, final, won := rivals[0], rivals[len(rivals)-1], true
	rank := finish{last: true}
	for i, e := range rivals {
		won = won && (i == 0 || s.apart(first.rate, e.rate))
		rank.last = rank.last && (i == len(rivals)-1 || s.apart(e.rate, final.rate))
		rank.of = append(rank.of, e.contestant)
		e.met = append(e.met, e.dot)
	}
	if first.rate.Number > 0 {
		rank.share = final.rate.Number / first.rate.Number
	}
	s.ends = append(s.ends, rank)
	if !won {
		s.open++
		return
	}
	first.wins, first.next = append(first.wins, first.dot), rivals[1].name
	if next := rivals[1].rate.Number; next > 0 {
		first.leads = append(first.leads, first.rate.Number/next)
	}
}

// apart reports whether a figure is told from that of another system.
func (s *standing) apart(one, other Value) bool {
	if s.single {
		return one.Number != other.Number
	}
	return !one.overlaps(other)
}

// ahead is the systems that are the fastest at most points; none where nobody
// is at any.
func (s *standing) ahead() (list []*contestant) {
	for _, c := range s.systems {
		switch {
		case len(c.wins) == 0 || len(list) > 0 && len(c.wins) < len(list[0].wins):
		case len(list) > 0 && len(c.wins) == len(list[0].wins):
			list = append(list, c)
		default:
			list = []*contestant{c}
		}
	}
	return list
}

// lead is how many times as fast as the next a system is where it wins, in the
// median.
func (c *contestant) lead() (float64, bool) { return stats.Median(c.leads) }
