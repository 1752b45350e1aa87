package table

import (
	"cmp"
	"slices"

	"matrix/internal/bench"
	"matrix/internal/hist"
)

// cell is a cell of the plan with all that was recorded of it.
type cell struct {
	bench.Cell
	*folder // its rounds, ascending
}

// gathered is what the records of a run amount to.
type gathered struct {
	cells   []cell         // that have a record, in declared order
	stale   []bench.Record // of another plan than the present one
	pending int            // trials of the plan that are still to be run, at least; 0 when the plan's cells are not known
	untried int            // cells of the plan without any record, those that are skipped aside
}

// gather sorts records, given in the order of the journal, into cells. Of two
// records of one trial the later counts.
func gather(info bench.RunInfo, records []bench.Record) gathered {
	var g gathered
	p := newPlan(info.Plan, records)
	var keys []bench.Key
	byKey := map[bench.Key][]*bench.Record{}
	for _, r := range lastOfEach(records) {
		if !p.current(r.Cell) {
			g.stale = append(g.stale, *r)
			continue
		}
		if byKey[r.Cell.Key] == nil {
			keys = append(keys, r.Cell.Key)
		}
		byKey[r.Cell.Key] = append(byKey[r.Cell.Key], r)
	}
	adder := new(hist.Adder)
	have := make(map[bench.Key][]bench.Record, len(keys))
	for _, k := range keys {
		rounds := make([]bench.Record, len(byKey[k]))
		for i, r := range byKey[k] {
			rounds[i] = *r
		}
		slices.SortStableFunc(rounds, func(a, b bench.Record) int { return a.Round - b.Round })
		have[k] = rounds
		f := newFolder(rounds)
		f.adder = adder
		g.cells = append(g.cells, cell{p.placed(rounds[len(rounds)-1].Cell), f})
	}
	slices.SortStableFunc(g.cells, func(a, b cell) int {
		return cmp.Or(a.System-b.System, a.Point-b.Point)
	})
	g.pending, g.untried = pending(info, have)
	return g
}

// lastOfEach keeps the last record of each trial, in the place of the first.
func lastOfEach(records []bench.Record) []*bench.Record {
	type trial struct {
		key   bench.Key
		round int
	}
	place := make(map[trial]int, len(records))
	kept := make([]*bench.Record, 0, len(records))
	for i := range records {
		r := &records[i]
		id := trial{r.Cell.Key, r.Round}
		if i, again := place[id]; again {
			kept[i] = r
			continue
		}
		place[id] = len(kept)
		kept = append(kept, r)
	}
	return kept
}

// plan answers what a record's cell is in the present plan. Where the plan's
// cells are not known, as in an imported run, the axes and systems, and of
// records that contradict each other the last one, tell what is current.
type plan struct {
	cells   map[bench.Key]bench.Cell // nil when unknown
	digests map[bench.Key]string     // of the last record of each key
	systems map[string]int           // System.ID to its place
	axes    map[string][]string
}

func newPlan(p bench.Plan, records []bench.Record) plan {
	known := plan{digests: map[bench.Key]string{}, systems: map[string]int{}, axes: map[string][]string{}}
	for i, s := range p.Systems {
		known.systems[s.ID()] = i
	}
	for _, a := range p.Axes {
		known.axes[a.Name] = a.Values
	}
	for _, r := range records {
		known.digests[r.Cell.Key] = r.Cell.Digest
	}
	if len(p.Cells) > 0 {
		known.cells = make(map[bench.Key]bench.Cell, len(p.Cells))
		for _, c := range p.Cells {
			known.cells[c.Key] = c
		}
	}
	return known
}

func (p plan) current(c bench.Cell) bool {
	if p.cells != nil {
		planned, ok := p.cells[c.Key]
		return ok && planned.Digest == c.Digest
	}
	if _, ok := p.systems[string(bench.KeyOf(c.Labels))]; !ok && len(p.systems) > 0 {
		return false
	}
	for _, a := range c.Axes {
		if values := p.axes[a.Name]; len(values) > 0 && !slices.Contains(values, a.Value) {
			return false
		}
	}
	return p.digests[c.Key] == c.Digest
}

// placed is c with the places of its system and point in the present plan.
func (p plan) placed(c bench.Cell) bench.Cell {
	if planned, ok := p.cells[c.Key]; ok {
		c.System, c.Point = planned.System, planned.Point
		return c
	}
	if i, ok := p.systems[string(bench.KeyOf(c.Labels))]; ok {
		c.System = i
	}
	return c
}

// pending counts the trials that are still to be run, none once the budget was
// spent, and the cells that have no record.
func pending(info bench.RunInfo, have map[bench.Key][]bench.Record) (trials, untried int) {
	p := &info.Plan
	for _, c := range p.Cells {
		n := len(have[c.Key])
		if c.Skip != "" || n > 0 && StopOf(p, have[c.Key]) != "" {
			continue
		}
		if n == 0 {
			untried++
		}
		switch {
		case info.Stopped != "":
		case p.Until != nil:
			trials += max(p.Until.Min-n, 1)
		default:
			trials += max(p.Rounds-n, 0)
		}
	}
	return trials, untried
}
