package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// Report lays the comparison out for the exporters: what else differs as a
// warning before all figures, then the verdict, what changed, how the whole moved, and all cells. With
// changed set, all cells are left out.
func (c *Comparison) Report(changed bool) *table.Report {
	r := &table.Report{
		Title:      fmt.Sprintf("%s compared with %s", c.New.ID, names(c.Base)),
		Verdict:    c.verdict(),
		Summary:    c.summary(),
		Notes:      c.notes(),
		Where:      c.where(),
		Conditions: []table.Section{},
		Info:       c.New,
		Records:    []bench.Record{},
	}
	if len(c.Differences) > 0 {
		r.Warnings = []string{"Not the same in both: " + strings.Join(c.Differences, " ")}
	}
	for _, b := range c.beside {
		r.Warnings = append(r.Warnings, b.sentence)
	}
	for _, x := range c.Cells {
		r.Records = append(r.Records, x.Now...)
	}
	all := c.lines()
	if rows := important(all); len(rows) > 0 {
		r.Tables = append(r.Tables, c.table("What changed", rows))
	}
	if len(c.Means) > 0 {
		r.Tables = append(r.Tables, c.meansTable())
	}
	if !changed {
		r.Tables = append(r.Tables, c.table("All cells", all))
	}
	r.Sheet = func() table.Sheet { return c.sheet(all) }
	return r
}

func (c *Comparison) summary() string {
	return fmt.Sprintf("%s, %s.", unit.Counted(len(c.Cells), "cell"), unit.Counted(c.Tests, "comparison"))
}

func (c *Comparison) where() string {
	var text strings.Builder
	text.WriteString("Base: ")
	for i, b := range c.Base {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(b.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	return text.String() + "; new: " + c.New.Started.UTC().Format("2006-01-02 15:04:05 UTC") + "."
}

// line is a row of a table: a metric of a cell, or its fate.
type line struct {
	Cell
	*Figure
	verdict Verdict
}

// lines are a row for each metric of each cell, in their order.
func (c *Comparison) lines() (list []line) {
	for _, x := range c.Cells {
		if len(x.Figures) == 0 {
			list = append(list, line{x, nil, x.Verdict()})
			continue
		}
		for i := range x.Figures {
			v := x.Figures[i].Verdict
			if i == 0 && x.Verdict() == FailsMore {
				v = FailsMore
			}
			list = append(list, line{x, &x.Figures[i], v})
		}
	}
	return list
}

// gravity orders verdicts in the table of what changed; what is not there did
// not change.
var gravity = []Verdict{FailedNow, FailsMore, Slower, Faster, WorksAgain, FailedAsExpected, OnlyInBase, OnlyInNew}

// important are the lines of what changed, gravest first and of the like the
// greatest change first.
func important(all []line) (list []line) {
	for _, l := range all {
		if slices.Contains(gravity, l.verdict) {
			list = append(list, l)
		}
	}
	size := func(l line) float64 {
		if l.Figure == nil || !l.HasRatio {
			return 0
		}
		return max(l.Ratio, 1/l.Ratio)
	}
	slices.SortStableFunc(list, func(a, b line) int {
		if d := slices.Index(gravity, a.verdict) - slices.Index(gravity, b.verdict); d != 0 {
			return d
		}
		switch x, y := size(a), size(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return list
}

// table lays lines out, cells told apart as in the whole grid. Columns that say
// nothing in any line are left out.
func (c *Comparison) table(caption string, lines []line) table.Table {
	grid, rows := make([]bench.Cell, len(c.Cells)), make([]bench.Cell, len(lines))
	for i, x := range c.Cells {
		grid[i] = x.Cell
	}
	for i, l := range lines {
		rows[i] = l.Cell.Cell
	}
	columns, stubs, constant := table.Stubs(c.New.Plan, grid, rows)
	t := table.Table{Caption: caption, Constant: constant, Columns: columns, Rows: make([]table.Row, len(lines))}
	for i, l := range lines {
		t.Rows[i] = table.Row{Key: l.Key, State: l.State, Rounds: l.Rounds, Cells: stubs[i], Finding: c.finding(l), Untold: l.untold()}
	}
	for _, col := range c.columns(lines) {
		filled := make([]table.Cell, len(lines))
		empty := true
		for i, l := range lines {
			filled[i] = col.of(l)
			empty = empty && filled[i].Text == ""
		}
		if empty {
			continue
		}
		t.Columns = append(t.Columns, col.Column)
		for i := range lines {
			t.Rows[i].Cells = append(t.Rows[i].Cells, filled[i])
		}
	}
	return t
}

// untold is why nothing can be told of a line; "" where something can.
func (l line) untold() string {
	if !l.verdict.untold() {
		return ""
	}
	text := string(l.verdict)
	if l.Figure != nil {
		text = fmt.Sprintf("%s: %s (%d against %d)", l.Metric.Name, text, l.Base.N, l.New.N)
	}
	return text
}

// finding is why a line is a regression; "" where it is none.
func (c *Comparison) finding(l line) string {
	if !l.verdict.Regression() {
		return ""
	}
	than := " than in "
	if l.verdict == FailedNow {
		than = ", and did not in "
	}
	return string(l.verdict) + than + names(c.Base) + c.why(l.Cell) + c.mayBe(l.verdict)
}

// meansTable is how each metric moved over all cells, and system by system.
func (c *Comparison) meansTable() table.Table {
	t := table.Table{Caption: "Geometric means of the cells in both", Constant: []bench.Pair{}, Columns: []table.Column{
		{Name: "metric", Heading: "Metric", Stub: true, Keep: 5}, {Name: "system", Heading: "System", Stub: true, Keep: 10},
		{Name: "cells", Heading: "Cells", Number: true, Keep: 1}, {Name: "base", Heading: "Base", Number: true, Keep: 3},
		{Name: "new", Heading: "New", Number: true, Keep: 3}, {Name: "change_percent", Heading: "Change", Number: true, Keep: 4},
	}}
	for _, m := range c.Means {
		scale := unit.Pick([]float64{m.Base, m.New}, m.Metric.Unit)
		figure := func(v float64) table.Cell {
			return table.Cell{Text: strings.TrimSpace(scale.Format(v) + " " + scale.Label), Value: json.Number(unit.Plain(v))}
		}
		system := "all"
		if m.System != nil {
			system = ""
			for _, l := range m.System {
				system = strings.TrimPrefix(system+", "+l.Value, ", ")
			}
		}
		n := strconv.Itoa(m.Cells)
		t.Rows = append(t.Rows, table.Row{State: bench.StateOK, Cells: []table.Cell{
			{Text: m.Metric.Name}, {Text: system}, {Text: n, Value: json.Number(n)}, figure(m.Base), figure(m.New),
			{Text: signed(m.New/m.Base - 1), Value: percent(m.New / m.Base)},
		}})
	}
	return t
}
