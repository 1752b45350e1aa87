package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// Chart is one metric of some cells as a picture, all of it decided but where
// the ink goes.
type Chart struct {
	Kind   bench.ChartKind `json:"kind"`
	Title  string          `json:"title"`
	About  string          `json:"about"` // one sentence a series, for those who do not see the picture
	XLabel string          `json:"x_label"`
	YLabel string          `json:"y_label"`
	Unit   string          `json:"unit,omitempty"` // of the values; "" where YLabel says it
	Ticks  []Tick          `json:"ticks"`          // along x, ascending; but for percentiles, each X of a point is one of them
	XLog   bool            `json:"x_log,omitempty"`
	YLog   bool            `json:"y_log,omitempty"` // all values are then above 0
	Series []Series        `json:"series"`          // at most MaxSeries

	// Looks is which of MaxSeries looks each of the Series has, so that the same
	// name looks the same in all charts of a run, and another does not, as long as
	// they have MaxSeries names at most; those that a table asks for aside. nil: they
	// look by their places. Until all charts are drawn, it holds the systems.
	Looks []int `json:"looks,omitempty"`

	// Least and Most are what the values of all charts span that this one was
	// parted from, so that they share their y axis; nil for a chart that stands
	// alone.
	Least *float64 `json:"y_least,omitempty"`
	Most  *float64 `json:"y_most,omitempty"`
}

// MaxSeries is how many series a chart holds; more are parted over several.
const MaxSeries = 6

// maxCharts is how many charts a table has.
const maxCharts = 24

// Tick is a value along x, and its text.
type Tick struct {
	At   float64 `json:"at"`
	Text string  `json:"text"`
}

// Series is the cells that differ in nothing but x.
type Series struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"` // by X, ascending
}

// Point is one cell.
type Point struct {
	X      float64  `json:"x"`
	Y      *float64 `json:"y"`                // in Chart.Unit; nil: not measured, and never drawn as 0
	Failed bool     `json:"failed,omitempty"` // it was tried, and that is why there is no Y

	// Low and High are the least and greatest of the rounds, in Chart.Unit; nil
	// where there were fewer than two, or the chart does not show them.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
}

// ChartGroup is charts of one question, to be set beside each other.
type ChartGroup struct {
	Title  string  `json:"title"`
	About  string  `json:"about,omitempty"` // how to read them
	Charts []Chart `json:"charts,omitempty"`
	Heats  []Heat  `json:"heats,omitempty"`
}

// Heat is the grid as a map: systems and files down, points across, each cell
// relative to the best system at its point.
type Heat struct {
	Title   string    `json:"title"`
	About   string    `json:"about"`
	XLabel  string    `json:"x_label"`
	Columns []string  `json:"columns"` // texts along x
	Rows    []HeatRow `json:"rows"`
}

// HeatRow is a line of a Heat; its Cells stand in the order of the Columns.
type HeatRow struct {
	Name  string     `json:"name"`
	Cells []HeatCell `json:"cells"`
}

// HeatCell is one cell of the grid.
type HeatCell struct {
	Share *float64    `json:"share"`          // of the best at the point, above 0 and at most 1; nil: not measured, or not to be compared
	Best  bool        `json:"best,omitempty"` // the best, or the rounds do not tell it from the best
	Text  string      `json:"text"`           // "87 %", "failed", "?", "" where the plan has no such cell
	State bench.State `json:"state,omitempty"`
}

// charts draws what a table asks for: a chart a metric, and of each file.
func (b *builder) charts(spec bench.Table) (list []Chart) {
	if spec.Chart == nil {
		return nil
	}
	names := spec.Chart.Y
	if len(names) == 0 {
		names = []string{"requests_per_second"}
	}
	for _, name := range names {
		m, known := Lookup(name)
		if !known || m.Text != nil {
			b.note("chart", "%s: %s cannot be drawn.", captionOf(spec, b.info.Plan), name)
			continue
		}
		if i := slices.IndexFunc(spec.Metrics, func(c bench.Column) bool { return c.Metric == name && c.Heading != "" }); i >= 0 {
			m.Heading = spec.Metrics[i].Heading
		}
		list = append(list, b.drawn(spec, m)...)
	}
	if len(list) > maxCharts {
		b.note("chart", "%s: of %d charts the first %d are drawn; a filter would make them fewer.", captionOf(spec, b.info.Plan), len(list), maxCharts)
		list = list[:maxCharts]
	}
	return list
}

// drawn is the charts of one metric that a table asks for.
func (b *builder) drawn(spec bench.Table, m Metric) []Chart {
	dots := b.dots(spec, m.Name)
	if len(dots) == 0 {
		return nil
	}
	along := spec.Chart.X
	if along == "" {
		along = usualX(dots)
	}
	parts := panels(dots, along)
	list, _ := b.draw(picture{kind: spec.Chart.Kind, title: captionOf(spec, b.info.Plan), along: along, panels: parts, ofFile: len(parts) > 1}, m, math.MaxInt)
	return list
}

// picture is what to draw, whatever metric it is of.
type picture struct {
	kind   bench.ChartKind
	title  string // before that of the metric; may be empty
	along  string
	panels [][]dot // a chart each, or several
	ofFile bool    // the title names the file
	ours   bool    // the headings are those of the metrics, and so are the units

	names map[bench.Key]string // of systems in the verdict, by systemKey; nil: series are named by what tells them apart
}

// draw is the charts of one metric, at most so many; left is how many panels
// are not drawn.
func (b *builder) draw(p picture, m Metric, most int) (list []Chart, left int) {
	for i, panel := range p.panels {
		if len(list) >= most {
			return list, len(p.panels) - i
		}
		c := Chart{Kind: p.kind, Title: joined(p.title, m.Heading), XLabel: sentence(p.along), YLabel: m.Heading}
		if _, isLabel := bench.Lookup(panel[0].Labels, p.along); isLabel {
			c.XLabel = p.along
		}
		if p.ofFile {
			c.Title += ", " + panel[0].of("file")
		}
		c.ticks(panel, p.along)
		all, format := b.values(&c, m, panel, p.ours)
		c.group(panel, p, all)
		if !p.ours { // such a chart stands alone
			c.Looks = nil
		}
		list = append(list, c.parted(func(c Chart) string { return about(c, format) })...)
	}
	return list, 0
}

// parted is a chart as one or several of MaxSeries at most, with the same axes
// and each with its words.
func (c Chart) parted(about func(Chart) string) (list []Chart) {
	n := max(1, (len(c.Series)+MaxSeries-1)/MaxSeries)
	each := max(1, (len(c.Series)+n-1)/n)
	parts := slices.Collect(slices.Chunk(c.Series, each))
	if len(parts) > 1 {
		c.Least, c.Most = span(c.Series)
	}
	systems := c.Looks
	for i, part := range parts {
		one := c
		one.Series, one.Looks = part, nil
		if len(systems) == len(c.Series) {
			one.Looks = systems[i*each : i*each+len(part)]
		}
		if len(parts) > 1 {
			one.Title += fmt.Sprintf(" (%d of %d)", i+1, len(parts))
		}
		one.About = about(one)
		list = append(list, one)
	}
	return list
}

// span is the least and greatest of all that is drawn along y; nil for nothing.
func span(series []Series) (least, most *float64) {
	for _, s := range series {
		for _, p := range s.Points {
			for _, y := range []*float64{p.Y, p.Low, p.High} {
				if y == nil {
					continue
				}
				if least == nil {
					least, most = new(*y), new(*y)
				}
				*least, *most = min(*least, *y), max(*most, *y)
			}
		}
	}
	return least, most
}

// values fills the points of a panel, in its order, and chooses their unit.
func (b *builder) values(c *Chart, m Metric, panel []dot, ours bool) (points []Point, format func(float64) string) {
	cells := make([]cell, len(panel))
	for i, d := range panel {
		cells[i] = d.cell
	}
	values, ok, numbers := b.fold(m, cells)
	scale := unit.Pick(numbers, m.Unit)
	if m.Unit != unit.PerSecond { // the heading says it
		c.Unit = scale.Label
	}
	if !ours && slices.ContainsFunc(cells, func(c cell) bool { _, printed := asPrinted(m.Name, c.all); return printed }) {
		scale, c.Unit = unit.Scale{Factor: 1}, "" // as printed, under the heading of the page
		format = unit.Plain
	}
	points = make([]Point, len(panel))
	var drawn []float64
	for i, v := range values {
		c := cells[i]
		nothing := len(c.ranked) == 0 && m.Unit == unit.Requests && v.Exact == 0 // a failed cell is never 0
		if y := roundTo12(v.Number / scale.Factor); ok[i] && !nothing && finite(y) {
			points[i].Y = &y
			drawn = append(drawn, y)
			if low, high := roundTo12(v.Low/scale.Factor), roundTo12(v.High/scale.Factor); m.ranges(c) && finite(low) && finite(high) {
				points[i].Low, points[i].High = &low, &high
			}
			continue
		}
		state := StateOf(c.all)
		points[i].Failed = !state.Ranked() && state != bench.StateSkipped
	}
	c.YLog = c.Kind == bench.Lines && wide(drawn, 100)
	for i, p := range points {
		if c.YLog && p.Low != nil && *p.Low <= 0 {
			points[i].Low, points[i].High = nil, nil
		}
	}
	if format == nil {
		format = unit.Scale{Factor: 1}.Format
	}
	return points, format
}

// ranges reports whether the rounds of a cell tell how far its figure varies.
func (m Metric) ranges(c cell) bool {
	return len(c.ranked) > 1 && m.Count == nil && m.against == nil
}

// about tells a chart in words: what the values of each series span, and where
// it failed.
func about(c Chart, format func(float64) string) string {
	kind := "Lines"
	if c.Kind == bench.Bars {
		kind = "Bars"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s of %s by %s, %s to %s.", kind, c.YLabel, c.XLabel, c.Ticks[0].Text, c.Ticks[len(c.Ticks)-1].Text)
	for _, s := range c.Series {
		var ys []float64
		var failed []string
		for _, p := range s.Points {
			switch {
			case p.Y != nil:
				ys = append(ys, *p.Y)
			case p.Failed:
				failed = append(failed, c.tickAt(p.X))
			}
		}
		said := "not measured"
		if len(ys) > 0 {
			said = format(slices.Min(ys)) + " to " + format(slices.Max(ys))
			if c.Unit != "" {
				said += " " + c.Unit
			}
		}
		if len(failed) > 0 {
			said += "; failed at " + strings.Join(failed, ", ")
		}
		fmt.Fprintf(&text, " %s: %s.", s.Name, said)
	}
	return text.String()
}

func (c Chart) tickAt(x float64) string {
	for _, t := range c.Ticks {
		if t.At == x {
			return t.Text
		}
	}
	return unit.Plain(x)
}
