package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/stats"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// Report is the history as any exporter shows it: a table for each metric, those
// cells first whose level moved; charts of these; and a sheet with a row for
// each cell and run. The same history gives the same report.
func (h *History) Report() *table.Report {
	r := &table.Report{Title: "History of " + h.Scenario, Summary: h.summary(), Tables: []table.Table{}, Records: []bench.Record{}}
	for _, name := range h.options.Metrics {
		v := h.view(name)
		r.Verdict = append(r.Verdict, v.verdict()...)
		r.Tables = append(r.Tables, v.table())
		if g := v.charts(); len(g.Charts) > 0 {
			r.Charts = append(r.Charts, g)
		}
	}
	r.Notes = h.notes()
	r.Sheet = h.sheet
	return r
}

func (h *History) summary() string {
	cells := len(h.Series) / len(h.options.Metrics)
	first, last := h.Runs[0].Started, h.Runs[len(h.Runs)-1].Started
	text := fmt.Sprintf("%s of %s, %s to %s", unit.Counted(len(h.Runs), "run"), unit.Counted(cells, "cell"), date(first), date(last))
	unread := 0
	for _, n := range h.Runs {
		if n.Problem != "" {
			unread++
		}
	}
	if unread > 0 {
		text += fmt.Sprintf("; %d could not be read", unread)
	}
	return text + "."
}

// view is one metric of a history, in the order in which it is shown.
type view struct {
	*History
	metric table.Metric
	series []*Series
	labels map[bench.Key][]bench.Pair // what the key names
	stub   []string                   // names that tell the cells apart
	same   []bench.Pair               // what all of them share
	scale  unit.Scale
}

func (h *History) view(name string) *view {
	m, _ := table.Lookup(name)
	v := &view{History: h, metric: m, labels: map[bench.Key][]bench.Pair{}}
	var numbers []float64
	for i := range h.Series {
		if s := &h.Series[i]; s.Metric == name {
			v.series = append(v.series, s)
			v.labels[s.Key] = s.Key.Pairs()
			if last, ok := s.last(); ok {
				numbers = append(numbers, last)
			}
		}
	}
	v.scale = unit.Pick(numbers, m.Unit)
	v.tellApart()
	slices.SortStableFunc(v.series, func(a, b *Series) int { return cmp.Compare(b.weight(), a.weight()) })
	return v
}

// tellApart sorts what the keys name into what all share and what not.
func (v *view) tellApart() {
	values := map[string][]string{}
	var names []string
	for _, s := range v.series {
		for _, p := range v.labels[s.Key] {
			if values[p.Name] == nil {
				names = append(names, p.Name)
			}
			values[p.Name] = append(values[p.Name], p.Value)
		}
	}
	for _, name := range names {
		all := slices.Compact(values[name])
		if len(all) == 1 && len(values[name]) == len(v.series) {
			v.same = append(v.same, bench.Pair{Name: name, Value: all[0]})
			continue
		}
		v.stub = append(v.stub, name)
	}
}

// name is what tells a cell from the others, in words.
func (v *view) name(s *Series) string {
	var words []string
	for _, name := range v.stub {
		if value, ok := bench.Lookup(v.labels[s.Key], name); ok && value != "" {
			if _, err := strconv.ParseFloat(value, 64); err == nil {
				value = name + " " + value
			}
			words = append(words, value)
		}
	}
	if len(words) == 0 {
		return string(s.Key)
	}
	return strings.Join(words, ", ")
}

// lastStep is the last step that is not merely recent.
func (s *Series) lastStep() (stats.Step, bool) {
	for _, step := range slices.Backward(s.Steps) {
		if !step.Recent {
			return step, true
		}
	}
	return stats.Step{}, false
}

// weight orders the cells of a table: first those that failed in the last run,
// then those whose level moved, then those that may just have moved, each by how
// far, then the rest.
func (s *Series) weight() float64 {
	const fails, moved, recent = 3e9, 2e9, 1e9
	if s.fails() {
		return fails
	}
	far := func(step stats.Step) float64 {
		c, ok := step.Change()
		if !ok {
			return 1e6
		}
		return min(math.Abs(c), 1e6)
	}
	if step, ok := s.lastStep(); ok {
		return moved + far(step)
	}
	if len(s.Steps) > 0 {
		return recent + far(s.Steps[0])
	}
	return 0
}

// fails reports whether the cell failed in the last run.
func (s *Series) fails() bool {
	at := len(s.Values) - 1
	return s.Values[at] == nil && s.States[at].Failed()
}

// missing reports whether the last run says nothing of the cell.
func (s *Series) missing() bool {
	at := len(s.Values) - 1
	return s.Values[at] == nil && !s.States[at].Failed()
}

// last is the newest value there is.
func (s *Series) last() (float64, bool) {
	for _, v := range slices.Backward(s.Values) {
		if v != nil {
			return *v, true
		}
	}
	return 0, false
}

// level is the median since the last step, or since the cell last became
// another.
func (s *Series) level() (float64, bool) {
	from := 0
	if len(s.Sections) > 0 {
		from = s.Sections[len(s.Sections)-1]
	}
	if step, ok := s.lastStep(); ok {
		from = max(from, step.At)
	}
	var list []float64
	for _, v := range s.Values[from:] {
		if v != nil {
			list = append(list, *v)
		}
	}
	return stats.Median(list)
}

// measured counts the runs with a value, and those that tried for one in vain.
func (s *Series) measured() (n, failed int) {
	for i, v := range s.Values {
		switch {
		case v != nil:
			n++
		case s.States[i].Failed():
			failed++
		}
	}
	return n, failed
}

func (v *view) table() table.Table {
	t := table.Table{Caption: v.metric.Heading, Constant: v.same}
	for _, name := range v.stub {
		t.Columns = append(t.Columns, table.Column{Name: name, Heading: name, Stub: true, Keep: 9})
	}
	number := func(name, heading, doc string, u string, keep int) {
		t.Columns = append(t.Columns, table.Column{Name: name, Heading: heading, Doc: doc, Unit: u, Number: true, Keep: keep})
	}
	unitText := v.scale.Label
	t.Columns = append(t.Columns, table.Column{Name: "runs", Heading: "Runs", Keep: 5,
		Doc: "Oldest to newest, from the least to the greatest; × failed, | the scenario asked for something else from here on."})
	number("last", "Last", "Of the last run; in brackets, of the last that measured it.", unitText, 8)
	number("level", "Level", "Median since the last step.", unitText, 6)
	number("change", "Step", "How far the level moved when it last did.", "", 8)
	t.Columns = append(t.Columns, table.Column{Name: "since", Heading: "Since", Doc: "The run of that step, and how many runs it would take where they are too few to tell; with a question mark, of the last runs, too few to tell a step from chance.", Keep: 8})
	number("failed", "Failed", "Runs in which the cell failed.", "", 4)
	for _, s := range v.series {
		t.Rows = append(t.Rows, v.row(s))
	}
	return t
}

func (v *view) row(s *Series) table.Row {
	n, failed := s.measured()
	r := table.Row{Key: s.Key, State: s.States[len(s.States)-1], Rounds: n, Finding: v.finding(s), Untold: s.why(n)}
	for _, name := range v.stub {
		value, _ := bench.Lookup(v.labels[s.Key], name)
		r.Cells = append(r.Cells, table.Cell{Text: value})
	}
	r.Cells = append(r.Cells, table.Cell{Text: s.spark()})
	last := v.cell(s.last())
	if at := len(s.Values) - 1; s.Values[at] == nil && last.Text != "" {
		last = table.Cell{Text: "(" + last.Text + ")"}
	}
	r.Cells = append(r.Cells, last, v.cell(s.level()))
	change, since := table.Cell{Text: "none"}, table.Cell{}
	if step, ok := s.lastStep(); ok {
		change, since = v.stepCells(step, "")
	} else if len(s.Steps) > 0 {
		change, since = v.stepCells(s.Steps[len(s.Steps)-1], "?")
	} else if s.untold() {
		change.Text, since.Text = "too few runs", "of "+strconv.Itoa(s.Needed)
	}
	r.Cells = append(r.Cells, change, since)
	count := table.Cell{}
	if failed > 0 {
		count.Text = strconv.Itoa(failed)
		count.Value = json.Number(count.Text)
	}
	r.Cells = append(r.Cells, count)
	return r
}

// why says why it cannot be told how the cell does, of n runs that measured it;
// "" where it can.
func (s *Series) why(n int) string {
	switch {
	case s.missing():
		return "not measured in the last run"
	case s.untold():
		return fmt.Sprintf("%s: too few to tell whether the level moved, which takes %d", unit.Counted(n, "run"), s.Needed)
	}
	return ""
}

func (v *view) cell(x float64, ok bool) table.Cell {
	if !ok {
		return table.Cell{}
	}
	return table.Cell{Text: v.scale.Format(x), Value: json.Number(unit.Plain(x))}
}

func (v *view) stepCells(step stats.Step, mark string) (change, since table.Cell) {
	change.Text = v.moved(step)
	if c, ok := step.Change(); ok {
		change.Value = json.Number(unit.Plain(c))
	}
	since.Text = v.Runs[step.At].short() + mark
	return change, since
}

// moved tells how far a level moved: "-9.8%", or from zero what it came to.
func (v *view) moved(step stats.Step) string {
	c, ok := step.Change()
	switch {
	case !ok:
		return "0 -> " + v.scale.Format(step.After)
	case c > 0:
		return "+" + unit.Share(c)
	}
	return unit.Share(c)
}

// finding says that the level last moved for the worse.
func (v *view) finding(s *Series) string {
	step, ok := s.lastStep()
	if !ok || !v.worse(step) {
		return ""
	}
	return fmt.Sprintf("%s %s from %s to %s (%s), and stayed", v.Runs[step.At].short(), v.metric.Name,
		unit.Plain(step.Before), unit.Plain(step.After), v.moved(step))
}

func (v *view) worse(step stats.Step) bool {
	switch v.metric.Better {
	case unit.Higher:
		return step.After < step.Before
	case unit.Lower:
		return step.After > step.Before
	}
	return false
}

// short is when a run began, with the time of day where that tells it from
// another of its day.
func (n Night) short() string { return n.Started.Format("2006-01-02 15:04") }

func date(t time.Time) string { return t.Format(time.DateOnly) }
