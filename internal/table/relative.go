package table

import (
	"slices"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// relatives are the metrics that compare the requests per second of a cell with
// those of the baseline at the same point. They exist in tables only, and only
// where the plan names a baseline.
var relatives = []Metric{
	{Name: "ratio_to_baseline", Heading: "Ratio to the baseline", Unit: unit.Ratio, Spread: true,
		Doc:     "Requests per second, as a multiple of those of the baseline at the same point.",
		against: func(own, base float64) float64 { return own / base }},
	{Name: "slower_than_baseline_percent", Heading: "Slower than the baseline", Unit: unit.Percent, Spread: true,
		Doc:     "How many requests per second fewer than the baseline at the same point, in percent of the baseline's; below 0 it is faster.",
		against: func(own, base float64) float64 { return (1 - own/base) * 100 }},
}

// baseline finds the cell that another one is compared with.
type baseline struct {
	labels []bench.Pair
	at     map[bench.Key][]cell // by point: the cells of baseline systems
	one    bool                 // there is a single baseline system
}

func newBaseline(labels []bench.Pair, cells []cell) baseline {
	b := baseline{labels: labels, at: map[bench.Key][]cell{}}
	if len(labels) == 0 {
		return b
	}
	systems := map[int]bool{}
	for _, c := range cells {
		if b.has(c) {
			k := bench.KeyOf(c.Axes)
			b.at[k] = append(b.at[k], c)
			systems[c.System] = true
		}
	}
	b.one = len(systems) == 1
	return b
}

// has reports whether a cell is of a baseline system.
func (b baseline) has(c cell) bool {
	return !slices.ContainsFunc(b.labels, func(l bench.Pair) bool {
		v, ok := bench.Lookup(c.Labels, l.Name)
		return !ok || v != l.Value
	})
}

// of is the baseline cell at the point of c: of the only baseline system, or of
// the one whose other labels are those of c.
func (b baseline) of(c cell) (cell, bool) {
	for _, candidate := range b.at[bench.KeyOf(c.Axes)] {
		if b.one || b.sameOtherwise(candidate, c) {
			return candidate, true
		}
	}
	return cell{}, false
}

func (b baseline) sameOtherwise(x, y cell) bool {
	others := func(c cell) []bench.Pair {
		return slices.DeleteFunc(slices.Clone(c.Labels), func(l bench.Pair) bool { _, named := bench.Lookup(b.labels, l.Name); return named })
	}
	return slices.Equal(others(x), others(y))
}

// relative is a relative metric of a cell, with the interval of 95 % that its
// rounds and those of the baseline leave, where they are enough for one; false
// where either rate is missing, and of several cells taken together, which have
// no one point.
func (b *builder) relative(m Metric, c cell) (Value, bool) {
	base, ok := b.base.of(c)
	if !ok || !every(c.all, func(r *bench.Record) bool { return r.Cell.Key == c.Key }) {
		return Value{}, false
	}
	rate, _ := Lookup("requests_per_second")
	own, ok1 := rate.fold(c.folder)
	other, ok2 := rate.fold(base.folder)
	if !ok1 || !ok2 || other.Number <= 0 {
		return Value{}, false
	}
	n := m.against(own.Number, other.Number)
	v := Value{Number: n, Low: n, High: n}
	if systemKey(base) == systemKey(c) { // nothing varies against itself
		return v, true
	}
	v.Rounds = min(own.Rounds, other.Rounds)
	if change, ok := b.tester.Compare(rate.rounds(base.folder), rate.rounds(c.folder)); ok && change.Bounded {
		at, to := m.against(change.Lo, 1), m.against(change.Hi, 1)
		v.Lo, v.Hi, v.Bounded = min(at, to), max(at, to), true
	}
	return v, true
}
