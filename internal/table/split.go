package table

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchproc"

	"matrix/internal/bench"
)

// split tells the rows of a table apart by whatever else varies within its
// places, but for what the table takes figures over: the median of what two
// drivers measured, say, is the figure of neither. A table of one row a cell has
// nothing to split.
func (b *builder) split(spec bench.Table) (bench.Table, projector, error) {
	p, err := newProjector(spec)
	if err != nil || spec.Rows == "" && spec.Columns == "" && spec.Layout != bench.Pivot {
		return spec, p, err
	}
	for {
		name := b.hidden(spec, p)
		if name == "" {
			return spec, p, nil
		}
		spec.Rows = commaJoin(spec.Rows, strconv.Quote(name))
		if p, err = newProjector(spec); err != nil {
			return spec, p, err
		}
	}
}

// hidden is the first name of those that vary within a place of a table though
// neither its rows and columns nor what it takes figures over determine it; ""
// where there is none. Names that the expressions of benchproc keep for
// themselves cannot be told by them.
func (b *builder) hidden(spec bench.Table, p projector) string {
	varies := map[string]bool{}
	rests := map[[2]benchproc.Key][]benchproc.Key{}
	var kept []dot
	metrics := []string{""}
	if spec.Layout == bench.Pivot {
		metrics = metricKeys(b.choice(spec.Metrics))
	}
	for _, c := range b.g.cells {
		for _, m := range metrics {
			at, ok := p.place(entryOf(c, m))
			if !ok {
				continue
			}
			if len(kept) == 0 || kept[len(kept)-1].Cell != c.Cell {
				kept = append(kept, dot{c, c.Pairs()})
			}
			k := [2]benchproc.Key{at.row, at.column}
			if !slices.Contains(rests[k], at.rest) {
				rests[k] = append(rests[k], at.rest)
			}
		}
	}
	for _, list := range rests {
		for _, name := range varying(list) {
			varies[name] = true
		}
	}
	known := append(p.told(), spec.Over...)
	for _, name := range dotNames(kept) {
		if varies[name] && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "/") && !follows(kept, name, known) {
			return name
		}
	}
	return ""
}
