package history

import (
	"fmt"
	"slices"
	"strconv"

	"matrix/internal/bench"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// How many cells are drawn at the most, and how many of more than that where
// nothing happened to any.
const (
	mostCharts = 12
	fewCharts  = 4
)

// charts draws the cells: of more than a page takes, those that failed in the
// last run and those whose level moved or may have, the greatest steps first, or
// where there is none of these the first few. It says how many it leaves out.
func (v *view) charts() table.ChartGroup {
	g := table.ChartGroup{Title: v.metric.Heading + " by run",
		About: "The value of each run, and the level between two steps; a cross where the cell failed."}
	most, least, chosen := mostCharts, 0.0, "the first"
	if len(v.series) > mostCharts {
		most = fewCharts
		if v.series[0].weight() > 0 {
			most, least, chosen = mostCharts, 1, "those that failed last, or whose level moved or may have"
		}
	}
	left, none := 0, 0
	for _, s := range v.series {
		switch n, failed := s.measured(); {
		case n+failed == 0:
			none++
		case len(g.Charts) == most || s.weight() < least:
			left++
		default:
			g.Charts = append(g.Charts, v.chart(s))
		}
	}
	if left > 0 {
		g.About += fmt.Sprintf(" Drawn are %d of %s: %s.", len(g.Charts), unit.Counted(len(v.series), "cell"), chosen)
	}
	if none > 0 {
		g.About += fmt.Sprintf(" %s no figure in any run, and %s not drawn.", counted(none, "cell has", "cells have"), map[bool]string{true: "is", false: "are"}[none == 1])
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
	c.Series = []table.Series{values}
	if slices.ContainsFunc(level.Points, func(p table.Point) bool { return p.Y != nil }) {
		c.Series = append(c.Series, level)
	}
	c.About = v.name(s) + ": " + v.metric.Heading + " over " + unit.Counted(len(v.Runs), "run")
	if _, failed := s.measured(); failed > 0 {
		c.About += "; failed in " + strconv.Itoa(failed)
	}
	c.About += "."
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
