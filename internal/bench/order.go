package bench

import (
	"math/rand/v2"
	"slices"
)

// Round lists the trials of one round, counted from 1, in the order in which
// they are run: of the cells for which wanted is true, given their index in
// p.Cells; nil wants all.
//
// Interleaved, the systems at a point take turns in leading. Of n systems each
// leads once in n rounds, and once over n points of a round; the next n rounds
// go the other way round (AB BA BA AB), so that a machine that drifts steadily
// favours nobody. Which order they start with follows from p.Seed. Systems that
// are not wanted any more leave the turns to the others, which stay balanced.
func (p *Plan) Round(round int, wanted func(i int) bool) []Trial {
	order := make([]int, 0, len(p.Cells))
	for i := range p.Cells {
		if wanted == nil || wanted(i) {
			order = append(order, i)
		}
	}
	switch p.Order {
	case Sequential:
	case Random:
		r := rand.New(rand.NewPCG(p.Seed, uint64(round)))
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	default:
		slices.SortStableFunc(order, func(i, j int) int { return p.Cells[i].Point - p.Cells[j].Point })
		for rest := order; len(rest) > 0; {
			n := 1
			for n < len(rest) && p.Cells[rest[n]].Point == p.Cells[rest[0]].Point {
				n++
			}
			p.takeTurns(rest[:n], round)
			rest = rest[n:]
		}
	}
	trials := make([]Trial, len(order))
	for k, i := range order {
		trials[k] = Trial{Cell: p.Cells[i], Round: round}
	}
	return trials
}

// takeTurns puts the cells of one point into the order of a round.
func (p *Plan) takeTurns(cells []int, round int) {
	n := len(cells)
	if n < 2 {
		return
	}
	point := p.Cells[cells[0]].Point
	r := rand.New(rand.NewPCG(p.Seed, uint64(point/n)))
	r.Shuffle(n, func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
	turn := (round - 1 + point) % n
	slices.Reverse(cells[:turn])
	slices.Reverse(cells[turn:])
	slices.Reverse(cells)
	if (round-1)/n%2 == 1 {
		slices.Reverse(cells)
	}
}
