package table

import (
	"slices"

	"matrix/internal/bench"
	"matrix/internal/stats"
)

// alpha is the share of false alarms of all that a report tells apart in one
// metric, as that of compare.
const alpha = 0.05

// contest is the cells of several systems at one point, compared in one metric.
type contest struct {
	figures int             // cells that have one
	of      []int           // places of those that may be compared, the best first
	behind  []stats.Outcome // whether each of them is told from the best
	ahead   []stats.Outcome // whether each of them is told from the last
}

// won reports whether the best is told from all others.
func (c contest) won() bool { return len(c.of) > 1 && allAre(c.behind[1:], stats.Apart) }

// lost reports whether the last is told from all others.
func (c contest) lost() bool {
	return len(c.of) > 1 && allAre(c.ahead[:len(c.ahead)-1], stats.Apart)
}

// few reports whether it would take more rounds to tell who is the best.
func (c contest) few() bool { return slices.Contains(c.behind[min(1, len(c.behind)):], stats.TooFew) }

func allAre(outcomes []stats.Outcome, one stats.Outcome) bool {
	return !slices.ContainsFunc(outcomes, func(o stats.Outcome) bool { return o != one })
}

// pairs is how many comparisons there are between the cells of a contest.
func (c contest) pairs() int { return len(c.of) * (len(c.of) - 1) / 2 }

// contests are those at each point where a metric has a figure, by first
// appearance. Failing can be quick, so that a cell is compared only where all of
// its rounds were measured, and no request in them failed; successes per second
// are compared also where some did.
func (b *builder) contests(m Metric, cells []cell, values []Value, has func(int) bool) []contest {
	var list []contest
	place := map[bench.Key]int{}
	for i, c := range cells {
		if !has(i) {
			continue
		}
		k := pointKey(c)
		at, met := place[k]
		if !met {
			at = len(list)
			place[k] = at
			list = append(list, contest{})
		}
		list[at].figures++
		if c.fair(m) && finite(values[i].Number) {
			list[at].of = append(list[at].of, i)
		}
	}
	for _, c := range list {
		slices.SortStableFunc(c.of, func(x, y int) int { return worse(m.Better, values[x].Number, values[y].Number) })
	}
	rounds := make([][]float64, len(cells))
	for _, c := range list {
		for _, i := range c.of {
			if len(c.of) > 1 {
				rounds[i] = m.rounds(cells[i].folder)
			}
		}
	}
	b.tell(list, rounds, func(c *contest) (int, *[]stats.Outcome) { return 0, &c.behind })
	b.tell(list, rounds, func(c *contest) (int, *[]stats.Outcome) { return len(c.of) - 1, &c.ahead })
	return list
}

// tell holds one cell of each contest against all others of it.
func (b *builder) tell(list []contest, rounds [][]float64, of func(*contest) (one int, outcomes *[]stats.Outcome)) {
	var pairs []stats.Pair
	var put []*stats.Outcome
	for n := range list {
		c := &list[n]
		one, outcomes := of(c)
		*outcomes = slices.Repeat([]stats.Outcome{stats.Open}, len(c.of)) // none is told from itself
		for i := range c.of {
			if i != one {
				pairs = append(pairs, stats.Pair{A: rounds[c.of[one]], B: rounds[c.of[i]], Among: len(c.of)})
				put = append(put, &(*outcomes)[i])
			}
		}
	}
	for i, o := range b.tester.Tell(pairs, alpha) {
		*put[i] = o
	}
}

// rounds is the metric in each ranked round that has it, in their order.
func (m Metric) rounds(f *folder) (values []float64) {
	for i := range f.ranked {
		if v, ok := m.number(&f.ranked[i]); ok {
			values = append(values, v)
		}
	}
	return values
}

// fair reports whether a cell may be compared with those of other systems.
func (c cell) fair(m Metric) bool {
	if c.pooled || len(c.ranked) == 0 || len(c.ranked) < len(c.all) {
		return false
	}
	return m.Successes || every(c.ranked, func(r *bench.Record) bool { return r.State == bench.StateOK })
}
