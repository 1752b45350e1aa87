package table

import (
	"fmt"
	"strconv"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// wide lays out the points, one a row, with the chosen metrics of the systems
// side by side: "requests_per_second[nginx]" beside
// "requests_per_second[apache]", in the unit of the metric's name, with all
// digits. A column of the axes is empty where the systems differ in it.
func (b *builder) wide() Sheet {
	if len(b.g.cells) == 0 {
		return Sheet{}
	}
	w := wideSheet{b: b, names: newNamer(b.info.Plan, b.g.cells), of: map[bench.Key]int{}}
	w.axes = append(fixedAxes(), durationEntry())
	for _, e := range loadEntries(b.info.Plan, b.g.cells) {
		if !has(w.axes, e.name) {
			w.axes = append(w.axes, e)
		}
	}
	w.gather()
	w.metrics = b.wideMetrics()
	return Sheet{Header: w.header(), Rows: w.rows()}
}

// wideSheet is a wide sheet in the making.
type wideSheet struct {
	b       *builder
	names   namer
	axes    []entry
	metrics []Metric
	systems []cell            // one of each
	of      map[bench.Key]int // place of a system by systemKey
	points  [][]*cell         // by system; nil where it lacks the point
}

// fixedAxes are the columns that the sheet of trials has, too, the round aside.
func fixedAxes() (list []entry) {
	for _, e := range fixed() {
		if e.name != "round" {
			list = append(list, e)
		}
	}
	return list
}

// wideMetrics are those of the columns that the scenario chose, or else the
// standard ones.
func (b *builder) wideMetrics() (list []Metric) {
	columns := b.info.Plan.Columns
	if len(columns) == 0 {
		columns = b.usual()
	}
	for _, c := range columns {
		if m, ok := Lookup(c.Metric); ok && m.Name != "state" {
			list = append(list, m)
		}
	}
	if b.info.Plan.Rounds >= roundsOfInterval && len(b.info.Plan.Columns) == 0 {
		interval, _ := Lookup("requests_per_second_interval")
		list = append(list, interval)
	}
	state, _ := Lookup("state")
	return append(list, state)
}

func (w *wideSheet) gather() {
	w.systems = systemsOf(w.b.g.cells)
	for i, c := range w.systems {
		w.of[systemKey(c)] = i
	}
	place := map[bench.Key]int{}
	for i, c := range w.b.g.cells {
		k := pointKey(c)
		at, met := place[k]
		if !met {
			at = len(w.points)
			place[k] = at
			w.points = append(w.points, make([]*cell, len(w.systems)))
		}
		w.points[at][w.of[systemKey(c)]] = &w.b.g.cells[i]
	}
}

func (w *wideSheet) header() (names []string) {
	for _, e := range w.axes {
		names = append(names, e.name)
	}
	taken := map[string]int{}
	for _, m := range w.metrics {
		for _, c := range w.systems {
			name := m.Name + "[" + w.names.of(c) + "]"
			if taken[name]++; taken[name] > 1 {
				name += fmt.Sprintf(" (%d)", taken[name])
			}
			names = append(names, name)
		}
	}
	return names
}

func (w *wideSheet) rows() [][]Field {
	rows := make([][]Field, len(w.points))
	for i, cells := range w.points {
		row := make([]Field, 0, len(w.axes)+len(w.metrics)*len(w.systems))
		for _, e := range w.axes {
			row = append(row, agreed(e, cells))
		}
		for _, m := range w.metrics {
			for _, c := range cells {
				row = append(row, w.b.wideField(m, c))
			}
		}
		rows[i] = row
	}
	return rows
}

// agreed is what all cells of a point have in a column; empty where they differ.
func agreed(e entry, cells []*cell) (f Field) {
	met := false
	for _, c := range cells {
		if c == nil {
			continue
		}
		switch own := e.of(&bench.Record{Trial: bench.Trial{Cell: *c.Cell}}); {
		case !met:
			f, met = own, true
		case own != f:
			return Field{}
		}
	}
	return f
}

func (b *builder) wideField(m Metric, c *cell) Field {
	switch {
	case c == nil:
		return Field{}
	case m.Name == "stop":
		return text(b.stopText(*c))
	case m.Text != nil:
		return text(m.words(c.all))
	}
	v, ok := b.value(m, *c)
	switch {
	case !ok || len(c.ranked) == 0 && m.Unit == unit.Requests && v.Exact == 0: // a failed cell is never 0
		return Field{}
	case m.Count != nil:
		return Field{strconv.FormatInt(v.Exact, 10), true}
	}
	return Field{unit.Plain(v.Number), true}
}
