package scenario

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Setting is a load setting and the value that stands in for whatever a scenario
// gives it: one, or for an axis a list, "[1, 10]".
type Setting struct{ Name, Value string }

func (s Setting) String() string { return s.Name + "=" + s.Value }

// ReadSetting reads "NAME=VALUE".
func ReadSetting(text string) (Setting, error) {
	name, value, ok := strings.Cut(text, "=")
	s := Setting{strings.TrimSpace(name), strings.TrimSpace(value)}
	f := fieldNamed(s.Name)
	switch {
	case !ok || s.Name == "":
		return s, fmt.Errorf("%q is no setting: write NAME=VALUE, such as duration=2s", clip(text))
	case f == nil:
		return s, fmt.Errorf("there is no load setting %q%s", clip(s.Name), elseOf(s.Name, fieldNames()))
	case f.read != nil:
		return s, fmt.Errorf("%s is no single value: write it in the scenario", s.Name)
	}
	_, err := s.node()
	return s, err
}

// node is the value as YAML: a scalar or a list.
func (s Setting) node() (*yaml.Node, error) {
	var doc yaml.Node
	if strings.ContainsAny(s.Value, "\n\r") || yaml.Unmarshal([]byte(s.Value), &doc) != nil || len(doc.Content) != 1 {
		return nil, fmt.Errorf("%s has no value: write one, such as %s=2s, or a list, %s=[1, 10]", s.Name, s.Name, s.Name)
	}
	if n := doc.Content[0]; n.Kind == yaml.ScalarNode || n.Kind == yaml.SequenceNode {
		return n, nil
	}
	return nil, fmt.Errorf("%s takes a value or a list, not %q", s.Name, clip(s.Value))
}

// ParseSet is Parse with load settings replaced in load, in the systems and in
// the grid, zips included, wherever the scenario has them. The error is Problems
// or tells which setting replaced nothing.
func ParseSet(name string, src []byte, known Known, sets []Setting) (*Scenario, error) {
	var said strings.Builder
	byName := map[string]*replacement{}
	for _, s := range sets {
		n, err := s.node()
		if err != nil {
			return nil, err
		}
		if byName[s.Name] != nil {
			return nil, fmt.Errorf("%s is set twice: give it one value, or of an axis a list, %s=[1, 10]", s.Name, s.Name)
		}
		byName[s.Name] = &replacement{node: n}
		fmt.Fprintf(&said, "# --set %s\n", s)
	}
	s, err := parse(name, src, known, byName)
	if err != nil {
		return nil, err
	}
	for _, x := range sets {
		if !byName[x.Name].used {
			return nil, fmt.Errorf("%s replaces nothing: the scenario %s does not say %s", x, name, x.Name)
		}
	}
	if len(sets) > 0 {
		s.set = said.String()
		s.plan.Digest = digest(slices.Concat([]byte(s.set), src))
	}
	return s, nil
}

// replacement is what stands in for the values of a setting.
type replacement struct {
	node *yaml.Node
	used bool
}

// replaced is the value that holds for f where the scenario has v. It has the
// place of v, for problems.
func (p *parser) replaced(f *field, v *yaml.Node) *yaml.Node {
	r, ok := p.replace[f.name]
	if !ok {
		return v
	}
	r.used = true
	return placed(r.node, v)
}

// replacedList is replaced for a list that is walked together with others: a
// single value stands in for each of its own.
func (p *parser) replacedList(f *field, v *yaml.Node) *yaml.Node {
	n := p.replaced(f, v)
	was := v
	if was.Kind == yaml.AliasNode && was.Alias != nil {
		was = was.Alias
	}
	if n == v || n.Kind != yaml.ScalarNode || was.Kind != yaml.SequenceNode {
		return n
	}
	list := *was
	list.Content = slices.Repeat([]*yaml.Node{n}, len(was.Content))
	return &list
}

func placed(n, at *yaml.Node) *yaml.Node {
	c := *n
	c.Line, c.Column = at.Line, at.Column
	c.Content = nil
	for _, item := range n.Content {
		c.Content = append(c.Content, placed(item, at))
	}
	return &c
}
