package table

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
)

func chartsOf(t *testing.T, spec bench.Table) (*Report, []Chart) {
	t.Helper()
	r := Build(two(spec))
	return r, r.Tables[0].Charts
}

func TestCharts(t *testing.T) {
	line, bar := bench.Lines, bench.Bars
	rates := func(kind bench.ChartKind) Chart {
		return Chart{Kind: kind, Title: "T: Requests per second", XLabel: "Requests", YLabel: "Requests per second",
			About: "Lines of Requests per second by Requests, 100 to 1000. nginx: 100.0 to 250.0. apache: 50.00 to 50.00; failed at 1000.",
			Ticks: []Tick{{100, "100"}, {1000, "1000"}},
			Series: []Series{
				{"nginx", []Point{{X: 100, Y: new(100.0)}, {X: 1000, Y: new(250.0)}}},
				{"apache", []Point{{X: 100, Y: new(50.0)}, {X: 1000, Failed: true}}},
			}}
	}
	bars := rates(bar)
	bars.About = strings.Replace(bars.About, "Lines", "Bars", 1)
	bars.Ticks = []Tick{{0, "100"}, {1, "1000"}}
	for _, s := range bars.Series {
		s.Points[0].X, s.Points[1].X = 0, 1
	}
	for _, c := range []struct {
		name string
		spec bench.Table
		want []Chart
	}{
		{"none", bench.Table{}, nil},
		{"lines over what varies", bench.Table{Chart: &bench.Chart{Kind: line}}, []Chart{rates(line)}},
		{"bars beside each other", bench.Table{Layout: bench.Pivot, Rows: "requests", Columns: "Server", Chart: &bench.Chart{Kind: bar}}, []Chart{bars}},
		{"systems along x, in a unit, under a heading", bench.Table{Filter: "requests:100", Metrics: []bench.Column{{Metric: "time_s", Heading: "Took"}},
			Chart: &bench.Chart{Kind: bar, Y: []string{"time_s"}}}, []Chart{{Kind: bar, Title: "T: Took", XLabel: "Server", YLabel: "Took", Unit: "s",
			About: "Bars of Took by Server, nginx to apache. Took: 1.000 to 2.000 s.", Ticks: []Tick{{0, "nginx"}, {1, "apache"}},
			Series: []Series{{"Took", []Point{{X: 0, Y: new(1.0)}, {X: 1, Y: new(2.0)}}}}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got := chartsOf(t, c.spec)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestChartsOfAGrid parts what one picture cannot hold: a chart for each file,
// at most six lines in each, a logarithmic axis for values far apart.
func TestChartsOfAGrid(t *testing.T) {
	servers := []string{"a", "b", "c", "d", "e", "f", "g"}
	info := plannedFor(servers...)
	info.Plan.Tables = []bench.Table{{Chart: &bench.Chart{Kind: bench.Lines, X: "concurrency"}}}
	var records []bench.Record
	for s, server := range servers {
		for p, conns := range []int{1, 10, 100} {
			for _, file := range []string{"small", "large"} {
				c := at(server, s, p, int64(100*conns)) // ten times the connections, ten times the requests
				c.File.Name, c.Load.Conns = file, conns
				c.Key += bench.Key(file)
				records = append(records, ok(c, 1, time.Second))
			}
		}
	}
	var titles []string
	for _, c := range Build(info, records).Tables[0].Charts {
		titles = append(titles, c.Title)
		if !c.XLog || !c.YLog || len(c.Series) > MaxSeries || len(c.Series[0].Points) != 3 {
			t.Errorf("%+v", c)
		}
	}
	want := []string{"T: Requests per second, small (1 of 2)", "T: Requests per second, small (2 of 2)", "T: Requests per second, large (1 of 2)", "T: Requests per second, large (2 of 2)"}
	if d := cmp.Diff(want, titles); d != "" {
		t.Error(d)
	}
}

func TestChartsThatCannotBeDrawn(t *testing.T) {
	r, charts := chartsOf(t, bench.Table{Chart: &bench.Chart{Kind: bench.Lines, Y: []string{"errors"}}})
	if got := noteOf(r, "chart"); len(charts) != 0 || got != "T: errors cannot be drawn." {
		t.Errorf("%d charts, note %q", len(charts), got)
	}
	_, records := two()
	var cells []bench.Cell
	for _, r := range records {
		cells = append(cells, r.Cell)
	}
	for _, c := range []struct {
		chart bench.Chart
		want  string
	}{
		{bench.Chart{X: "concurrency", Y: []string{"failed"}}, ""},
		{bench.Chart{Y: []string{"errors"}}, "y: errors is words, and only numbers can be drawn"},
		{bench.Chart{X: "Servr"}, `x: there is no label and no axis "Servr": there are Server, file,`},
		{bench.Chart{X: ".metric"}, `x: there is no label and no axis ".metric"`},
	} {
		part, err := Check(bench.Table{Layout: bench.Pivot, Rows: ".metric", Chart: &c.chart}, cells)
		if c.want == "" && err == nil {
			continue
		}
		if part != "chart" || err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %s: %v, want %q", c.chart, part, err, c.want)
		}
	}
}
