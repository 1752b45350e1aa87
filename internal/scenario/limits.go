package scenario

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

const (
	maxLimits  = 1000
	maxLimited = 1_000_000 // cells of all limits together
)

var limitKeys = []string{"metric", "max", "min", "where"}

// limit is one of bench.Plan.Limits, with the cells that it is of.
type limit struct {
	match
	written []filterTerm // of where
	where   *yaml.Node   // nil: all cells
	none    bool         // no cell agrees
}

func readLimits(p *parser, v *yaml.Node) {
	items, _ := p.sequence(v, "limits")
	if len(items) > maxLimits {
		p.problem(v, "%d limits: there are at most %d", len(items), maxLimits)
		return
	}
	for _, item := range items {
		before := len(p.problems)
		l, of := p.limit(p.resolve(item))
		if len(p.problems) == before {
			p.s.plan.Limits = append(p.s.plan.Limits, l)
			p.s.limits = append(p.s.limits, of)
		}
	}
}

func (p *parser) limit(n *yaml.Node) (l bench.Limit, of limit) {
	figure := func(v *yaml.Node, what string) *float64 {
		f := 0.0
		number(p, v, what, figures(), &f)
		return &f
	}
	isMapping := p.mapping(n, "a limit", limitKeys, func(key string, _, v *yaml.Node) {
		switch key {
		case "metric":
			p.measurable(v, &l.Metric)
		case "max":
			l.Max = figure(v, "max")
		case "min":
			l.Min = figure(v, "min")
		case "where":
			of.where = p.resolve(v)
			p.text(v, "where", &l.Where)
			terms, err := filterTerms(l.Where)
			if err != nil {
				p.problem(v, "where: %v", err)
			}
			of.written = terms
		}
	})
	switch {
	case !isMapping:
	case !p.mentions(n, "metric"):
		p.problem(n, "a limit has no metric: add metric: latency_p99_ms")
	case !p.mentions(n, "max") && !p.mentions(n, "min"):
		p.problem(n, "a limit has neither max nor min: add max: 20, in the unit of the metric's name")
	case l.Max != nil && l.Min != nil && *l.Min > *l.Max:
		p.problem(n, "no figure is above min %s and below max %s: correct one of them", canonical(*l.Min), canonical(*l.Max))
	}
	return l, of
}

// measurable reads the name of a metric that is a number.
func (p *parser) measurable(v *yaml.Node, to *string) {
	if p.text(v, "metric", to); *to == "" {
		return
	}
	switch {
	case !p.known.metric(*to):
		p.problem(v, "there is no metric %q%s", clip(*to), didYouMean(*to, p.known.Metrics))
	case has(p.known.Words, *to):
		p.problem(v, "%s is words, and only a number has a limit", *to)
	}
}

func figures() kind {
	return kind{
		words: "number",
		parse: func(text string) (any, error) {
			digits, below := strings.CutPrefix(text, "-") // a change may be below 0
			v, err := unit.ParseNumber(digits)
			switch {
			case errors.As(err, new(unit.Octal)):
				return nil, err
			case err != nil || math.IsInf(v, 0):
				return nil, fmt.Errorf("%q is not a number: write one without a unit, in the unit of the metric's name", clip(text))
			case below:
				v = -v
			}
			return v, nil
		},
		schema: either(object{"type": "number"}, matching(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)),
	}
}

func limitsSchema(k Known) any {
	return listOf(closed(object{
		"metric": metricSchema(k),
		"max":    described(figures().schema, "The most it may be, in the unit of the metric's name.", ""),
		"min":    described(figures().schema, "The least it may be, in the unit of the metric's name.", ""),
		"where":  described(scalarSchema(), "Which cells, as --only has it. Left out, all.", ""),
	}, "metric"))
}

// limited finds out which cells the limits are of. A limit of no cell would
// always be kept: it is a slip. Where --set replaced values, it need not be one.
func (p *parser) limited(limits *yaml.Node, drafts []*draft, notices *report) {
	cells := make([]bench.Cell, len(drafts))
	for i, d := range drafts {
		cells[i] = d.Cell
	}
	plan := &bench.Plan{Labels: p.s.plan.Labels, Axes: axesOf(cells, p.s.plan.Files)}
	found := newLookup(&drafts)
	kept := uint64(0)
	for i := range p.s.limits {
		l := &p.s.limits[i]
		of, err := l.choose(plan, found)
		kept += of
		if err != nil && l.where != nil {
			l.none = true
			to := &p.report
			if len(p.replace) > 0 {
				to = notices
			}
			to.problem(l.where, "where: %v", err)
		}
	}
	if kept > maxLimited {
		p.problem(limits, "the limits are of %d cells when added up: at most %d are allowed; narrow them by where", kept, maxLimited)
	}
}

// choose turns the filter into terms and tells how many cells agree: some must.
func (l *limit) choose(plan *bench.Plan, found *lookup) (cells uint64, err error) {
	var problems []error
	for _, w := range l.written {
		t, err := w.term(plan, found)
		problems = append(problems, err)
		l.match.terms = append(l.match.terms, t)
	}
	if err := errors.Join(problems...); err != nil {
		return 0, err
	}
	if cells = found.all(l.match.terms).GetCardinality(); cells == 0 {
		return 0, fmt.Errorf("no cell has all of %s", l.match)
	}
	return cells, nil
}

// limit tells each of the drafts which limits its cell must keep.
func (s *Scenario) limit(drafts []*draft) {
	found := newLookup(&drafts)
	for i, l := range s.limits {
		if l.none {
			continue
		}
		found.all(l.match.terms).Iterate(func(at uint32) bool {
			drafts[at].Limits = append(drafts[at].Limits, i)
			return true
		})
	}
}
