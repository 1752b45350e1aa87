package export

import (
	"math"
	"strconv"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// shade is the class of a cell of a heat map: h0 to h9 by tenths of the best,
// h10 for the best and what cannot be told from it, lost where it was tried in vain, "" where there is
// nothing. The figure stands in the cell, too.
func shade(c table.HeatCell) string {
	switch {
	case c.Share != nil && c.Best:
		return "h10"
	case c.Share != nil:
		return "h" + strconv.Itoa(min(int(math.Floor(max(*c.Share, 0)*10)), 9))
	case c.State != "" && !c.State.Ranked() && c.State != bench.StateSkipped:
		return "lost"
	}
	return ""
}
