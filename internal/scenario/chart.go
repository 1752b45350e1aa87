package scenario

import (
	"slices"

	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
)

var chartKeys = []string{"kind", "x", "y"}

func chartKinds() kind { return oneOf(bench.Lines, bench.Bars) }

// chart reads "line", "bar", or a mapping.
func (p *parser) chart(v *yaml.Node) *bench.Chart {
	c := &bench.Chart{Kind: bench.Lines}
	n := p.resolve(v)
	if n.Kind != yaml.MappingNode {
		number(p, n, "chart", chartKinds(), &c.Kind)
		return c
	}
	p.mapping(n, "a chart", chartKeys, func(key string, _, v *yaml.Node) {
		switch key {
		case "kind":
			number(p, v, "kind", chartKinds(), &c.Kind)
		case "x":
			p.text(v, "x", &c.X)
		case "y":
			c.Y = p.drawn(v)
		}
	})
	return c
}

// drawn reads the metrics of a chart: one, or a list.
func (p *parser) drawn(v *yaml.Node) (list []string) {
	items := []*yaml.Node{v}
	if p.resolve(v).Kind == yaml.SequenceNode {
		items, _ = p.sequence(v, "y")
	}
	for _, item := range items {
		name, ok := p.scalar(item, "a metric")
		switch {
		case !ok:
		case !p.known.metric(name):
			p.problem(item, "there is no metric %q%s", clip(name), didYouMean(name, p.known.Metrics))
		case slices.Contains(list, name):
			p.problem(item, "the metric %s stands twice: remove one", name)
		default:
			list = append(list, name)
		}
	}
	return list
}

func chartSchema(k Known) any {
	metric := metricSchema(k)
	return either(chartKinds().schema, closed(object{
		"kind": described(chartKinds().schema, "How values are drawn.", "line"),
		"x":    described(scalarSchema(), "Label or axis along the picture.", "the first axis of numbers that varies, or else label"),
		"y":    described(either(metric, listOf(metric)), "Metrics, each in a picture of its own.", "requests_per_second"),
	}))
}
