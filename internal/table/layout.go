package table

import (
	"slices"
	"strings"

	"golang.org/x/perf/benchproc"

	"matrix/internal/bench"
)

// layOut makes the table that a plan asks for. Its error is in an expression.
func (b *builder) layOut(spec bench.Table) (Table, error) {
	spec, p, err := b.split(spec)
	if err != nil {
		return Table{}, err
	}
	chosen := b.choose(spec.Metrics)
	if spec.Layout == bench.Pivot {
		return b.pivot(spec, p, chosen), nil
	}
	groups := b.groupCells(spec, p)
	b.explain(spec, groups)
	cells := cellsOf(groups)
	if spec.Rows == "" {
		return headed(b.grid(spec, cells, chosen), spec), nil
	}
	return headed(b.flat(captionOf(spec, b.info.Plan), b.rowStubs(p, cells), nil, cells, chosen), spec), nil
}

// group is the cells that stand in one place of a table, taken together.
type group struct {
	cell
	row, column benchproc.Key
	rests       []benchproc.Key // one for each distinct remainder
	members     int
}

// groupCells parts the cells that the filter keeps by their row: in the order of
// the plan, or where the expression for rows names one (size@num) in that. Without
// an expression for rows each cell is one.
func (b *builder) groupCells(spec bench.Table, p projector) []*group {
	var groups []*group
	byRow := map[benchproc.Key]*group{}
	each := len(p.rows.Fields()) == 0
	for _, c := range b.g.cells {
		at, ok := p.place(entryOf(c, ""))
		if !ok {
			continue
		}
		g, known := byRow[at.row]
		if !known || each {
			g = &group{cell: cell{Cell: c.Cell}, row: at.row}
			byRow[at.row] = g
			groups = append(groups, g)
		}
		g.add(c, at.rest)
	}
	if strings.Contains(spec.Rows, "@") {
		slices.SortStableFunc(groups, func(x, y *group) int { return compareKeys(x.row, y.row) })
	}
	return groups
}

func compareKeys(x, y benchproc.Key) int {
	switch {
	case x.Less(y):
		return -1
	case y.Less(x):
		return 1
	}
	return 0
}

func (g *group) add(c cell, rest benchproc.Key) {
	g.members++
	if !slices.Contains(g.rests, rest) {
		g.rests = append(g.rests, rest)
	}
	if g.folder == nil {
		g.folder = c.folder
		return
	}
	g.folder = newFolder(slices.Concat(g.all, c.all))
	g.pooled = true
}

// explain notes over what a table takes figures together, and that it has none.
func (b *builder) explain(spec bench.Table, groups []*group) {
	var hidden []string
	for _, g := range groups {
		for _, name := range varying(g.rests) {
			if !slices.Contains(hidden, name) && name != ".fullname" {
				hidden = append(hidden, name)
			}
		}
	}
	caption := captionOf(spec, b.info.Plan)
	if len(hidden) > 0 {
		b.note("over", "%s: a figure is that of all rounds of cells that differ in %s.", caption, strings.Join(hidden, ", "))
	}
	if len(groups) == 0 {
		b.note("empty-table", "%s: no cell agrees with its filter.", caption)
	}
}

// rowStubs are the columns that a projection of rows makes.
func (b *builder) rowStubs(p projector, cells []cell) []stub {
	usual := stubs(b.info.Plan, cells)
	var list []stub
	for _, f := range fieldsOf(p.rows) {
		s := stub{name: f.Name, heading: sentence(f.Name)}
		if _, isLabel := labelOf(cells, f.Name); isLabel {
			s.heading = f.Name
		}
		if i := slices.IndexFunc(usual, func(u stub) bool { return u.name == f.Name }); i >= 0 {
			s = usual[i]
		}
		s.of = func(c cell) string {
			v, _ := bench.Lookup(c.Pairs(), f.Name)
			return v
		}
		list = append(list, s)
	}
	return list
}

func labelOf(cells []cell, name string) (string, bool) {
	for _, c := range cells {
		if v, ok := bench.Lookup(c.Labels, name); ok {
			return v, true
		}
	}
	return "", false
}

// headed puts the author's headings in the place of others.
func headed(t Table, spec bench.Table) Table {
	for i, c := range t.Columns {
		if h, ok := spec.Headings[c.Name]; ok {
			t.Columns[i].Heading = h
		}
	}
	return t
}
