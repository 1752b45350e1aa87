package table

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// Build makes the report of a run from its header and its records, given in the
// order of the journal. Where info.Plan holds its cells, records of other cells
// and of other digests are stale; they are left out and named in a note.
func Build(info bench.RunInfo, records []bench.Record) *Report {
	g := gather(info, records)
	chosen, unknown := choose(info.Plan.Columns)
	t := grid(info.Plan, g.cells, chosen)
	r := &Report{
		Title:      titleOf(info.Plan),
		About:      info.Plan.About,
		Source:     info.Plan.Source,
		Summary:    summary(g),
		Tables:     []Table{t},
		Notes:      footnotes(info, g, t, chosen, unknown),
		Where:      where(info),
		Conditions: conditions(info),
		Scenario:   info.Scenario,
		Info:       info,
		Records:    []bench.Record{},
	}
	for _, c := range g.cells {
		r.Records = append(r.Records, c.all...)
	}
	r.Sheet = sheet(info.Plan, g.cells)
	return r
}

func titleOf(p bench.Plan) string {
	if p.Title != "" {
		return p.Title
	}
	return p.Scenario
}

// choice is a metric chosen for the tables.
type choice struct {
	Metric
	keep int
}

// choose turns the columns that a scenario names, or else the standard ones,
// into metrics, and tells the names that are none.
func choose(columns []bench.Column) (chosen []choice, unknown []string) {
	if len(columns) == 0 {
		for _, name := range standard {
			columns = append(columns, bench.Column{Metric: name})
		}
	}
	for i, c := range columns {
		m, ok := Lookup(c.Metric)
		if !ok {
			unknown = append(unknown, c.Metric)
			continue
		}
		if c.Heading != "" {
			m.Heading = c.Heading
		}
		chosen = append(chosen, choice{m, rank(m.Name, len(columns)-i)})
	}
	return chosen, unknown
}

// rank says how long a metric stays where room is short: rates and errors
// longest, then the columns in their order.
func rank(name string, place int) int {
	switch name {
	case "requests_per_second", "errors":
		return 1000 + place
	case "multi_time_error", "multi_times", "zombies":
		return place - 100
	}
	return place
}

// grid makes the one table of all cells.
func grid(p bench.Plan, cells []cell, chosen []choice) Table {
	kept, constant := liftConstant(stubs(p, cells), cells)
	t := Table{Caption: titleOf(p), Constant: constant, Columns: []Column{}, Rows: make([]Row, len(cells))}
	if p.Rounds > 1 {
		t.Constant = append(t.Constant, bench.Pair{Name: "Rounds", Value: strconv.Itoa(p.Rounds)})
	}
	if t.Constant == nil {
		t.Constant = []bench.Pair{}
	}
	for i, c := range cells {
		t.Rows[i] = Row{Key: c.Key, State: stateOf(c.all), Rounds: len(c.all), Cells: []Cell{}}
	}
	for _, s := range kept {
		t.Columns = append(t.Columns, Column{Name: s.name, Heading: s.heading, Stub: true, Number: s.number, Keep: 1 << 20})
		for i, c := range cells {
			t.Rows[i].Cells = append(t.Rows[i].Cells, Cell{Text: s.of(c)})
		}
	}
	for _, m := range chosen {
		column, filled := measure(m, cells)
		t.Columns = append(t.Columns, column)
		for i := range cells {
			t.Rows[i].Cells = append(t.Rows[i].Cells, filled[i])
		}
	}
	return t
}

// measure fills the column of a metric, all of it in one unit.
func measure(m choice, cells []cell) (Column, []Cell) {
	column := Column{Name: m.Name, Heading: m.Heading, Doc: m.Doc, Keep: m.keep, Number: m.Text == nil}
	filled := make([]Cell, len(cells))
	if m.Text != nil {
		for i, c := range cells {
			filled[i].Text = m.Text(c.all)
		}
		return column, filled
	}
	values, ok, numbers := fold(m.Metric, cells)
	scale := unit.Pick(numbers, m.Unit)
	if m.Unit != unit.PerSecond { // the heading says it
		column.Unit = scale.Label
	}
	for i, v := range values {
		if ok[i] && !(len(cells[i].ranked) == 0 && m.Unit == unit.Requests && v.Exact == 0) { // a failed cell is never 0
			filled[i] = written(m.Metric, scale, v)
		}
	}
	markBest(m.Metric, cells, values, filled)
	return column, filled
}

func fold(m Metric, cells []cell) (values []Value, ok []bool, numbers []float64) {
	values, ok = make([]Value, len(cells)), make([]bool, len(cells))
	for i, c := range cells {
		values[i], ok[i] = m.fold(c.folder)
		if ok[i] {
			numbers = append(numbers, values[i].Number)
		}
	}
	return values, ok, numbers
}

// written is a value as it stands in a table. What is counted stays exact,
// unless it is so many bytes that they are told in another unit.
func written(m Metric, scale unit.Scale, v Value) Cell {
	c := Cell{Spread: v.Spread, Value: json.Number(unit.Plain(v.Number)), Text: scale.Format(v.Number)}
	if m.Count != nil {
		c.Value = json.Number(strconv.FormatInt(v.Exact, 10))
		if scale.Factor == 1 {
			c.Text = string(c.Value)
		}
	}
	if m.Places > 0 {
		c.Text = strconv.FormatFloat(v.Number, 'f', m.Places, 64)
	}
	return c
}

// markBest marks the best value among the systems at each point, and all that
// cannot be told from it: whose rounds overlap with the rounds of the best.
// Where that holds of every system at the point though their figures differ,
// none is marked. What is told of failed trials, too, is no race. Cells that are
// not ranked take no part; where fewer than two systems have a value, or all of
// them are 0, there is nothing to win.
func markBest(m Metric, cells []cell, values []Value, filled []Cell) {
	if m.Better == unit.Neither || m.Always {
		return
	}
	points := map[bench.Key][]int{}
	for i, c := range cells {
		if filled[i].Text == "" || len(c.ranked) == 0 || (m.ByBudget && c.Load.Duration > 0) {
			continue
		}
		k := bench.KeyOf(c.Axes)
		points[k] = append(points[k], i)
	}
	for _, rivals := range points {
		best := slices.MinFunc(rivals, func(a, b int) int { return worse(m.Better, values[a].Number, values[b].Number) })
		equal := func(i int) bool { return filled[i].Text == filled[best].Text }
		behind := func(i int) bool { return !equal(i) && !values[i].overlaps(values[best]) }
		differ := slices.ContainsFunc(rivals, func(i int) bool { return !equal(i) })
		idle := !slices.ContainsFunc(rivals, func(i int) bool { return values[i].Number != 0 })
		if len(rivals) < 2 || idle || (differ && !slices.ContainsFunc(rivals, behind)) {
			continue
		}
		for _, i := range rivals {
			filled[i].Best = !behind(i)
		}
	}
}

// worse orders the better of two values first.
func worse(d unit.Direction, a, b float64) int {
	switch {
	case a == b:
		return 0
	case (a > b) == (d == unit.Higher):
		return -1
	default:
		return 1
	}
}

func summary(g gathered) string {
	if len(g.cells) == 0 {
		return "Nothing was measured yet."
	}
	systems, ranked := map[int]bool{}, 0
	for _, c := range g.cells {
		systems[c.System] = true
		if len(c.ranked) > 0 {
			ranked++
		}
	}
	n := len(g.cells)
	text := fmt.Sprintf("%s on %s", counted(n, "cell"), counted(len(systems), "system"))
	switch {
	case ranked == n:
		return text + "."
	case ranked == 0 && n > 1:
		return text + "; none of them could be measured."
	default:
		return fmt.Sprintf("%s; %d could not be measured.", text, n-ranked)
	}
}

// counted puts a number before a word that forms its plural with s.
func counted(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return strings.Join([]string{strconv.Itoa(n), word}, " ")
}
