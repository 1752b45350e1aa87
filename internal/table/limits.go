package table

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// Checked is a limit and which cells of the run break it.
type Checked struct {
	bench.Limit
	Cells  int      `json:"cells"`            // that it was held against
	Broken []Breach `json:"broken,omitempty"` // in declared order
}

// Breach is a cell that breaks a limit.
type Breach struct {
	Key   bench.Key   `json:"key"`
	Value json.Number `json:"value,omitempty"` // "": not measured
	text  string
}

// BrokenLimits counts the limits that some cell breaks.
func (r *Report) BrokenLimits() (n int) {
	for _, l := range r.Limits {
		if len(l.Broken) > 0 {
			n++
		}
	}
	return n
}

// limits holds the figures of all cells against the plan's limits. A cell that
// has not got the figure breaks its limits, unless it is skipped, is expected to
// fail, or the run goes on and may still come to it.
func (b *builder) limits() []Checked {
	p := b.info.Plan
	have := map[bench.Key]cell{}
	for _, c := range b.g.cells {
		have[c.Key] = c
	}
	checked := make([]Checked, len(p.Limits))
	for i, l := range p.Limits {
		checked[i].Limit = l
	}
	for _, planned := range p.Cells {
		for _, i := range planned.Limits {
			if i < 0 || i >= len(checked) || planned.Skip != "" {
				continue
			}
			c, tried := have[planned.Key]
			tried = tried && !every(c.all, func(r *bench.Record) bool { return r.State == bench.StateInterrupted })
			if tried || b.info.Finished != nil {
				b.hold(c, planned, &checked[i])
			}
		}
	}
	return checked
}

// hold holds one cell, which has no records when it was never tried, against a
// limit.
func (b *builder) hold(c cell, planned bench.Cell, l *Checked) {
	m, known := Lookup(l.Metric)
	if !known || m.against != nil && c.folder != nil && b.base.has(c) {
		return // the baseline is not compared with itself
	}
	var v Value
	ok := false
	if c.folder != nil {
		if v, ok = b.value(m, c); len(c.ranked) == 0 {
			ok = ok && broken(l.Limit, v.Number) != "" // a failed cell keeps no limit
		}
	}
	if !ok && planned.ExpectFailure {
		return
	}
	l.Cells++
	x := Breach{Key: planned.Key, text: "not measured"}
	if ok {
		x.Value, x.text = number(v.Number), broken(l.Limit, v.Number)
	}
	if x.text != "" {
		l.Broken = append(l.Broken, x)
	}
}

func (b *builder) value(m Metric, c cell) (Value, bool) {
	if m.against != nil {
		return b.relative(m, c)
	}
	return m.fold(c.folder)
}

// broken says how a figure breaks a limit: "25.30, above 20"; "" when it keeps
// it.
func broken(l bench.Limit, v float64) string {
	switch {
	case l.Max != nil && v > *l.Max:
		return beyond(v, func(shown float64) bool { return shown > *l.Max }) + ", above " + unit.Plain(*l.Max)
	case l.Min != nil && v < *l.Min:
		return beyond(v, func(shown float64) bool { return shown < *l.Min }) + ", below " + unit.Plain(*l.Min)
	}
	return ""
}

// beyond writes a figure as tables do, or with all digits where it would seem to
// keep the limit.
func beyond(v float64, breaks func(float64) bool) string {
	text := unit.Scale{Factor: 1}.Format(v)
	if shown, err := strconv.ParseFloat(text, 64); err != nil || !breaks(shown) {
		return unit.Plain(v)
	}
	return text
}

// limitText is a limit as a sentence begins: "latency_p99_ms at most 20 where
// file=small".
func limitText(l bench.Limit) string {
	text := l.Metric
	if l.Min != nil {
		text += " at least " + unit.Plain(*l.Min)
	}
	if l.Min != nil && l.Max != nil {
		text += " and"
	}
	if l.Max != nil {
		text += " at most " + unit.Plain(*l.Max)
	}
	if l.Where != "" {
		text += " where " + l.Where
	}
	return text
}

// marked writes breaches into the rows of the tables.
func marked(tables []Table, checked []Checked) {
	found := map[bench.Key][]string{}
	for _, l := range checked {
		for _, x := range l.Broken {
			found[x.Key] = append(found[x.Key], fmt.Sprintf("limit: %s %s", l.Metric, x.text))
		}
	}
	for _, t := range tables {
		for i := range t.Rows {
			if texts := found[t.Rows[i].Key]; len(texts) > 0 {
				if t.Rows[i].Finding != "" {
					texts = append([]string{t.Rows[i].Finding}, texts...)
				}
				t.Rows[i].Finding = strings.Join(texts, "; ")
			}
		}
	}
}

// limitNotes tells of each limit that is broken, by how many cells and which,
// of each that no cell was held against, and how many limits are kept.
func limitNotes(checked []Checked) (notes []Footnote) {
	const few = 5
	kept := 0
	for _, l := range checked {
		switch {
		case l.Cells == 0:
			notes = append(notes, Footnote{Code: "limit", Text: fmt.Sprintf("Held against no cell: %s.", limitText(l.Limit))})
			continue
		case len(l.Broken) == 0:
			kept++
			continue
		}
		var cells []string
		for _, x := range l.Broken {
			cells = append(cells, fmt.Sprintf("%s: %s", x.Key, x.text))
		}
		notes = append(notes, Footnote{Code: "limit", Text: fmt.Sprintf("Broken by %d of %s: %s (%s).",
			len(l.Broken), unit.Counted(l.Cells, "cell"), limitText(l.Limit), list(cells, few))})
	}
	if kept > 0 {
		notes = append(notes, Footnote{Code: "limits", Text: fmt.Sprintf("%s kept.", unit.Counted(kept, "limit"))})
	}
	return notes
}
