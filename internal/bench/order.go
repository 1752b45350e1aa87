package bench

import (
	"math/rand/v2"
	"slices"
)

// roundOrder lists the indices of p.Cells in the order of the given round.
func (p *Plan) roundOrder(round int) []int {
	order := make([]int, len(p.Cells))
	for i := range order {
		order[i] = i
	}
	switch p.Order {
	case Sequential:
	case Random:
		r := rand.New(rand.NewPCG(p.Seed, uint64(round)))
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	default:
		n := max(len(p.Systems), 1)
		slices.SortStableFunc(order, func(i, j int) int {
			a, b := p.Cells[i], p.Cells[j]
			if a.Point != b.Point {
				return a.Point - b.Point
			}
			return turn(a, round, n) - turn(b, round, n)
		})
	}
	return order
}

// turn is the place of a cell's system among n systems at its point: the
// leader moves on by one each round and each point, so that over n rounds every
// system stands in every place equally often.
func turn(c Cell, round, n int) int {
	return ((c.System-c.Point-round+1)%n + n) % n
}
