package scenario

import (
	"strings"

	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
)

// tableNode is a table with the places of what can be wrong in it.
type tableNode struct {
	table bench.Table
	parts map[string]*yaml.Node // "rows", "columns", "filter", "chart", "over"
	node  *yaml.Node
}

var tableKeys = []string{"title", "layout", "rows", "columns", "metrics", "filter", "headings", "chart", "over"}

const maxTables = 100

func readTables(p *parser, v *yaml.Node) {
	items, _ := p.sequence(v, "tables")
	if len(items) > maxTables {
		p.problem(v, "%d tables: at most %d are laid out", len(items), maxTables)
		return
	}
	for _, item := range items {
		before := len(p.problems)
		t := p.table(p.resolve(item))
		p.s.plan.Tables = append(p.s.plan.Tables, t.table)
		if len(p.problems) == before && p.tells(t, nil) {
			p.tables = append(p.tables, t)
		}
	}
}

func (p *parser) table(n *yaml.Node) tableNode {
	t := tableNode{table: bench.Table{Layout: bench.Flat}, parts: map[string]*yaml.Node{}, node: n}
	text := map[string]*string{"title": &t.table.Title, "rows": &t.table.Rows, "columns": &t.table.Columns, "filter": &t.table.Filter}
	p.mapping(n, "a table", tableKeys, func(key string, _, v *yaml.Node) {
		switch key {
		case "layout":
			number(p, v, "layout", oneOf(bench.Flat, bench.Pivot), &t.table.Layout)
		case "metrics":
			t.table.Metrics = p.metrics(v, "metrics", func(c bench.Column) string { return c.Metric + "\n" + c.Heading })
		case "headings":
			t.table.Headings = p.words(v, "headings")
		case "chart":
			t.table.Chart = p.chart(v)
			t.parts[key] = p.resolve(v)
		case "over":
			t.table.Over = p.over(v)
			t.parts[key] = p.resolve(v)
		default:
			p.text(v, key, text[key])
			t.parts[key] = p.resolve(v)
		}
	})
	if t.table.Layout == bench.Flat && t.parts["columns"] != nil {
		p.problem(t.parts["columns"], "a flat table has its metrics for columns: name them in metrics, or write layout: pivot")
	}
	return t
}

// over reads the names of labels and axes: one, or a list.
func (p *parser) over(v *yaml.Node) (names []string) {
	items := []*yaml.Node{v}
	if p.resolve(v).Kind == yaml.SequenceNode {
		items, _ = p.sequence(v, "over")
	}
	for _, item := range items {
		name, ok := p.scalar(item, "a label or an axis")
		switch {
		case !ok:
		case has(names, name):
			p.problem(item, "over: %q stands twice: remove one", clip(name))
		default:
			names = append(names, name)
		}
	}
	return names
}

// words reads a mapping of texts to texts.
func (p *parser) words(v *yaml.Node, what string) map[string]string {
	m := map[string]string{}
	p.mapping(v, what, nil, func(key string, _, v *yaml.Node) {
		if text, ok := p.scalar(v, what+" of "+clip(key)); ok {
			m[key] = text
		}
	})
	return m
}

// tells reports whether the expressions of a table mean something for cells;
// nil asks for their syntax alone.
func (p *parser) tells(t tableNode, cells []bench.Cell) bool {
	if p.known.Table == nil {
		return true
	}
	part, err := p.known.Table(t.table, cells)
	if err == nil {
		return true
	}
	n := t.parts[part]
	if n == nil {
		n = t.node
	}
	p.problem(n, "%s: %v", part, err)
	return false
}

// laidOut checks the tables against the cells of the grid.
func (p *parser) laidOut(drafts []*draft) {
	if len(p.tables) == 0 {
		return
	}
	cells := make([]bench.Cell, len(drafts))
	for i, d := range drafts {
		cells[i] = d.Cell
	}
	for _, t := range p.tables {
		p.tells(t, cells)
	}
}

// readBaseline reads "Server=Apache alone", or a mapping of labels.
func readBaseline(p *parser, v *yaml.Node) {
	n := p.resolve(v)
	var labels []bench.Pair
	if n.Kind == yaml.MappingNode {
		p.mapping(n, "baseline", p.labelNames, func(name string, _, v *yaml.Node) {
			if text, ok := p.scalar(v, "label "+clip(name)); ok {
				labels = append(labels, bench.Pair{Name: name, Value: text})
			}
		})
	} else if text, ok := p.scalar(n, "baseline"); ok {
		name, value, cut := strings.Cut(text, "=")
		switch {
		case !cut:
			p.problem(n, "baseline %q has no =: write a label and its value, such as Server=nginx", clip(text))
		case !has(p.labelNames, name):
			p.problem(n, "baseline: there is no label %q%s", clip(name), elseOf(name, p.labelNames))
		default:
			labels = []bench.Pair{{Name: name, Value: value}}
		}
	}
	if len(labels) == 0 {
		return
	}
	for _, sys := range p.s.systems {
		if agree(sys.Labels, labels) {
			p.s.plan.Baseline = labels
			return
		}
	}
	if len(p.s.systems) > 0 {
		p.problem(n, "baseline: no system has %s", clip(string(bench.KeyOf(labels))))
	}
}

func agree(have, want []bench.Pair) bool {
	for _, l := range want {
		if v, ok := bench.Lookup(have, l.Name); !ok || v != l.Value {
			return false
		}
	}
	return true
}

var referenceKeys = []string{"run", "rename", "ignore"}

// readReference reads the name of a published run, or a mapping.
func readReference(p *parser, v *yaml.Node) {
	r := &bench.Reference{}
	n := p.resolve(v)
	r.Line, r.Col = n.Line, n.Column
	if n.Kind != yaml.MappingNode {
		p.text(n, "reference", &r.Run)
		p.s.plan.Reference = r
		return
	}
	p.mapping(n, "reference", referenceKeys, func(key string, _, v *yaml.Node) {
		switch key {
		case "run":
			p.text(v, "run", &r.Run)
			r.Line, r.Col = v.Line, v.Column
		case "rename":
			r.Rename = p.words(v, "rename")
		case "ignore":
			items, _ := p.sequence(v, "ignore")
			for _, item := range items {
				name, ok := p.scalar(item, "an axis")
				if ok && fieldNamed(name) == nil {
					p.problem(item, "there is no axis %q%s", clip(name), didYouMean(name, fieldNames()))
				} else if ok {
					r.Ignore = append(r.Ignore, name)
				}
			}
		}
	})
	if r.Run == "" && !p.mentions(n, "run") {
		p.problem(n, "reference has no run: add run: ccp14-2001, or the folder of a run")
	}
	p.s.plan.Reference = r
}
