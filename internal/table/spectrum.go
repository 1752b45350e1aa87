package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/hist"
	"matrix/internal/unit"
)

// perDecade is how many percentiles are drawn from 90 % to 99 %, from 99 % to
// 99.9 % and so on.
const perDecade = 8

// distributions is the latency by percentile, a chart of each file at the x
// where most systems were measured, the highest of several. Along x, p stands at
// 1/(1-p), as in the plots of HdrHistogram, so that the rare is as wide as the
// common; it goes as far as there were requests to tell.
func (b *builder) distributions(dots []dot, along string) ChartGroup {
	g := ChartGroup{Title: "Distribution", About: "How long it took for a share of the requests to be answered; the scale widens towards the slowest."}
	all := dots
	dots = slices.DeleteFunc(slices.Clone(dots), func(d dot) bool { return !d.distributed() })
	if len(dots) == 0 {
		return g
	}
	names := newNamer(b.info.Plan, b.g.cells).prose
	left := 0
	var without []string // series
	parts := panels(dots, "")
	for _, panel := range parts {
		if len(g.Charts) >= maxCharts {
			left++
			continue
		}
		rivals := all
		if len(parts) > 1 {
			file := panel[0].of("file")
			rivals = slices.DeleteFunc(slices.Clone(rivals), func(d dot) bool { return d.of("file") != file })
		}
		if x := fullest(panel, along); along != "" {
			elsewhere := func(d dot) bool { return d.of(along) != x }
			panel, rivals = slices.DeleteFunc(slices.Clone(panel), elsewhere), slices.DeleteFunc(slices.Clone(rivals), elsewhere)
		}
		c := Chart{Kind: bench.Lines, Title: "Latency by percentile", XLabel: "Percentile", YLabel: "Latency", XLog: true}
		if len(parts) > 1 {
			c.Title += ", " + panel[0].of("file")
		}
		if along != "" && along != "size" {
			c.Title += ", " + axisProse(along, panel[0].of(along))
		}
		told := telling(rivals, "")
		for _, d := range rivals {
			if name := c.seriesName(d, told, names); !d.distributed() && !slices.Contains(without, name) {
				without = append(without, name)
			}
		}
		if c.spectrum(panel, told, names); len(c.Series) > 0 {
			g.Charts = append(g.Charts, c.parted(aboutSpectrum)...)
		}
	}
	if len(without) > 0 {
		g.About += " Not drawn, for they have no distribution: " + few(without) + "."
	}
	b.leftOut(g.Title, left)
	return g
}

// distributed reports whether all rounds have a distribution of the latency.
func (d dot) distributed() bool {
	return len(d.ranked) > 0 && every(d.ranked, func(r *bench.Record) bool { return r.Latency.Count() > 0 })
}

// spectrum fills a chart with the distributions of its dots, a series each, named
// by what tells them from all that was measured there: with its driver also where
// no other yields a distribution.
func (c *Chart) spectrum(dots []dot, told []string, names map[bench.Key]string) {
	var values []float64
	most := 0.0
	for _, d := range dots {
		h := d.merged(latencyDist)
		s := Series{Name: c.seriesName(d, told, names), Points: percentiles(h)}
		if len(s.Points) < 2 {
			continue
		}
		for _, p := range s.Points {
			values = append(values, *p.Y)
		}
		most = max(most, s.Points[len(s.Points)-1].X)
		c.Series, c.Looks = append(c.Series, s), append(c.Looks, d.System)
	}
	scale := unit.Pick(values, unit.Milliseconds)
	c.Unit = scale.Label
	for _, s := range c.Series {
		for _, p := range s.Points {
			*p.Y = roundTo12(*p.Y / scale.Factor)
		}
	}
	c.YLog = len(values) > 0 && slices.Min(values) > 1e-9
	for x, n := 1.0, 0; x <= most; x, n = x*10, n+1 {
		c.Ticks = append(c.Ticks, Tick{x, percentText(n)})
	}
}

// percentText is 1 - 10^-n as a percentage: 0 %, 90 %, 99 %, 99.9 % ...
func percentText(n int) string {
	switch {
	case n < 2:
		return strconv.Itoa(90*n) + " %"
	case n == 2:
		return "99 %"
	}
	return "99." + strings.Repeat("9", n-2) + " %"
}

// percentiles is a distribution in milliseconds, from the least to the greatest.
func percentiles(h *hist.Hist) (points []Point) {
	n := float64(h.Count())
	add := func(x, y float64) { points = append(points, Point{X: roundTo12(x), Y: &y}) }
	least, ok := h.Min()
	if !ok {
		return nil
	}
	add(1, float64(least)/1e6)
	for i := 1; ; i++ {
		x := math.Pow(10, float64(i)/perDecade)
		if x >= n {
			break
		}
		v, _ := h.Quantile(1 - 1/x)
		add(x, float64(v)/1e6)
	}
	greatest, _ := h.Max()
	if n > 1 {
		add(n, float64(greatest)/1e6)
	}
	return points
}

// aboutSpectrum tells a distribution in words.
func aboutSpectrum(c Chart) string {
	var text strings.Builder
	fmt.Fprintf(&text, "Lines of Latency by Percentile, 0 %% to %s.", c.Ticks[len(c.Ticks)-1].Text)
	plain := unit.Scale{Factor: 1}
	for _, s := range c.Series {
		fmt.Fprintf(&text, " %s:", s.Name)
		for _, at := range []struct {
			x    float64
			text string
		}{{2, " half within"}, {10, ", 90 % within"}, {100, ", 99 % within"}} {
			if i := slices.IndexFunc(s.Points, func(p Point) bool { return p.X >= at.x }); i >= 0 {
				fmt.Fprintf(&text, "%s %s %s", at.text, plain.Format(*s.Points[i].Y), c.Unit)
			}
		}
		fmt.Fprintf(&text, ", all within %s %s.", plain.Format(*s.Points[len(s.Points)-1].Y), c.Unit)
	}
	return text.String()
}
