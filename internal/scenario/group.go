package scenario

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// group is the settings that stand together: in load, in a system or in a block
// of the grid.
type group struct {
	level     string // "load", "system", "grid" or "default"
	line, col int
	dims      []dim // in the order written
	unsure    bool  // what it has cannot be told: no mapping, or unknown keys
}

// dim is the settings that are walked together: one, or those of a zip, all
// with equally many values.
type dim []*setting

// setting is a field with the values that stand for it at one place.
type setting struct {
	field     *field
	values    []*value
	line, col int
}

// value is one value of a setting: as written, as compared and as stored.
type value struct {
	field       *field
	text, canon string
	data        any
	node        *yaml.Node
	level       string
}

func (g *group) has(name string) bool {
	for _, d := range g.dims {
		for _, s := range d {
			if s.field.name == name {
				return true
			}
		}
	}
	return false
}

func fieldNames() []string {
	list := make([]string, len(fields))
	for i := range fields {
		list[i] = fields[i].name
	}
	return list
}

// group reads a mapping of settings; a block of the grid may hold a zip.
func (p *parser) group(n *yaml.Node, level, what string) *group {
	n = p.resolve(n)
	g := &group{level: level, line: n.Line, col: n.Column}
	allowed := fieldNames()
	if level == "grid" {
		allowed = append(allowed, "zip")
	}
	var zip *yaml.Node
	isMapping := p.mapping(n, what, allowed, func(key string, k, v *yaml.Node) {
		if key == "zip" {
			zip = v
			g.dims = append(g.dims, nil)
			return
		}
		g.dims = append(g.dims, dim{p.setting(fieldNamed(key), k, v, level)})
	})
	g.unsure = !isMapping || len(p.meant[n]) > 0
	if zip != nil {
		p.zip(g, zip)
	}
	p.budget(g, what)
	return g
}

// zip reads the lists that are walked together, into the place in the block
// that was left for them.
func (p *parser) zip(g *group, n *yaml.Node) {
	var together dim
	p.mapping(n, "zip", fieldNames(), func(key string, k, v *yaml.Node) {
		f := fieldNamed(key)
		if !f.axis {
			p.problem(k, "%s cannot be an axis: take it out of zip", key)
			return
		}
		if g.has(key) {
			p.problem(k, "%s stands both in the block and in its zip: remove one", key)
			return
		}
		s := p.list(f, k, p.replacedList(f, v), g.level, false)
		if len(together) > 0 && len(s.values) != len(together[0].values) {
			p.problem(k, "zip: %s has %d values and %s has %d: lists that are walked together must be equally long",
				key, len(s.values), together[0].field.name, len(together[0].values))
		}
		together = append(together, s)
	})
	if len(together) == 0 {
		g.unsure = true
		p.problem(n, "zip has no lists to walk together: write zip: {file: [a, b], requests: [10, 20]}")
	}
	for i, d := range g.dims {
		if d == nil {
			g.dims[i] = together
		}
	}
}

// budget refuses a group that has both budgets.
func (p *parser) budget(g *group, what string) {
	if g.has("requests") && g.has("duration") {
		p.at(g.line, g.col, "%s has both requests and duration: a cell has one of them; remove the other", what)
	}
}

// setting reads one value or, for an axis, a list.
func (p *parser) setting(f *field, k, v *yaml.Node, level string) *setting {
	if level != "include" { // which names cells there are, exclude as well
		v = p.replaced(f, v)
	}
	s := &setting{field: f, line: k.Line, col: k.Column}
	if f.read != nil {
		p.secret(f, v)
		if data, ok := f.read(p, v); ok {
			s.values = append(s.values, &value{field: f, text: "(set)", data: data, node: p.resolve(v), level: level})
		}
		return s
	}
	if p.resolve(v).Kind == yaml.SequenceNode {
		if f.axis {
			return p.list(f, k, v, level, true)
		}
		p.problem(v, "%s takes one value, not a list: it cannot be an axis", f.name)
		return s
	}
	if x, ok := p.value(f, v, level); ok {
		s.values = append(s.values, x)
	}
	return s
}

// list reads the values of an axis; a product has each value once, a zip may
// repeat them.
func (p *parser) list(f *field, k, v *yaml.Node, level string, once bool) *setting {
	s := &setting{field: f, line: k.Line, col: k.Column}
	items, _ := p.sequence(v, f.name)
	first := map[string]*value{}
	for _, item := range items {
		x, ok := p.value(f, item, level)
		if !ok {
			continue
		}
		if before, twice := first[x.canon]; twice && once {
			p.problem(item, "%s %s stands twice in this list: first at %d:%d; remove one", f.name, clip(x.text), before.node.Line, before.node.Column)
			continue
		}
		first[x.canon] = x
		s.values = append(s.values, x)
	}
	return s
}

func (p *parser) value(f *field, n *yaml.Node, level string) (*value, bool) {
	text, ok := p.scalar(n, f.name)
	if !ok {
		return nil, false
	}
	if f.choices != nil {
		if all := f.choices(p); !has(all, text) {
			p.problem(n, "there is no %s %q%s", f.name, clip(text), elseOf(text, all))
			return nil, false
		}
	}
	data, err := f.kind.parse(text)
	if err != nil {
		p.problem(n, "%s: %v", f.name, err)
		return nil, false
	}
	x := &value{field: f, text: text, canon: canonical(data), data: data, node: n, level: level}
	if _, isTruth := data.(bool); isTruth {
		x.text = x.canon // yes, on and true are one value and so one spelling
	}
	return x, true
}

// elseOf suggests the nearest choice, or lists them when there are few.
func elseOf(word string, all []string) string {
	if s := didYouMean(word, all); s != "" {
		return s
	}
	const few = 12
	if len(all) == 0 || len(all) > few {
		return ""
	}
	var list strings.Builder
	list.WriteString(": there is ")
	for i, a := range all {
		switch {
		case i > 0 && i == len(all)-1:
			list.WriteString(" and ")
		case i > 0:
			list.WriteString(", ")
		}
		list.WriteString(a)
	}
	return list.String()
}
