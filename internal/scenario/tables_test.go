package scenario

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
)

const withTables = `files: {small: 1.5kB}
systems:
  - {labels: {Server: Apache alone, OS: a}, server: embedded}
  - {labels: {Server: Tomcat alone, OS: a}, server: embedded}
load: {driver: fake, file: small, concurrency: 1, requests: 10}
baseline: Server=Apache alone
reference: {run: tomcat-2004, rename: {small: HelloWorldExample}, ignore: [requests]}
tables:
  - title: Rates
    filter: Server:"Apache alone"
    rows: Server,concurrency
    metrics: [requests_per_second, {metric: latency_p66_ms, heading: 66 %}]
    headings: {concurrency: C, 7.0: No}
    chart: bar
  - {layout: pivot, rows: .metric, columns: OS, chart: {x: requests, y: [requests_per_second, latency_p66_ms]}}
  - {chart: {y: failed}}
`

func TestTables(t *testing.T) {
	s, err := Parse("t.yaml", []byte(withTables), testKnown)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []bench.Table{
		{Title: "Rates", Layout: bench.Flat, Filter: `Server:"Apache alone"`, Rows: "Server,concurrency",
			Metrics:  []bench.Column{{Metric: "requests_per_second"}, {Metric: "latency_p66_ms", Heading: "66 %"}},
			Headings: map[string]string{"concurrency": "C", "7.0": "No"}, Chart: &bench.Chart{Kind: bench.Bars}},
		{Layout: bench.Pivot, Rows: ".metric", Columns: "OS", Chart: &bench.Chart{Kind: bench.Lines, X: "requests", Y: []string{"requests_per_second", "latency_p66_ms"}}},
		{Layout: bench.Flat, Chart: &bench.Chart{Kind: bench.Lines, Y: []string{"failed"}}},
	}
	if d := cmp.Diff(want, plan.Tables); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]bench.Pair{{Name: "Server", Value: "Apache alone"}}, plan.Baseline); d != "" {
		t.Error(d)
	}
	reference := &bench.Reference{Run: "tomcat-2004", Rename: map[string]string{"small": "HelloWorldExample"}, Ignore: []string{"requests"}, Line: 7, Col: 18}
	if d := cmp.Diff(reference, plan.Reference); d != "" {
		t.Error(d)
	}
}

// tableStub refuses what the package that lays out tables might: syntax without
// cells, a chart along nothing, and with cells a filter that keeps none.
func tableStub(t bench.Table, cells []bench.Cell) (string, error) {
	switch {
	case t.Filter == "BAD":
		return "filter", errors.New("syntax error")
	case t.Chart != nil && t.Chart.X == "NOWHERE":
		return "chart", errors.New("x: there is no label and no axis")
	case t.Filter == "none agrees" && len(cells) > 0:
		return "filter", errors.New("no cell agrees with it")
	}
	return "", nil
}
