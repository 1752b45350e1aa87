package compare

import (
	"math"

	"matrix/internal/stats"
)

// Move is how a metric moved over the grid as a whole.
type Move struct {
	Ratio float64 // the median of the cells' ratios
	Cells int

	// Wander is how far the whole grid may move from one run to the next for no
	// other reason than it moves within a run: 0.03 is 3 %. Unrest says that Ratio
	// is no more than that, so that it is nobody's fault.
	Wander float64
	Unrest bool

	// across is the ratio that a cell stays within, unless it differs from the
	// greater part of the grid; 1 where the cells are too few to tell.
	across float64
}

// toRuns is by what whole runs lie further apart than the halves of one, when the
// machine wanders as slowly as it can without its being seen in the halves
// (found by simulation).
const toRuns = 1.4

// movesOf tells how the metrics moved. It looks for what Efron (2004) calls an
// empirical null: what moved most cells a little, such as another night, may move
// one of them further; by chance, one of all cells goes beyond across with
// probability Alpha. In grids of fewer than twenty cells nothing can be told.
func movesOf(grid []Sides, judged []Judged, o Options) map[int]Move {
	logs, like := map[int][]float64{}, map[int][]Sides{}
	for i, s := range grid {
		if judged[i].HasRatio {
			logs[s.Metric] = append(logs[s.Metric], math.Log(judged[i].Ratio))
			like[s.Metric] = append(like[s.Metric], s)
		}
	}
	moves := map[int]Move{}
	for metric, values := range logs {
		n := float64(len(values))
		middle, _ := stats.Median(values)
		m := Move{Ratio: math.Exp(middle), Cells: len(values), across: 1}
		if sd, ok := stats.Spread(values); ok {
			z := stats.NormalQuantile(1 - o.Alpha/2/n)
			m.across = math.Exp(z * sd * (1 + unsure/math.Sqrt(n))) // for sd is an estimate itself
			reach, known := stats.Reach(wanderings(like[metric]))
			m.Wander = math.Exp(toRuns*reach) - 1
			m.Unrest = known && stats.Size(m.Ratio) <= 1+m.Wander
		}
		moves[metric] = m
	}
	return moves
}

// unsure makes up for how far the estimate of a spread is off at times.
const unsure = 2

// wanderings are the logarithms of how far the grid as a whole moved within each
// run and from each run of the base to the next.
func wanderings(grid []Sides) (list []float64) {
	over := func(of func(Sides) (float64, bool)) {
		var logs []float64
		for _, s := range grid {
			if ratio, ok := of(s); ok {
				logs = append(logs, math.Log(ratio))
			}
		}
		if m, ok := stats.Median(logs); ok {
			list = append(list, m)
		}
	}
	over(func(s Sides) (float64, bool) { return stats.Halves(s.New) })
	for i := range grid[0].Base {
		over(func(s Sides) (float64, bool) { return stats.Halves(s.Base[i]) })
		if i > 0 {
			over(func(s Sides) (float64, bool) { return stats.Move(s.Base[i-1], s.Base[i]) })
		}
	}
	return list
}
