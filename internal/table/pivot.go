package table

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchproc"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// pivoted is a table that has values of labels and axes in both directions.
type pivoted struct {
	spec    bench.Table
	p       projector
	chosen  []choice
	keys    []string          // what each choice is called in the projections
	units   map[string]string // by key; "" where the figures are as printed
	groups  map[string][]*group
	rows    []benchproc.Key
	columns []benchproc.Key
	filled  map[[2]benchproc.Key]Cell
	records map[benchproc.Key][]bench.Record // by row: of all its places
	rounds  map[benchproc.Key]int            // by row: the most that a place has
}

// pivot lays out the metrics of cells by the rows and columns that an
// expression each tells apart.
func (b *builder) pivot(spec bench.Table, p projector, chosen []choice) Table {
	t := pivoted{spec: spec, p: p, chosen: chosen, units: map[string]string{}, groups: map[string][]*group{},
		filled: map[[2]benchproc.Key]Cell{}, records: map[benchproc.Key][]bench.Record{}, rounds: map[benchproc.Key]int{}}
	t.gather(b.g.cells)
	if names(p.rows, bench.MetricKey) {
		t.oneScale(b)
	}
	var all []*group
	for i, m := range t.chosen {
		groups := t.groups[t.keys[i]]
		all = append(all, groups...)
		t.fill(b, t.keys[i], m, groups)
	}
	b.explain(spec, all)
	return t.table(captionOf(spec, b.info.Plan), b.constant(all, p))
}

// metricKeys names the choices in a pivot: by their metric, and where that
// stands again by its heading, too.
func metricKeys(chosen []choice) []string {
	var keys []string
	for _, m := range chosen {
		key := m.Name
		if slices.Contains(keys, key) {
			key = fmt.Sprintf("%s (%s)", m.Name, m.Heading)
		}
		keys = append(keys, key)
	}
	return keys
}

// gather parts the cells by place, metric by metric.
func (t *pivoted) gather(cells []cell) {
	t.keys = metricKeys(t.chosen)
	byPlace := map[[2]benchproc.Key]*group{}
	seenRow, seenColumn := map[benchproc.Key]bool{}, map[benchproc.Key]bool{}
	for _, c := range cells {
		of := map[benchproc.Key]bool{} // rows that it is in
		for _, key := range t.keys {
			at, ok := t.p.place(entryOf(c, key))
			if !ok {
				continue
			}
			if !of[at.row] {
				of[at.row] = true
				t.records[at.row] = append(t.records[at.row], c.all...)
			}
			if !seenRow[at.row] {
				seenRow[at.row] = true
				t.rows = append(t.rows, at.row)
			}
			if !seenColumn[at.column] {
				seenColumn[at.column] = true
				t.columns = append(t.columns, at.column)
			}
			k := [2]benchproc.Key{at.row, at.column}
			if byPlace[k] == nil {
				byPlace[k] = &group{cell: cell{Cell: c.Cell}, row: at.row, column: at.column}
				t.groups[key] = append(t.groups[key], byPlace[k])
			}
			byPlace[k].add(c, at.rest)
		}
	}
	t.rows, t.columns = sorted(t.rows), sorted(t.columns)
}

// oneScale shows all metrics of a unit in the same one: where metrics stand below
// each other, a column holds several.
func (t *pivoted) oneScale(b *builder) {
	numbers := map[unit.Unit][]float64{}
	for i, m := range t.chosen {
		_, _, of := b.fold(m.Metric, cellsOf(t.groups[t.keys[i]]))
		numbers[m.Unit] = append(numbers[m.Unit], of...)
	}
	for i, m := range t.chosen {
		t.chosen[i].scale = new(unit.Pick(numbers[m.Unit], m.Unit))
	}
}

func cellsOf(groups []*group) []cell {
	cells := make([]cell, len(groups))
	for i, g := range groups {
		cells[i] = g.cell
	}
	return cells
}

// fill measures one metric of all its places, in one unit. A place whose cells
// failed says so; what failed, and why, is noted.
func (t *pivoted) fill(b *builder, key string, m choice, groups []*group) {
	column, filled := b.measure(m, cellsOf(groups))
	t.units[key] = column.Unit
	for i, g := range groups {
		c := filled[i]
		if state := StateOf(g.all); c.Text == "" && !state.Ranked() && m.Text == nil && g.all[0].AsPrinted == nil {
			c.Text = spelled(state)
			b.failedIn(t.spec, g.cell)
		}
		t.filled[[2]benchproc.Key{g.row, g.column}] = c
		t.rounds[g.row] = max(t.rounds[g.row], len(g.all))
	}
}

func (b *builder) failedIn(spec bench.Table, c cell) {
	text := fmt.Sprintf("%s: %s.", c.Key, errorsText(c.all))
	if !slices.ContainsFunc(b.notes, func(n Footnote) bool { return n.Code == "failed" && n.Text == text }) {
		b.notes = append(b.notes, Footnote{Code: "failed", Text: text})
	}
}

// constant lists what all cells of the table agree in and no expression names.
func (b *builder) constant(groups []*group, p projector) []bench.Pair {
	if len(groups) == 0 {
		return nil
	}
	var list []bench.Pair
	for _, f := range fieldsOf(p.residue) {
		v := groups[0].rests[0].Get(f)
		same := func(g *group) bool {
			return !slices.ContainsFunc(g.rests, func(k benchproc.Key) bool { return k.Get(f) != v })
		}
		if v == "" || f.Name == ".fullname" || slices.ContainsFunc(groups, func(g *group) bool { return !same(g) }) {
			continue
		}
		name := f.Name
		if _, isLabel := labelOf([]cell{groups[0].cell}, name); !isLabel {
			name = sentence(name)
		}
		list = append(list, bench.Pair{Name: name, Value: v})
	}
	return list
}

// table puts the places together; one without a cell stays empty.
func (t *pivoted) table(caption string, constant []bench.Pair) Table {
	out := Table{Caption: caption, Constant: constant, Columns: []Column{}, Rows: []Row{}}
	if out.Constant == nil {
		out.Constant = []bench.Pair{}
	}
	fields := fieldsOf(t.p.rows)
	for _, f := range fields {
		heading := sentence(strings.TrimPrefix(f.Name, "."))
		if h, ok := t.spec.Headings[f.Name]; ok {
			heading = h
		}
		out.Columns = append(out.Columns, Column{Name: f.Name, Heading: heading, Stub: true, Keep: keepStub})
	}
	for i, k := range t.columns {
		heading, label := t.heading(k)
		out.Columns = append(out.Columns, Column{Name: k.StringValues(), Heading: heading, Unit: label, Number: t.numeric(k), Keep: len(t.columns) - i})
	}
	for _, k := range t.rows {
		row := Row{State: StateOf(t.records[k]), Rounds: t.rounds[k], Raw: rawOf(t.records[k]), Cells: []Cell{}}
		var pairs []bench.Pair
		for _, f := range fields {
			pairs = append(pairs, bench.Pair{Name: f.Name, Value: k.Get(f)})
			row.Cells = append(row.Cells, Cell{Text: t.name(f.Name, k.Get(f), true)})
		}
		row.Key = bench.KeyOf(pairs)
		for _, column := range t.columns {
			row.Cells = append(row.Cells, t.filled[[2]benchproc.Key{k, column}])
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// heading is how a column is headed: by the author, else by its values.
func (t *pivoted) heading(k benchproc.Key) (heading, label string) {
	var parts []string
	for _, f := range fieldsOf(t.p.columns) {
		v := k.Get(f)
		if f.Name == bench.MetricKey {
			label = t.units[v]
		}
		if v != "" {
			parts = append(parts, t.name(f.Name, v, false))
		}
	}
	heading = strings.Join(parts, " ")
	if h, ok := t.spec.Headings[heading]; ok {
		heading = h
	}
	return heading, label
}

// name is a value for people: a metric by its heading, with its unit where asked.
func (t *pivoted) name(field, value string, withUnit bool) string {
	if field != bench.MetricKey {
		return value
	}
	i := slices.Index(t.keys, value)
	if i < 0 {
		return value
	}
	if u := t.units[value]; withUnit && u != "" {
		return t.chosen[i].Heading + " (" + u + ")"
	}
	return t.chosen[i].Heading
}

// numeric reports whether a column holds figures and no metric of words.
func (t *pivoted) numeric(column benchproc.Key) bool {
	for i, key := range t.keys {
		if t.chosen[i].Text == nil {
			continue
		}
		if slices.ContainsFunc(t.groups[key], func(g *group) bool { return g.column == column }) {
			return false
		}
	}
	return true
}
