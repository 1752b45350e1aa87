package export

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// The size of a picture in points, which a page scales. Each line of the legend
// adds to its height.
const (
	chartWidth  = 640
	chartHeight = 300
	legendLine  = 18
	longestName = 80 // characters of a series' name
	longestTick = 24
	longestY    = 36 // of the label that stands along the y axis
)

// picture draws a chart as an SVG element to stand in a page: with a title and a
// description for those who hear it, in the page's own ink, without a script and
// without anything from elsewhere. The same chart gives the same bytes.
func picture(c table.Chart) (template.HTML, error) {
	marks := marksOf(c)
	p := axes(c)
	p.Add(grid{})
	var hits []hit
	for i := range marks {
		marks[i].hits = &hits
		p.Add(marks[i])
	}
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.XOffs = true, true, 8
	legend.ThumbnailWidth, legend.Padding = 30, 3
	legend.TextStyle.Color, legend.TextStyle.Font = ink, sans(13)
	failed := false
	lines := 1 // the last for what failed, or some room
	for i, m := range marks {
		failed = failed || m.failed()
		if len(marks) > 1 || c.Series[i].Name != c.YLabel { // which stands along the axis
			legend.Add(clipped(Visible(c.Series[i].Name), longestName), m)
			lines++
		}
	}
	if failed {
		legend.Add("× failed", blank{})
	}
	height := vg.Length(chartHeight + lines*legendLine)
	canvas := vgsvg.New(chartWidth, height)
	all := vgdraw.New(canvas)
	legend.Draw(vgdraw.Crop(all, 0, 0, 0, -4))
	area := vgdraw.Crop(all, 24, -8, 4, -vg.Length(lines*legendLine))
	writeY(area, c, p.X.Label.TextStyle)
	p.Draw(area)
	var raw bytes.Buffer
	if _, err := canvas.WriteTo(&raw); err != nil {
		return "", fmt.Errorf("drawing chart: %w", err)
	}
	return cleaned(raw.Bytes(), Visible(c.Title), Visible(c.About), turned(hits, float64(height)))
}

// blank is the thumbnail of a legend's line that is words alone.
type blank struct{}

func (blank) Thumbnail(*vgdraw.Canvas) {}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func clipped(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// axes is the plot of a chart without its marks.
func axes(c table.Chart) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Label.Text = clipped(Visible(c.XLabel), longestName)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color = ink, ink
		a.Width, a.Tick.Width, a.Padding = 0.75, 0.75, 0
		a.Label.TextStyle.Color, a.Label.TextStyle.Font = ink, sans(13)
		a.Tick.Label.Color, a.Tick.Label.Font = ink, sans(12)
	}
	p.X.Min, p.X.Max = acrossX(c)
	p.Y.Min, p.Y.Max = acrossY(c)
	if c.XLog {
		p.X.Scale = plot.LogScale{}
	}
	p.Y.Tick.Marker = plainTicks{plot.TickerFunc(roundTicks)}
	if c.YLog {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plainTicks{plot.TickerFunc(decades)}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticksOf(c, p))
	return p
}

// writeY writes what stands along the y axis, left of the area. The library would
// leave room above a logarithmic axis for half of it.
func writeY(area vgdraw.Canvas, c table.Chart, sty text.Style) {
	label := clipped(Visible(c.YLabel), longestY)
	if c.Unit != "" {
		label += " (" + clipped(Visible(c.Unit), longestTick) + ")"
	}
	sty.Rotation, sty.XAlign, sty.YAlign = math.Pi/2, text.XCenter, text.YBottom
	const below = 20 // the ticks along x, and their label
	area.FillText(sty, vg.Point{X: area.Min.X - 8, Y: area.Min.Y + below + (area.Max.Y-area.Min.Y-below)/2}, label)
}

func acrossX(c table.Chart) (low, high float64) {
	const beside = 0.04 // of the axis, left free at either end
	if c.Kind == bench.Bars {
		return -0.5, float64(len(c.Ticks)) - 0.5
	}
	low, high = c.Ticks[0].At, c.Ticks[len(c.Ticks)-1].At
	for _, s := range c.Series {
		for _, p := range s.Points {
			low, high = min(low, p.X), max(high, p.X)
		}
	}
	if c.XLog {
		wide := math.Pow(max(high/low, 10), beside)
		return low / wide, high * wide
	}
	if low == high {
		room := max(1, math.Abs(low)/2)
		return low - room, high + room
	}
	return low - beside*(high-low), high + beside*(high-low)
}

func acrossY(c table.Chart) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range c.Series {
		for _, p := range s.Points {
			for _, y := range []*float64{p.Y, p.Low, p.High} {
				if y != nil && (!c.YLog || *y > 0) {
					low, high = min(low, *y), max(high, *y)
				}
			}
		}
	}
	switch {
	case low > high: // nothing was measured
		return 0, 1
	case c.YLog:
		low, high = math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high)))
		return low, max(high, low*10)
	}
	low, high = min(low, 0), max(high, 0)
	if low == high {
		return 0, 1
	}
	return low * 1.05, high * 1.05
}

// grid draws a faint line at each value that stands beside the y axis.
type grid struct{}

func (grid) Plot(c vgdraw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if t.Label != "" && t.Value >= p.Y.Min && t.Value <= p.Y.Max {
			c.StrokeLine2(vgdraw.LineStyle{Color: faint, Width: 0.5}, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

// ink and faint stand for the text's colour of the page: see cleaned.
var (
	ink   = color.NRGBA{1, 2, 3, 255}
	faint = color.NRGBA{4, 5, 6, 255}
)
