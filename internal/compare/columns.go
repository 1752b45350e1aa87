package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"matrix/internal/table"
	"matrix/internal/unit"
)

// column is one of the measured columns and what stands in it.
type column struct {
	table.Column
	of func(line) table.Cell
}

func (c *Comparison) columns(lines []line) []column {
	figure := func(name, heading string, keep int, of func(*Figure) table.Cell) column {
		return column{table.Column{Name: name, Heading: heading, Number: true, Keep: keep}, func(l line) table.Cell {
			if l.Figure == nil {
				return table.Cell{}
			}
			return of(l.Figure)
		}}
	}
	scales := c.scales(lines)
	one := len(scales) == 1
	list := []column{
		{table.Column{Name: "verdict", Heading: "Verdict", Keep: 100}, func(l line) table.Cell { return table.Cell{Text: string(l.verdict)} }},
		figure("change_percent", "Change", 99, func(f *Figure) table.Cell {
			if !f.HasRatio {
				return table.Cell{Text: f.size()}
			}
			return table.Cell{Text: signed(f.Ratio - 1), Value: percent(f.Ratio)}
		}),
		figure("own_percent", "Of its own", 80, func(f *Figure) table.Cell {
			if !f.HasRatio || math.Abs(f.Own-f.Ratio) < notable/2 {
				return table.Cell{}
			}
			return table.Cell{Text: signed(f.Own - 1), Value: percent(f.Own)}
		}),
		{table.Column{Name: "interval", Heading: "95 % interval", Keep: 30}, func(l line) table.Cell { return interval(l.Figure) }},
		figure("base", "Base", 90, func(f *Figure) table.Cell { return scales.cell(f, f.Base.Median, !one) }),
		figure("new", "New", 91, func(f *Figure) table.Cell { return scales.cell(f, f.New.Median, !one) }),
		figure("p", "p", 10, func(f *Figure) table.Cell { return probability(f.P) }),
		figure("adjusted_p", "Adjusted p", 50, func(f *Figure) table.Cell { return probability(f.Adjusted) }),
		figure("floor_percent", "Floor", 40, func(f *Figure) table.Cell {
			if !f.HasFloor {
				return table.Cell{}
			}
			return table.Cell{Text: unit.Share(f.Floor), Value: percent(1 + f.Floor)}
		}),
		figure("rounds", "Rounds", 20, func(f *Figure) table.Cell {
			return table.Cell{Text: fmt.Sprintf("%d / %d", f.Base.N, f.New.N)}
		}),
		{table.Column{Name: "failed_base", Heading: "Failed in base", Keep: 60}, func(l line) table.Cell { return l.failedCell(0) }},
		{table.Column{Name: "failed_new", Heading: "Failed in new", Keep: 61}, func(l line) table.Cell { return l.failedCell(1) }},
	}
	if one {
		for i := range list {
			if list[i].Name == "base" || list[i].Name == "new" {
				list[i].Unit = scales.only().Label
			}
		}
	}
	if len(c.Metrics) > 1 {
		list = slices.Insert(list, 0, column{table.Column{Name: "metric", Heading: "Metric", Stub: true, Keep: 200}, func(l line) table.Cell {
			if l.Figure == nil {
				return table.Cell{}
			}
			return table.Cell{Text: l.Metric.Name}
		}})
	}
	return list
}

// failedCell is how much failed on one side, in lines of cells where anything did.
func (l line) failedCell(side int) table.Cell {
	if !l.Failed[0].any() && !l.Failed[1].any() || l.Failed[side].Rounds == 0 {
		return table.Cell{}
	}
	return table.Cell{Text: l.Failed[side].text()}
}

func interval(f *Figure) table.Cell {
	if f == nil || !f.Bounded || !f.HasRatio {
		return table.Cell{}
	}
	return table.Cell{Text: signed(f.Lo-1) + " to " + signed(f.Hi-1)}
}

func percent(ratio float64) json.Number { return json.Number(unit.Plain((ratio - 1) * 100)) }

func probability(p float64) table.Cell {
	text := strconv.FormatFloat(p, 'f', 3, 64)
	if p < 0.001 {
		text = strconv.FormatFloat(p, 'g', 2, 64)
	}
	return table.Cell{Text: text, Value: json.Number(unit.Plain(p))}
}

// scales are the units that the metrics of a table are shown in, by name.
type scales map[string]unit.Scale

func (c *Comparison) scales(lines []line) scales {
	medians := map[string][]float64{}
	for _, l := range lines {
		if l.Figure != nil {
			medians[l.Metric.Name] = append(medians[l.Metric.Name], l.Base.Median, l.New.Median)
		}
	}
	s := scales{}
	for _, m := range c.Metrics {
		if list := medians[m.Name]; len(list) > 0 {
			s[m.Name] = unit.Pick(list, m.Unit)
		}
	}
	return s
}

func (s scales) only() (one unit.Scale) {
	for _, one = range s {
	}
	return one
}

func (s scales) cell(f *Figure, v float64, label bool) table.Cell {
	scale := s[f.Metric.Name]
	text := scale.Format(v)
	if label && scale.Label != "" {
		text += " " + scale.Label
	}
	return table.Cell{Text: text, Value: json.Number(unit.Plain(v))}
}
