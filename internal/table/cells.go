package table

import (
	"cmp"
	"slices"

	"matrix/internal/bench"
	"matrix/internal/hist"
)

// cell is a cell of the plan with all that was recorded of it.
type cell struct {
	*bench.Cell
	*folder      // its rounds, ascending
	pooled  bool // these are of several cells, taken together
}

// every reports whether something holds of all records. Of large values it
// copies none.
func every(records []bench.Record, holds func(*bench.Record) bool) bool {
	for i := range records {
		if !holds(&records[i]) {
			return false
		}
	}
	return true
}

// gathered is what the records of a run amount to.
type gathered struct {
	cells   []cell         // that have a record, in declared order
	records []bench.Record // of the cells, one cell after the other; each cell holds a part of it
	stale   []bench.Record // of another plan than the present one
	pending int            // trials of the plan that are still to be run, at least; 0 when the plan's cells are not known
	untried int            // cells of the plan without any record, those that are skipped aside
}

// recorded is a cell with where its records are.
type recorded struct {
	*bench.Cell
	rounds []*bench.Record // ascending
}

// gather sorts records, given in the order of the journal, into cells. Of two
// records of one trial the later counts.
func gather(info bench.RunInfo, records []bench.Record) gathered {
	var g gathered
	p := newPlan(info.Plan, records)
	var list []recorded
	place := make(map[bench.Key]int, max(len(p.cells), len(records)/4))
	n := 0
	for _, r := range lastOfEach(records) {
		if !p.current(&r.Cell) {
			g.stale = append(g.stale, *r)
			continue
		}
		i, met := place[r.Cell.Key]
		if !met {
			i = len(list)
			place[r.Cell.Key] = i
			list = append(list, recorded{})
		}
		list[i].rounds = append(list[i].rounds, r)
		n++
	}
	for i, t := range list {
		slices.SortStableFunc(t.rounds, func(a, b *bench.Record) int { return a.Round - b.Round })
		list[i].Cell = p.placed(&t.rounds[len(t.rounds)-1].Cell)
	}
	slices.SortStableFunc(list, func(a, b recorded) int { return cmp.Or(a.System-b.System, a.Point-b.Point) })
	g.take(list, n)
	g.pending, g.untried = g.left(info)
	return g
}

// take copies the n records of cells, which are large, once and for all.
func (g *gathered) take(list []recorded, n int) {
	adder := new(hist.Adder)
	g.records = make([]bench.Record, 0, n)
	g.cells = make([]cell, len(list))
	for i, t := range list {
		from := len(g.records)
		for _, r := range t.rounds {
			g.records = append(g.records, *r)
			// Whether failing is expected is no part of what was measured: the
			// present plan says so of trials that came before it, too.
			g.records[len(g.records)-1].Cell.ExpectFailure = t.ExpectFailure
		}
		f := newFolder(g.records[from:len(g.records):len(g.records)])
		f.adder = adder
		g.cells[i] = cell{Cell: t.Cell, folder: f}
	}
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
	cells   map[bench.Key]*bench.Cell // nil when unknown
	digests map[bench.Key]string      // of the last record of each key
	systems map[string]int            // System.ID to its place
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
	if len(p.Cells) > 0 {
		known.cells = make(map[bench.Key]*bench.Cell, len(p.Cells))
		for i := range p.Cells {
			known.cells[p.Cells[i].Key] = &p.Cells[i]
		}
		return known
	}
	for i := range records {
		known.digests[records[i].Cell.Key] = records[i].Cell.Digest
	}
	return known
}

func (p plan) current(c *bench.Cell) bool {
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

// placed is c as the present plan has it: its place, and whether it is expected
// to fail. It leaves c as it is.
func (p plan) placed(c *bench.Cell) *bench.Cell {
	system, point, expect := c.System, c.Point, c.ExpectFailure
	if planned, ok := p.cells[c.Key]; ok {
		system, point, expect = planned.System, planned.Point, planned.ExpectFailure
	} else if len(p.systems) > 0 {
		if i, ok := p.systems[string(bench.KeyOf(c.Labels))]; ok {
			system = i
		}
	}
	if system == c.System && point == c.Point && expect == c.ExpectFailure {
		return c
	}
	moved := *c
	moved.System, moved.Point, moved.ExpectFailure = system, point, expect
	return &moved
}

// left counts the trials that are still to be run, none once the budget was
// spent, and the cells that have no record.
func (g *gathered) left(info bench.RunInfo) (trials, untried int) {
	p := &info.Plan
	have := make(map[bench.Key][]bench.Record, len(g.cells))
	if len(p.Cells) > 0 {
		for _, c := range g.cells {
			have[c.Key] = c.all
		}
	}
	for i := range p.Cells {
		c := &p.Cells[i]
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
