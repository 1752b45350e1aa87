package table

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchproc"

	"matrix/internal/bench"
)

// Check tells what is wrong with the expressions of a table, and in which of
// "rows", "columns", "filter", "chart" and "over". With the cells that it is to show,
// names that none of them has are wrong, too, and a filter that keeps none.
func Check(t bench.Table, cells []bench.Cell) (part string, err error) {
	for _, x := range []struct {
		part string
		try  bench.Table
	}{
		{"filter", bench.Table{Filter: t.Filter}},
		{"rows", bench.Table{Rows: t.Rows}},
		{"columns", bench.Table{Columns: t.Columns}},
	} {
		if _, err := newProjector(x.try); err != nil {
			return x.part, plain(err)
		}
	}
	if err := undrawable(t.Chart); err != nil {
		return "chart", err
	}
	if len(t.Over) > 0 && t.Rows == "" && t.Columns == "" {
		return "over", errors.New("such a table has a row for each cell, and takes nothing together: name rows, too")
	}
	if len(cells) == 0 {
		return "", nil
	}
	names := namesIn(t, cells)
	if err := unknownAlong(t, cells); err != nil {
		return "chart", err
	}
	p, err := newProjector(t)
	if err != nil {
		return "rows", plain(err)
	}
	if err := unknownField(p.rows, names); err != nil {
		return "rows", err
	}
	if err := unknownField(p.columns, names); err != nil && t.Columns != "" {
		return "columns", err
	}
	if err := wrongOver(t.Over, p, names); err != nil {
		return "over", err
	}
	metrics := []string{""}
	if t.Layout == bench.Pivot {
		metrics = everyMetric(t)
	}
	for _, c := range cells {
		for _, m := range metrics {
			if _, ok := p.place(entryOf(cell{Cell: &c}, m)); ok {
				return "", nil
			}
		}
	}
	return "filter", noneAgrees(t.Filter, names)
}

func everyMetric(t bench.Table) (list []string) {
	for _, m := range t.Metrics {
		list = append(list, m.Metric)
	}
	if len(list) == 0 {
		return Names()
	}
	return list
}

// plain takes the picture of the place out of a syntax error of benchproc, and
// keeps what it says and where.
func plain(err error) error {
	text, query, pictured := strings.Cut(err.Error(), "\n\t")
	if !pictured {
		return err
	}
	expression, mark, _ := strings.Cut(query, "\n\t")
	return fmt.Errorf("%s, at character %d of %s", text, strings.IndexByte(mark, '^')+1, expression)
}

func namesIn(t bench.Table, cells []bench.Cell) (names []string) {
	if t.Layout == bench.Pivot {
		names = append(names, bench.MetricKey)
	}
	for _, c := range cells {
		for _, p := range c.Pairs() {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

func unknownField(p *benchproc.Projection, names []string) error {
	for _, f := range p.Fields() {
		if f.Name != ".config" && !slices.Contains(names, f.Name) {
			return fmt.Errorf("there is no label and no axis %q: there are %s", f.Name, strings.Join(names, ", "))
		}
	}
	return nil
}

// wrongOver says which name a table cannot take figures over: there is no such
// label or axis, or it tells the rows or columns apart.
func wrongOver(over []string, p projector, names []string) error {
	for _, name := range over {
		switch {
		case !slices.Contains(names, name) || name == bench.MetricKey:
			return fmt.Errorf("there is no label and no axis %q: there are %s", name, strings.Join(names, ", "))
		case slices.Contains(p.told(), name):
			return fmt.Errorf("%q tells the rows or columns apart: remove it here or there", name)
		}
	}
	return nil
}

var filterKey = regexp.MustCompile(`(?:^|[ (-])(?:"((?:[^"\\]|\\.)*)"|([^-*"():@, ][^ ():@,]*)):`)

// noneAgrees says why a filter keeps no cell, where a name in it is the reason.
func noneAgrees(filter string, names []string) error {
	for _, m := range filterKey.FindAllStringSubmatch(filter, -1) {
		if name := m[1] + m[2]; !slices.Contains(names, name) {
			return fmt.Errorf("no cell agrees with it: there is no label and no axis %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	return errors.New("no cell agrees with it")
}

// undrawable says which metric of a chart has no numbers.
func undrawable(c *bench.Chart) error {
	if c == nil {
		return nil
	}
	for _, name := range c.Y {
		if m, ok := Lookup(name); ok && m.Text != nil {
			return fmt.Errorf("y: %s is words, and only numbers can be drawn", name)
		}
	}
	return nil
}

// unknownAlong says that no cell has the label or axis along a chart.
func unknownAlong(t bench.Table, cells []bench.Cell) error {
	if t.Chart == nil || t.Chart.X == "" {
		return nil
	}
	names := namesIn(bench.Table{Layout: bench.Flat}, cells)
	if !slices.Contains(names, t.Chart.X) {
		return fmt.Errorf("x: there is no label and no axis %q: there are %s", t.Chart.X, strings.Join(names, ", "))
	}
	return nil
}
