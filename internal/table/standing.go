package table

import (
	"math"
	"slices"

	"matrix/internal/bench"
	"matrix/internal/stats"
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

	greatest int // points where its figure is the greatest, told apart or not

	leads []float64 // at each of wins: how many times as fast as the next
	next  string    // the next at the last of wins
}

// finish is the systems with a figure at one point, the fastest first.
type finish struct {
	of    []*contestant
	last  bool    // the last is told apart from all others
	share float64 // rate of the last over that of the fastest
}

// standing is how the systems of a run compare in requests per second. What is
// told apart, contests say.
type standing struct {
	systems []*contestant
	place   placer
	ends    []finish // of each point
	rate    Metric
	points  int  // that two systems or more have figures of
	open    int  // of these: where the fastest cannot be told from the next
	few     int  // likewise, for want of rounds
	rounds  int  // the fewest that a cell of these has figures of
	needed  int  // rounds that it takes to be sure of one point alone
	printed bool // figures are what a published table printed
	alone   bool // a single system has figures
	least   float64
	most    float64
	nothing bool // no figures at all
}

// standing holds the cells of a run against each other.
func (b *builder) standing() *standing {
	dots := b.everything()
	s := &standing{place: newPlacer(dots), nothing: true, rounds: math.MaxInt, least: math.Inf(1), most: math.Inf(-1)}
	s.rate, _ = Lookup("requests_per_second")
	names := newNamer(b.info.Plan, b.g.cells)
	byKey := map[bench.Key]*contestant{}
	of := make([]*contestant, len(dots))
	values, has := make([]Value, len(dots)), make([]bool, len(dots))
	for i, d := range dots {
		k := systemKey(d.cell)
		if byKey[k] == nil {
			byKey[k] = &contestant{name: names.prose[k]}
			s.systems = append(s.systems, byKey[k])
		}
		of[i] = byKey[k]
		values[i], has[i] = s.enter(of[i], d)
	}
	list := b.contests(s.rate, cellsIn(dots), values, func(i int) bool { return has[i] })
	comparisons := 0
	for _, c := range list {
		comparisons += c.pairs()
		s.meet(c, dots, of, values)
	}
	s.needed = b.tester.Needed(comparisons, 1, alpha)
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
func (s *standing) enter(c *contestant, d dot) (Value, bool) {
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
	v, ok := s.rate.fold(d.folder)
	if !ok || !finite(v.Number) {
		return Value{}, false
	}
	_, told := asPrinted(s.rate.Name, d.all)
	s.printed = s.printed || told
	s.nothing = false
	s.least, s.most = min(s.least, v.Number), max(s.most, v.Number)
	return v, true
}

// meet takes in how the systems compare at one point.
func (s *standing) meet(c contest, dots []dot, of []*contestant, values []Value) {
	if c.figures < 2 {
		return
	}
	s.points++
	if len(c.of) < 2 {
		s.open++
		return
	}
	rank := finish{last: c.lost()}
	for _, i := range c.of {
		rank.of = append(rank.of, of[i])
		of[i].met = append(of[i].met, dots[i])
		s.rounds = min(s.rounds, len(dots[i].ranked))
	}
	best, next, last := c.of[0], c.of[1], c.of[len(c.of)-1]
	if values[best].Number > 0 {
		rank.share = values[last].Number / values[best].Number
	}
	if values[best].Number > values[next].Number {
		of[best].greatest++
	}
	s.ends = append(s.ends, rank)
	switch {
	case c.won():
		first := of[best]
		first.wins, first.next = append(first.wins, dots[best]), of[next].name
		if next := values[next].Number; next > 0 {
			first.leads = append(first.leads, values[best].Number/next)
		}
	case c.few():
		s.few++
	default:
		s.open++
	}
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
