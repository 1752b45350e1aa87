package scenario

import (
	"strings"

	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
)

// match is an entry of exclude or include: a cell agrees with it when every
// term has one of its values.
type match struct {
	terms []term
	node  *yaml.Node
}

// term is a label or a setting and the values it may have.
type term struct {
	name   string
	field  *field // nil: a label
	values []string
}

// include is a match that may also be a block of its own.
type include struct {
	match
	block *group // its settings, without its labels
}

func (t term) value(d *draft) (string, bool) {
	if t.field == nil {
		return bench.Lookup(d.Labels, t.name)
	}
	text := t.field.text(d)
	return text, text != ""
}

func (t term) agrees(d *draft) bool {
	v, ok := t.value(d)
	return ok && has(t.values, v)
}

// selects reports whether the labels of a system are those that m names.
func (m match) selects(sys system) bool {
	d := &draft{Cell: bench.Cell{Labels: sys.Labels}}
	for _, t := range m.terms {
		if t.field == nil && !t.agrees(d) {
			return false
		}
	}
	return true
}

func readExclude(p *parser, v *yaml.Node) {
	items, _ := p.sequence(v, "exclude")
	for _, item := range items {
		if m, _, ok := p.match(p.resolve(item), "an exclude"); ok {
			p.s.excludes = append(p.s.excludes, m)
		}
	}
}

func readInclude(p *parser, v *yaml.Node) {
	items, _ := p.sequence(v, "include")
	for _, item := range items {
		if m, g, ok := p.match(p.resolve(item), "an include"); ok {
			p.budget(g, "this include")
			p.s.includes = append(p.s.includes, include{m, g})
		}
	}
}

// match reads an entry; ok is false when it has problems.
func (p *parser) match(n *yaml.Node, what string) (m match, g *group, ok bool) {
	before := len(p.problems)
	m.node = n
	g = &group{level: "include", line: n.Line, col: n.Column}
	p.mapping(n, what, nil, func(name string, k, v *yaml.Node) {
		f := fieldNamed(name)
		switch {
		case has(p.labelNames, name):
			m.terms = append(m.terms, term{name: name, values: p.alternatives(v, "label "+clip(name))})
		case f == nil:
			p.problem(k, "%q is no label and no setting%s", clip(name), didYouMean(name, append(fieldNames(), p.labelNames...)))
		case f.read != nil:
			p.problem(k, "%s cannot be matched: use a label or another setting", name)
		default:
			m.terms = append(m.terms, p.termOf(f, k, v))
			g.dims = append(g.dims, dim{p.setting(f, k, v, "include")})
		}
	})
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		p.problem(n, "%s is empty: it would match every cell; name a label or a setting", what)
	}
	return m, g, len(p.problems) == before && len(m.terms) > 0
}

func (p *parser) termOf(f *field, k, v *yaml.Node) term {
	t := term{name: f.name, field: f}
	for _, x := range p.setting(f, k, v, "include").values {
		t.values = append(t.values, x.canon)
	}
	return t
}

func (p *parser) alternatives(v *yaml.Node, what string) []string {
	items := []*yaml.Node{v}
	if p.resolve(v).Kind == yaml.SequenceNode {
		items, _ = p.sequence(v, what)
	}
	var list []string
	for _, item := range items {
		if text, ok := p.scalar(item, what); ok {
			list = append(list, text)
		}
	}
	return list
}

func (m match) String() string {
	parts := make([]string, len(m.terms))
	for i, t := range m.terms {
		parts[i] = t.name + "=" + strings.Join(t.values, ",")
	}
	return clip(strings.Join(parts, " "))
}
