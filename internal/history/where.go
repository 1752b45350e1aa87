package history

import (
	"fmt"
	"slices"

	"matrix/internal/bench"
	"matrix/internal/scenario"
)

// where keeps the cells that agree with a filter. A history knows of a cell what
// its key names; to the filter each of that is a label.
func where(rows []*row, filter string) (kept []*row, err error) {
	p := bench.Plan{Systems: []bench.System{{}}}
	byKey := map[bench.Key]*row{}
	for _, r := range rows {
		pairs := r.key.Pairs()
		for _, pair := range pairs {
			if !slices.Contains(p.Labels, pair.Name) {
				p.Labels = append(p.Labels, pair.Name)
			}
		}
		p.Cells = append(p.Cells, bench.Cell{Key: r.key, Labels: pairs})
		byKey[r.key] = r
	}
	out, err := scenario.Only(&p, filter)
	if err != nil {
		return nil, fmt.Errorf("choosing cells: %w", err)
	}
	for _, c := range out.Cells {
		kept = append(kept, byKey[c.Key])
	}
	return kept, nil
}
