package table

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"

	"matrix/internal/bench"
)

// projector answers, for one table, which cells belong to it and which row and
// column each stands in, by the expressions of benchstat.
type projector struct {
	filter                 *benchproc.Filter
	rows, columns, residue *benchproc.Projection
}

// newProjector reads the expressions of a table. A pivot whose rows and columns
// do not name the metrics has them last in its columns.
func newProjector(t bench.Table) (p projector, err error) {
	query := t.Filter
	if query == "" {
		query = "*"
	}
	if p.filter, err = benchproc.NewFilter(query); err != nil {
		return p, fmt.Errorf("reading filter: %w", err)
	}
	var parser benchproc.ProjectionParser
	if p.rows, err = parser.Parse(t.Rows, p.filter); err != nil {
		return p, fmt.Errorf("reading rows: %w", err)
	}
	if p.columns, err = parser.Parse(t.Columns, p.filter); err != nil {
		return p, fmt.Errorf("reading columns: %w", err)
	}
	if t.Layout == bench.Pivot && !names(p.rows, bench.MetricKey) && !names(p.columns, bench.MetricKey) {
		t.Columns = commaJoin(t.Columns, bench.MetricKey)
		return newProjector(t)
	}
	p.residue = parser.Residue()
	return p, nil
}

func commaJoin(a, b string) string {
	if strings.TrimSpace(a) == "" {
		return b
	}
	return a + "," + b
}

func names(p *benchproc.Projection, key string) bool {
	return slices.ContainsFunc(p.Fields(), func(f *benchproc.Field) bool { return f.Name == key })
}

// entryOf is a cell, and in a pivot one metric of it, as benchproc takes it.
func entryOf(c cell, metric string) *benchfmt.Result {
	r := &benchfmt.Result{Name: benchfmt.Name("cell")}
	for _, p := range c.Pairs() {
		r.Config = append(r.Config, benchfmt.Config{Key: p.Name, Value: []byte(p.Value), File: true})
	}
	if metric != "" {
		r.Config = append(r.Config, benchfmt.Config{Key: bench.MetricKey, Value: []byte(metric), File: true})
	}
	r.Values = []benchfmt.Value{{Unit: metric}} // so that a filter has something to keep
	return r
}

// place is where an entry stands.
type place struct{ row, column, rest benchproc.Key }

// place projects an entry; false when the filter leaves it out.
func (p projector) place(r *benchfmt.Result) (place, bool) {
	m, err := p.filter.Match(r)
	if err != nil || !m.Any() {
		return place{}, false
	}
	return place{p.rows.Project(r), p.columns.Project(r), p.residue.Project(r)}, true
}

// told lists the names that tell the rows and columns apart.
func (p projector) told() (list []string) {
	for _, f := range slices.Concat(fieldsOf(p.rows), fieldsOf(p.columns)) {
		list = append(list, f.Name)
	}
	return list
}

// varying lists what differs between entries that stand in one place.
func varying(rests []benchproc.Key) []string {
	if len(rests) < 2 {
		return nil
	}
	var list []string
	for _, f := range benchproc.NonSingularFields(rests) {
		list = append(list, f.Name)
	}
	return list
}

// fieldsOf lists the names that a projection came to extract.
func fieldsOf(p *benchproc.Projection) (fields []*benchproc.Field) {
	return p.FlattenedFields()
}

// sorted orders keys as their projection says.
func sorted(keys []benchproc.Key) []benchproc.Key {
	benchproc.SortKeys(keys)
	return keys
}
