package export

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// look is how a series is told from others: by colour, by shape, and a line by
// its dashes, so that each alone will do.
type look struct {
	color  color.Color
	shape  polygon // nil: a disc
	dashes []vg.Length
}

// looks has one for each of the series that a chart may hold. The colours are
// those of Okabe and Ito that stand out from white as from near black; their
// yellow, orange and sky blue do not.
var looks = [table.MaxSeries]look{
	{color.NRGBA{0x00, 0x72, 0xB2, 255}, nil, nil},
	{color.NRGBA{0xD5, 0x5E, 0x00, 255}, polygon{{-.8, -.8}, {.8, -.8}, {.8, .8}, {-.8, .8}}, []vg.Length{6, 3}},
	{color.NRGBA{0x00, 0x9E, 0x73, 255}, polygon{{0, 1.1}, {-1, -.7}, {1, -.7}}, []vg.Length{2, 2}},
	{color.NRGBA{0xB4, 0x5F, 0x92, 255}, polygon{{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}}, []vg.Length{8, 3, 2, 3}},
	{color.NRGBA{0x7A, 0x7A, 0x7A, 255}, polygon{{0, -1.1}, {1, .7}, {-1, .7}}, []vg.Length{12, 3}},
	{color.NRGBA{0xA6, 0x76, 0x1D, 255}, polygon{{-.35, -1.1}, {.35, -1.1}, {.35, -.35}, {1.1, -.35}, {1.1, .35}, {.35, .35},
		{.35, 1.1}, {-.35, 1.1}, {-.35, .35}, {-1.1, .35}, {-1.1, -.35}, {-.35, -.35}}, []vg.Length{1, 3}},
}

// polygon is a shape of corners about 1 from its middle.
type polygon [][2]float64

// DrawGlyph fills the shape.
func (g polygon) DrawGlyph(c *vgdraw.Canvas, sty vgdraw.GlyphStyle, at vg.Point) {
	var path vg.Path
	for i, corner := range g {
		pt := vg.Point{X: at.X + sty.Radius*vg.Length(corner[0]), Y: at.Y + sty.Radius*vg.Length(corner[1])}
		if i == 0 {
			path.Move(pt)
		} else {
			path.Line(pt)
		}
	}
	path.Close()
	c.Fill(path)
}

func (l look) glyph() vgdraw.GlyphStyle {
	if l.shape == nil {
		return vgdraw.GlyphStyle{Color: l.color, Radius: 3, Shape: vgdraw.CircleGlyph{}}
	}
	return vgdraw.GlyphStyle{Color: l.color, Radius: 3, Shape: l.shape}
}

func (l look) line() vgdraw.LineStyle {
	return vgdraw.LineStyle{Color: l.color, Width: 1.75, Dashes: l.dashes}
}

// mark draws one series.
type mark struct {
	look
	kind   bench.ChartKind
	points []table.Point
	i, of  int // its place among the series
	tell   func(table.Point) string
	hits   *[]hit // takes where each point came to stand
}

func marksOf(c table.Chart) (marks []mark) {
	for i, s := range c.Series {
		look := i % len(looks)
		if i < len(c.Looks) && c.Looks[i] >= 0 {
			look = c.Looks[i] % len(looks)
		}
		marks = append(marks, mark{look: looks[look], kind: c.Kind, points: s.Points, i: i, of: len(c.Series),
			tell: func(p table.Point) string { return told(c, s.Name, p) }})
	}
	return marks
}

func (m mark) failed() bool {
	for _, p := range m.points {
		if p.Failed {
			return true
		}
	}
	return false
}

// crowd is how many points a line has at most for each to be marked; of more,
// every so many are.
const crowd = 24

// Plot draws the points, as a line or as bars, what their rounds span, and a
// cross on the axis for each that failed.
func (m mark) Plot(c vgdraw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	width := vg.Length(8) // between what stands at the same x
	if m.kind == bench.Bars {
		width = (x(1) - x(0)) * 0.8 / vg.Length(m.of)
	}
	aside := width * (vg.Length(m.i) - vg.Length(m.of-1)/2)
	each := (len(m.points) + crowd - 1) / crowd
	var run []vg.Point // of a line, as far as it is whole
	for i, pt := range m.points {
		at := vg.Point{X: x(pt.X), Y: c.Min.Y + 6}
		if m.kind == bench.Bars || pt.Y == nil {
			at.X += aside
		}
		if pt.Y == nil {
			m.stroke(c, run)
			run = nil
			if pt.Failed {
				cross(c, m.color, at)
				m.hit(at, pt)
			}
			continue
		}
		at.Y = y(*pt.Y)
		if m.kind == bench.Bars {
			m.bar(c, at, y(math.Max(0, p.Y.Min)), width*0.45)
		} else {
			run = append(run, at)
		}
		m.whisker(c, p, at.X, pt)
		if i%each == 0 || i == len(m.points)-1 {
			m.hit(at, pt)
			if m.kind != bench.Bars {
				c.DrawGlyphNoClip(m.glyph(), at)
			}
		}
	}
	m.stroke(c, run)
}

// bar draws one bar, with the shape of its series above it where there are others.
func (m mark) bar(c vgdraw.Canvas, at vg.Point, foot, half vg.Length) {
	c.FillPolygon(m.color, []vg.Point{{X: at.X - half, Y: foot}, {X: at.X - half, Y: at.Y}, {X: at.X + half, Y: at.Y}, {X: at.X + half, Y: foot}})
	if m.of > 1 {
		c.DrawGlyphNoClip(m.glyph(), vg.Point{X: at.X, Y: at.Y + 6})
	}
}

// whisker draws from the least to the greatest of a point's rounds.
func (m mark) whisker(c vgdraw.Canvas, p *plot.Plot, x vg.Length, pt table.Point) {
	if pt.Low == nil || pt.High == nil || !(*pt.High > *pt.Low) {
		return
	}
	_, y := p.Transforms(&c)
	low, high := y(math.Max(*pt.Low, p.Y.Min)), y(*pt.High)
	sty := vgdraw.LineStyle{Color: m.color, Width: 1}
	if m.kind == bench.Bars {
		sty.Color = ink
	}
	c.StrokeLine2(sty, x, low, x, high)
	c.StrokeLine2(sty, x-3, low, x+3, low)
	c.StrokeLine2(sty, x-3, high, x+3, high)
}

func (m mark) hit(at vg.Point, pt table.Point) {
	if m.hits != nil {
		*m.hits = append(*m.hits, hit{float64(at.X), float64(at.Y), m.tell(pt)})
	}
}

func (m mark) stroke(c vgdraw.Canvas, run []vg.Point) {
	if len(run) > 1 {
		c.StrokeLines(m.line(), run)
	}
}

func cross(c vgdraw.Canvas, of color.Color, at vg.Point) {
	sty := vgdraw.LineStyle{Color: of, Width: 1.75}
	c.StrokeLine2(sty, at.X-3.5, at.Y-3.5, at.X+3.5, at.Y+3.5)
	c.StrokeLine2(sty, at.X-3.5, at.Y+3.5, at.X+3.5, at.Y-3.5)
}

// Thumbnail draws what stands before the name of the series.
func (m mark) Thumbnail(c *vgdraw.Canvas) {
	middle := c.Center()
	if m.kind == bench.Lines {
		c.StrokeLine2(m.line(), c.Min.X, middle.Y, c.Max.X, middle.Y)
	}
	c.DrawGlyphNoClip(m.glyph(), middle)
}
