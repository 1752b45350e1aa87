package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"matrix/internal/bench"
)

// Only keeps the cells of p that agree with a filter such as
//
//	OS='Red Hat 7.0' concurrency=10,150 driver=ab
//
// Every term must hold, commas separate alternatives, quotes keep spaces and
// commas together. A term is a label or a load setting; labels are compared as
// written, numbers by value. Systems and files that no kept cell needs are left
// out of the result; p itself is not changed. A term that no cell agrees with is
// an error, and so are terms that do not meet in any cell. An empty filter keeps
// everything.
func Only(p *bench.Plan, filter string) (*bench.Plan, error) {
	words, err := filterTerms(filter)
	if err != nil {
		return nil, fmt.Errorf("reading the filter: %w", err)
	}
	drafts := make([]*draft, len(p.Cells))
	for i, c := range p.Cells {
		drafts[i] = &draft{Cell: c}
		if c.Load.TLS != nil {
			drafts[i].tls = *c.Load.TLS
		}
	}
	var problems []error
	var m match
	found := newLookup(&drafts)
	for _, w := range words {
		t, err := w.term(p, found)
		problems = append(problems, err)
		m.terms = append(m.terms, t)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	kept := found.all(m.terms)
	out := narrowed(p, func(i int) bool { return kept.ContainsInt(i) })
	if len(out.Cells) == 0 {
		return nil, fmt.Errorf("no cell has all of %s", clip(filter))
	}
	return out, nil
}

// Keep is p with only the cells that keep tells of, and with only the systems,
// files, labels and axis values that these need; p itself is not changed.
func Keep(p *bench.Plan, keep func(bench.Cell) bool) *bench.Plan {
	return narrowed(p, func(i int) bool { return keep(p.Cells[i]) })
}

func narrowed(p *bench.Plan, keep func(i int) bool) *bench.Plan {
	out := *p
	out.Cells, out.Systems, out.Files, out.Labels = nil, nil, nil, nil
	systems := map[int]int{}
	files := map[string]bool{}
	for i, c := range p.Cells {
		if !keep(i) {
			continue
		}
		index, known := systems[c.System]
		if !known {
			index = len(out.Systems)
			systems[c.System] = index
			out.Systems = append(out.Systems, p.Systems[c.System])
		}
		c.System = index
		files[c.File.Name] = true
		out.Cells = append(out.Cells, c)
	}
	for _, f := range p.Files {
		if files[f.Name] {
			out.Files = append(out.Files, f)
		}
	}
	for _, label := range p.Labels {
		if slices.ContainsFunc(out.Systems, func(s bench.System) bool { _, ok := bench.Lookup(s.Labels, label); return ok }) {
			out.Labels = append(out.Labels, label)
		}
	}
	out.Axes = axesOf(out.Cells, p.Files)
	return &out
}

// filterTerm is one term as written, quotes taken off.
type filterTerm struct {
	name   string
	values []string
}

// term finds what a name means in p, and that some cell has each value.
func (w filterTerm) term(p *bench.Plan, found *lookup) (term, error) {
	t := term{name: w.name}
	if !has(p.Labels, w.name) {
		t.field = fieldNamed(w.name)
		if t.field == nil || t.field.read != nil {
			return t, fmt.Errorf("%q is no label and no setting of this scenario%s", w.name, elseOf(w.name, filterNames(p)))
		}
	}
	have := found.values(t)
	for _, v := range w.values {
		if t.field != nil {
			if _, err := t.field.kind.parse(v); err != nil {
				return t, fmt.Errorf("%s: %w", w.name, err)
			}
			v = t.field.canon(v)
		}
		if have[v] == nil {
			return t, fmt.Errorf("no cell has %s=%s%s", w.name, v, elseOf(v, slices.Sorted(maps.Keys(have))))
		}
		t.values = append(t.values, v)
	}
	return t, nil
}

func filterNames(p *bench.Plan) []string {
	list := slices.Clone(p.Labels)
	for _, a := range p.Axes {
		list = append(list, a.Name)
	}
	return list
}

// filterTerms splits a filter: at spaces into terms, at the first = into name
// and values, at commas into values; quotes make any of these plain.
func filterTerms(filter string) (terms []filterTerm, err error) {
	var part strings.Builder
	var w *filterTerm
	quote, quoted := rune(0), false
	finish := func() error {
		switch {
		case w == nil && part.Len() == 0 && !quoted:
			return nil
		case w == nil:
			return fmt.Errorf("%q has no =: write name=value", clip(part.String()))
		case part.Len() == 0 && !quoted:
			return fmt.Errorf("%s= has an empty value: write one, or '' for the empty text", clip(w.name))
		}
		w.values = append(w.values, part.String())
		terms = append(terms, *w)
		return nil
	}
	for _, r := range filter + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			part.WriteRune(r)
		case r == '\'' || r == '"':
			quote, quoted = r, true
		case r == '=' && w == nil && part.Len() > 0:
			w = &filterTerm{name: part.String()}
			part.Reset()
			quoted = false
		case r == ',' && w != nil && (part.Len() > 0 || quoted):
			w.values = append(w.values, part.String())
			part.Reset()
			quoted = false
		case r == ' ' || r == '\t' || r == '\n':
			if err := finish(); err != nil {
				return nil, err
			}
			part.Reset()
			w, quoted = nil, false
		default:
			part.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote (%c) is not closed", quote)
	}
	return terms, nil
}
