package scenario

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// parser reads one scenario file. It follows an alias to its anchor where the
// scenario's own shape calls for a value there, and nowhere else, so that no
// alias can make it loop or grow.
type parser struct {
	report
	known      Known
	s          *Scenario
	fileNames  []string                // of files, with those that have problems
	labelNames []string                // likewise
	broken     bool                    // what shapes the grid has problems
	meant      map[*yaml.Node][]string // by mapping, keys that its unknown keys seem to mean; "*" for all
	tables     []tableNode             // whose expressions can be read
	replace    map[string]*replacement // by load setting, what stands in for its values
	places     map[string]string       // key to the place where it belongs, for keys that stand elsewhere
}

// resolve follows an alias and refuses what has no meaning here.
func (p *parser) resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	if n.Style&yaml.TaggedStyle != 0 {
		p.problem(n, "tags such as %s have no meaning here: remove it", n.Tag)
	}
	return n
}

// scalar returns the text of a value as it stands in the source: 7.0 is "7.0"
// and No is "No". what names the value in problems.
func (p *parser) scalar(n *yaml.Node, what string) (string, bool) {
	n = p.resolve(n)
	switch {
	case n.Kind == yaml.SequenceNode:
		p.problem(n, "%s is a list here: write one value", what)
	case n.Kind == yaml.MappingNode:
		p.problem(n, "%s is a mapping here: write one value (quote a text that begins with { or holds \": \")", what)
	case empty(n):
		p.problem(n, "%s has no value: write one, or leave the key out", what)
	case strings.ContainsRune(n.Value, 0):
		p.problem(n, "%s holds a NUL character: remove it", what)
	default:
		return n.Value, true
	}
	return "", false
}

// empty tells a key without a value from one whose value is the text "" or
// "null".
func empty(n *yaml.Node) bool {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&quoted == 0
}

// sequence returns the items of a list that has at least one.
func (p *parser) sequence(n *yaml.Node, what string) ([]*yaml.Node, bool) {
	n = p.resolve(n)
	switch {
	case n.Kind != yaml.SequenceNode:
		p.problem(n, "%s must be a list: write [a, b], or one item a line after a hyphen", what)
		return nil, false
	case len(n.Content) == 0:
		p.problem(n, "%s is an empty list: add an item", what)
		return nil, false
	}
	return n.Content, true
}

// mapping hands the pairs of a mapping to each, in order, and reports keys that
// stand twice or that allowed does not list; a nil allowed lists every key.
func (p *parser) mapping(n *yaml.Node, what string, allowed []string, each func(key string, k, v *yaml.Node)) bool {
	n = p.resolve(n)
	if n.Kind != yaml.MappingNode {
		p.problem(n, "%s must be a mapping: write key: value", what)
		return false
	}
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		key, ok := p.key(k, what)
		if !ok {
			p.meant[n] = append(p.meant[n], "*")
			continue
		}
		if before, twice := first[key]; twice {
			p.problem(k, "%s stands twice in %s: first on line %d, again on line %d; remove one", key, what, before.Line, k.Line)
			continue
		}
		first[key] = k
		if allowed != nil && !has(allowed, key) {
			p.meant[n] = append(p.meant[n], p.unknown(k, key, what, allowed))
			continue
		}
		if v.Kind == yaml.ScalarNode && empty(v) {
			p.problem(k, "%s has no value: write one, or leave the key out", key)
			continue
		}
		each(key, k, v)
	}
	return true
}

func (p *parser) key(k *yaml.Node, what string) (string, bool) {
	if k.Kind == yaml.AliasNode {
		p.problem(k, "an alias cannot be a key of %s: write the key out", what)
		return "", false
	}
	k = p.resolve(k)
	switch {
	case k.Kind != yaml.ScalarNode:
		p.problem(k, "a key of %s must be a plain word", what)
	case k.Value == "<<" && k.Style == 0:
		p.problem(k, "merge keys (<<) are not understood: write the keys out, or put what is common into load")
	case k.Value == "":
		p.problem(k, "a key of %s is empty: name it", what)
	case strings.ContainsRune(k.Value, 0):
		p.problem(k, "a key of %s holds a NUL character: remove it", what)
	default:
		return k.Value, true
	}
	return "", false
}

// unknown reports a key and returns the one that it seems to mean, or "".
func (p *parser) unknown(k *yaml.Node, key, what string, allowed []string) string {
	const few = 12
	if len(p.problems) >= maxProblems {
		return ""
	}
	near, ok := nearest(key, allowed)
	place, elsewhere := p.places[key]
	switch {
	case ok:
		p.problem(k, "unknown key %q in %s; did you mean %s?", clip(key), what, near)
	case elsewhere:
		p.problem(k, "unknown key %q in %s: it belongs %s", clip(key), what, place)
	case len(allowed) > few:
		p.problem(k, "unknown key %q in %s: `matrix schema` lists the keys there are", clip(key), what)
	default:
		p.problem(k, "unknown key %q in %s: it has %s", clip(key), what, strings.Join(allowed, ", "))
	}
	return near
}

// mentions reports whether a mapping has a key, be it with a problem or
// misspelt, so that it is not called missing as well.
func (p *parser) mentions(n *yaml.Node, key string) bool {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return has(p.meant[n], key) || has(p.meant[n], "*")
}

func has(list []string, s string) bool {
	return slices.Contains(list, s)
}

// clip keeps a message readable whatever stands in the file.
func clip(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}
