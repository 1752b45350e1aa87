package main

import (
	"cmp"
	"image/color"
	"maps"
	"slices"
)

// commonest is colours by how often they occur, equal ones in a fixed order.
func commonest(counts map[color.RGBA]int) []color.RGBA {
	rank := func(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
	return slices.SortedFunc(maps.Keys(counts), func(x, y color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(rank(x), rank(y)))
	})
}
