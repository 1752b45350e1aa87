package compare

import (
	"slices"

	"matrix/internal/bench"
	"matrix/internal/stats"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// judge fills in what became of the cells: their fates one by one, their figures
// all at once.
func (c *Comparison) judge(cells []both) {
	var grid []Sides
	var put []func(Judged)
	for _, b := range cells {
		c.Cells = append(c.Cells, newCell(b))
	}
	for i, b := range cells {
		x := &c.Cells[i]
		if x.Fate != "" {
			continue
		}
		for n, m := range c.Metrics {
			if s, ok := b.sides(m, n); ok {
				x.Figures = append(x.Figures, Figure{Metric: m})
				grid = append(grid, s)
				at := len(x.Figures) - 1
				put = append(put, func(j Judged) { x.Figures[at].Judged = j })
			}
		}
		if x.Failed[0].any() || x.Failed[1].any() {
			grid = append(grid, b.failing(len(c.Metrics)))
			put = append(put, func(j Judged) { x.Failing = &j })
		}
	}
	c.Tests = len(grid)
	judged, moves := Judge(grid, c.Options)
	for i, j := range judged {
		put[i](j)
	}
	for n, m := range c.Metrics {
		if move, ok := moves[n]; ok {
			c.Moves[m.Name] = move
		}
	}
}

func newCell(b both) Cell {
	x := Cell{Cell: b.cell, Rounds: len(b.next), Now: b.next, Edited: b.edited && len(b.next) > 0}
	x.Failed = [2]Share{share(slices.Concat(b.base...)), share(b.next)}
	if len(b.next) > 0 {
		x.State = table.StateOf(b.next)
	}
	before, now := ranked(b.base...), ranked(b.next)
	switch {
	case len(b.next) == 0:
		x.Fate = OnlyInBase
	case !b.inBase():
		x.Fate = OnlyInNew
	case before && !now && b.cell.ExpectFailure:
		x.Fate = FailedAsExpected
	case before && !now:
		x.Fate = FailedNow
	case !before && now:
		x.Fate = WorksAgain
	case !before:
		x.Fate = FailedBoth
	}
	return x
}

// failing are the failed shares of the rounds, as if they were a metric.
func (b both) failing(i int) Sides {
	s := Sides{Metric: i, Better: unit.Lower, New: shares(b.next)}
	for _, run := range b.base {
		s.Base = append(s.Base, shares(run))
	}
	return s
}

func shares(rounds []bench.Record) (list []float64) {
	for _, r := range rounds {
		list = append(list, failedShare(r))
	}
	return list
}

// Mean is how a metric moved over many cells: the geometric means of their
// medians, of cells that have the metric in both.
type Mean struct {
	Metric    table.Metric
	System    []bench.Pair // labels; nil for all systems
	Cells     int
	Base, New float64
}

// means are those of each metric over all cells, then, where there are several,
// of each system. Metrics with a value of zero or below have none.
func means(c *Comparison) (list []Mean) {
	var systems [][]bench.Pair
	seen := map[bench.Key]bool{}
	for _, x := range c.Cells {
		if k := bench.KeyOf(x.Labels); !seen[k] {
			seen[k] = true
			systems = append(systems, x.Labels)
		}
	}
	for i := range c.Metrics {
		list = append(list, c.mean(i, nil)...)
		for _, s := range systems {
			if len(systems) > 1 {
				list = append(list, c.mean(i, s)...)
			}
		}
	}
	return list
}

func (c *Comparison) mean(i int, system []bench.Pair) []Mean {
	var base, next []float64
	for _, x := range c.Cells {
		if system != nil && bench.KeyOf(x.Labels) != bench.KeyOf(system) {
			continue
		}
		for _, f := range x.Figures {
			if f.Metric.Name == c.Metrics[i].Name {
				base, next = append(base, f.Base.Median), append(next, f.New.Median)
			}
		}
	}
	b, ok1 := stats.GeometricMean(base)
	n, ok2 := stats.GeometricMean(next)
	if !ok1 || !ok2 {
		return nil
	}
	return []Mean{{Metric: c.Metrics[i], System: system, Cells: len(base), Base: b, New: n}}
}
