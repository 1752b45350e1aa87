package history

import (
	"matrix/internal/bench"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// How many cells are drawn at the most, and of a history without steps.
const (
	mostCharts = 12
	fewCharts  = 4
)

// charts draws the cells whose level moved or may have, the greatest steps
// first; where none did, the first few.
func (v *view) charts() table.ChartGroup {
	g := table.ChartGroup{Title: v.metric.Heading + " by run",
		About: "The value of each run, and the level between two steps."}
	most := mostCharts
	moved := len(v.series) > 0 && len(v.series[0].Steps) > 0
	if !moved {
		most = fewCharts
	}
	for _, s := range v.series {
		if len(g.Charts) == most || moved && len(s.Steps) == 0 {
			break
		}
		if n, _ := s.measured(); n > 1 {
			g.Charts = append(g.Charts, v.chart(s))
		}
	}
	return g
}

func (v *view) chart(s *Series) table.Chart {
	c := table.Chart{Kind: bench.Lines, Title: v.name(s), XLabel: "Run", YLabel: v.metric.Heading, Unit: v.scale.Label}
	values, level := table.Series{Name: "value"}, table.Series{Name: "level"}
	for i, n := range v.Runs {
		at := n.Started.Sub(v.Runs[0].Started).Hours() / 24
		if len(c.Ticks) > 0 && at <= c.Ticks[len(c.Ticks)-1].At { // of the same second
			at = c.Ticks[len(c.Ticks)-1].At + 1e-6
		}
		c.Ticks = append(c.Ticks, table.Tick{At: at, Text: date(n.Started)})
		values.Points = append(values.Points, v.point(at, s.Values[i], s.States[i]))
		level.Points = append(level.Points, v.point(at, s.levelAt(i), ""))
	}
	c.Series = []table.Series{values, level}
	c.About = v.name(s) + ": " + v.metric.Heading + " over " + unit.Counted(len(v.Runs), "run") + "."
	for _, step := range s.Steps {
		when := "since " + v.Runs[step.At].short()
		c.About += " " + v.tell(s, step, when)
	}
	return c
}

func (v *view) point(x float64, y *float64, state bench.State) table.Point {
	p := table.Point{X: x, Failed: y == nil && state.Failed()}
	if y != nil {
		p.Y = new(*y / v.scale.Factor)
	}
	return p
}

// levelAt is the median between the steps around a run; nil in a section without
// steps, and before its first run.
func (s *Series) levelAt(i int) *float64 {
	var level *float64
	for _, step := range s.Steps {
		switch {
		case step.At <= i && !s.parted(step.At, i):
			level = new(step.After)
		case step.At > i && level == nil && !s.parted(i, step.At):
			return new(step.Before)
		}
	}
	return level
}

// parted tells whether a section begins after run a and up to run b.
func (s *Series) parted(a, b int) bool {
	for _, at := range s.Sections {
		if at > a && at <= b {
			return true
		}
	}
	return false
}
