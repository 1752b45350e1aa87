package table

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/stats"
	"matrix/internal/unit"
)

// Build makes the report of a run from its header and its records, given in the
// order of the journal. Where info.Plan holds its cells, records of other cells
// and of other digests are stale; they are left out and named in a note. Without
// tables of the plan's own there is one of all cells.
func Build(info bench.RunInfo, records []bench.Record) *Report {
	b := newBuilder(info, records)
	r := &Report{
		Title:      titleOf(info.Plan),
		About:      info.Plan.About,
		Warnings:   warnings(b.g.records),
		Source:     info.Plan.Source,
		Summary:    summary(b.g),
		Tables:     b.tables(),
		Where:      where(info),
		Conditions: conditions(info),
		Scenario:   info.Scenario,
		Info:       info,
		Records:    b.g.records,
		Sheet:      func() Sheet { return sheet(info.Plan, b.g.cells) },
		Wide:       b.wide,
	}
	r.Charts = b.groups()
	r.Limits = b.limits()
	marked(r.Tables, r.Limits)
	r.Notes = append(footnotes(b, r.Tables), limitNotes(r.Limits)...)
	r.Notes = append(append(r.Notes, foldErrors(r.Tables)...), givenUp(r.Records)...)
	r.Verdict = withLimits(b.verdict(), r.Limits)
	return r
}

// builder makes the tables of one run.
type builder struct {
	info    bench.RunInfo
	g       gathered
	base    baseline
	notes   []Footnote // on how tables came about
	chosen  []choice   // by all tables
	unknown []string   // metrics that there are none of
	every   []dot      // of all cells, once asked for
	tester  stats.Tester
}

func newBuilder(info bench.RunInfo, records []bench.Record) *builder {
	g := gather(info, records)
	return &builder{info: info, g: g, base: newBaseline(info.Plan.Baseline, g.cells)}
}

func (b *builder) note(code, format string, args ...any) {
	b.notes = append(b.notes, Footnote{Code: code, Text: fmt.Sprintf(format, args...)})
}

// tables lays out what the plan asks for, or else all cells.
func (b *builder) tables() []Table {
	var tables []Table
	for _, spec := range b.info.Plan.Tables {
		t, err := b.layOut(spec)
		if err != nil {
			b.note("bad-table", "The table %q cannot be laid out: %v.", captionOf(spec, b.info.Plan), plain(err))
			continue
		}
		t.Charts = b.charts(spec)
		tables = append(tables, t)
	}
	if len(tables) == 0 {
		tables = []Table{b.grid(bench.Table{}, b.g.cells, b.choose(nil))}
	}
	return tables
}

func titleOf(p bench.Plan) string {
	if p.Title != "" {
		return p.Title
	}
	return p.Scenario
}

func captionOf(t bench.Table, p bench.Plan) string {
	if t.Title != "" {
		return t.Title
	}
	return titleOf(p)
}

// choice is a metric chosen for the tables.
type choice struct {
	Metric
	keep  int
	scale *unit.Scale // the one to show it in; nil: that which suits its column
}

// choose is choice for a table that is shown: footnotes explain what it holds.
func (b *builder) choose(columns []bench.Column) []choice {
	chosen := b.choice(columns)
	b.chosen = append(b.chosen, chosen...)
	return chosen
}

// choice turns the columns that a table or else the scenario names, or else the
// standard ones, into metrics.
func (b *builder) choice(columns []bench.Column) (chosen []choice) {
	if len(columns) == 0 {
		columns = b.info.Plan.Columns
	}
	if len(columns) == 0 {
		columns = b.usual()
	}
	for i, c := range columns {
		m, ok := Lookup(c.Metric)
		if !ok {
			if !slices.Contains(b.unknown, c.Metric) {
				b.unknown = append(b.unknown, c.Metric)
			}
			continue
		}
		if c.Heading != "" {
			m.Heading = c.Heading
		}
		chosen = append(chosen, choice{Metric: m, keep: rank(m.Name, len(columns)-i)})
	}
	return chosen
}

// usual is the standard columns, with the comparison where there is a baseline.
func (b *builder) usual() (columns []bench.Column) {
	for _, name := range standard {
		columns = append(columns, bench.Column{Metric: name})
		if name == "requests_per_second" && len(b.info.Plan.Baseline) > 0 {
			columns = append(columns, bench.Column{Metric: "slower_than_baseline_percent"})
		}
	}
	if b.info.Plan.Until != nil || b.info.Stopped != "" {
		columns = append(columns, bench.Column{Metric: "stop"})
	}
	return columns
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

// grid makes a flat table of cells with the columns that tell them apart; what
// all rows agree in is lifted above it.
func (b *builder) grid(spec bench.Table, cells []cell, chosen []choice) Table {
	p := b.info.Plan
	kept, constant := liftConstant(stubs(p, cells), cells)
	if p.Rounds > 1 {
		constant = append(constant, bench.Pair{Name: "Rounds", Value: roundsText(p)})
	}
	return b.flat(captionOf(spec, p), kept, constant, cells, chosen)
}

// flat makes a table of one row a cell.
func (b *builder) flat(caption string, kept []stub, constant []bench.Pair, cells []cell, chosen []choice) Table {
	t := Table{Caption: caption, Constant: constant, Columns: []Column{}, Rows: make([]Row, len(cells))}
	if t.Constant == nil {
		t.Constant = []bench.Pair{}
	}
	for i, c := range cells {
		t.Rows[i] = Row{Key: c.Key, State: StateOf(c.all), Rounds: len(c.all), Raw: rawOf(c.all), Cells: make([]Cell, 0, len(kept)+len(chosen))}
	}
	for _, s := range kept {
		t.Columns = append(t.Columns, Column{Name: s.name, Heading: s.heading, Stub: true, Number: s.number, Keep: keepStub})
		for i, c := range cells {
			text, ok := asPrinted(s.name, c.all)
			if !ok {
				text = s.of(c)
			}
			t.Rows[i].Cells = append(t.Rows[i].Cells, Cell{Text: text})
		}
	}
	for _, m := range chosen {
		column, filled := b.measure(m, cells)
		t.Columns = append(t.Columns, column)
		for i := range cells {
			t.Rows[i].Cells = append(t.Rows[i].Cells, filled[i])
		}
	}
	return t
}

const keepStub = 1 << 20 // above all that is measured

// measure fills the column of a metric, all of it in one unit. What a published
// table printed stands as it was printed, and nothing is marked in it.
func (b *builder) measure(m choice, cells []cell) (Column, []Cell) {
	column := Column{Name: m.Name, Heading: m.Heading, Doc: m.Doc, Keep: m.keep, Number: m.Text == nil}
	filled := make([]Cell, len(cells))
	if m.Text != nil {
		for i, c := range cells {
			if filled[i].Text = m.words(c.all); m.Name == "stop" {
				filled[i].Text = b.stopText(c)
			}
		}
		return column, filled
	}
	values, ok, numbers := b.fold(m.Metric, cells)
	scale := unit.Pick(numbers, m.Unit)
	if m.scale != nil {
		scale = *m.scale
	}
	printed := false
	for i, v := range values {
		if ok[i] && !(len(cells[i].ranked) == 0 && m.Unit == unit.Requests && v.Exact == 0) { // a failed cell is never 0
			filled[i] = written(m.Metric, scale, v)
		}
		if text, is := asPrinted(m.Name, cells[i].all); is {
			printed = true
			filled[i].Text = text
			column.Number = column.Number && plainFigure(text)
		}
	}
	if printed {
		return column, filled
	}
	if m.Unit != unit.PerSecond { // the heading says it
		column.Unit = scale.Label
	}
	b.markBest(m.Metric, cells, values, filled)
	return column, filled
}

// plainFigure reports whether a printed text is a number and nothing else, so
// that its column may be set as numbers are.
func plainFigure(text string) bool {
	return strings.Trim(text, "0123456789.") == "" && strings.Count(text, ".") <= 1
}

func (b *builder) fold(m Metric, cells []cell) (values []Value, ok []bool, numbers []float64) {
	values, ok = make([]Value, len(cells)), make([]bool, len(cells))
	for i, c := range cells {
		if m.against != nil {
			values[i], ok[i] = b.relative(m, c)
		} else {
			values[i], ok[i] = m.fold(c.folder)
		}
		if c.pooled { // rounds of several cells are no repetition of one
			values[i].Rounds = 0
		}
		if ok[i] {
			numbers = append(numbers, values[i].Number)
		}
	}
	return values, ok, numbers
}

// written is a value as it stands in a table. What is counted stays exact,
// unless it is so many bytes that they are told in another unit.
func written(m Metric, scale unit.Scale, v Value) Cell {
	c := Cell{Spread: m.Span(v, scale.Format), Value: json.Number(unit.Plain(v.Number)), Text: scale.Format(v.Number)}
	if m.Count != nil {
		c.Value = json.Number(strconv.FormatInt(v.Exact, 10))
		if scale.Factor == 1 {
			c.Text = string(c.Value)
		}
	}
	if m.Places > 0 {
		c.Text = strconv.FormatFloat(v.Number, 'f', m.Places, 64)
	}
	if v.Printed { // without digits that the tool did not print
		short := unit.Plain(roundTo12(v.Number / scale.Factor))
		if m.AsTold || len(short) < len(c.Text) {
			c.Text = short
		}
	}
	return c
}

// roundTo12 takes off what converting units left behind.
func roundTo12(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 11, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// markBest marks the best value among the systems at each point, and all that
// the rounds do not tell from it. Where these are all of them though their
// figures differ, or the rounds are too few to tell, none is marked. What is told
// of failed trials, too, is no race. Where fewer than two systems have a value,
// or all of them are 0, there is nothing to win.
func (b *builder) markBest(m Metric, cells []cell, values []Value, filled []Cell) {
	if m.Better == unit.Neither || m.Always {
		return
	}
	has := func(i int) bool { return filled[i].Text != "" && (!m.ByBudget || cells[i].Load.Duration == 0) }
	for _, c := range b.contests(m, cells, values, has) {
		if len(c.of) < 2 || allAre(c.behind[1:], stats.TooFew) {
			continue
		}
		best := c.of[0]
		behind := func(n int) bool { return c.behind[n] == stats.Apart && filled[c.of[n]].Text != filled[best].Text }
		differ, told, idle := false, false, true
		for n, i := range c.of {
			differ = differ || filled[i].Text != filled[best].Text
			told = told || behind(n)
			idle = idle && values[i].Number == 0
		}
		if idle || differ && !told {
			continue
		}
		for n, i := range c.of {
			filled[i].Best = !behind(n)
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
	text := fmt.Sprintf("%s on %s", unit.Counted(n, "cell"), unit.Counted(len(systems), "system"))
	switch {
	case ranked == n:
	case ranked == 0 && n > 1:
		text += "; none of them could be measured"
	default:
		text += fmt.Sprintf("; %d could not be measured", n-ranked)
	}
	if g.untried > 0 {
		text += fmt.Sprintf("; %d more of the plan not tried", g.untried)
	}
	return text + "."
}
