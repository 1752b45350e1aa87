package history

import (
	"slices"
	"strconv"
	"time"

	"matrix/internal/bench"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// sheet is a row for each cell and run that has a record of it.
func (h *History) sheet() table.Sheet {
	fixed := []string{"run", "started", "metric", "value", "state", "section", "step"}
	var names []string
	for _, s := range h.Series {
		for _, p := range s.Key.Pairs() {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	sheet := table.Sheet{}
	for _, name := range names {
		if slices.Contains(fixed, name) {
			name += " (label)"
		}
		sheet.Header = append(sheet.Header, name)
	}
	sheet.Header = append(sheet.Header, fixed...)
	for _, s := range h.Series {
		pairs := s.Key.Pairs()
		var head []table.Field
		for _, name := range names {
			value, _ := bench.Lookup(pairs, name)
			head = append(head, table.Field{Text: value})
		}
		for i := range h.Runs {
			if s.States[i] != "" {
				sheet.Rows = append(sheet.Rows, append(slices.Clone(head), h.fields(s, i)...))
			}
		}
	}
	return sheet
}

// fields are those of one cell in one run. A section counts from 1; step is the
// change of the level that began with this run.
func (h *History) fields(s Series, i int) []table.Field {
	n := h.Runs[i]
	var value, step table.Field
	if v := s.Values[i]; v != nil {
		value = table.Field{Text: unit.Plain(*v), Number: true}
	}
	for _, x := range s.Steps {
		if c, ok := x.Change(); ok && x.At == i && !x.Recent {
			step = table.Field{Text: unit.Plain(c), Number: true}
		}
	}
	section := 1
	for _, at := range s.Sections {
		if at <= i {
			section++
		}
	}
	return []table.Field{{Text: n.ID}, {Text: n.Started.Format(time.RFC3339)}, {Text: s.Metric}, value,
		{Text: string(s.States[i])}, {Text: strconv.Itoa(section), Number: true}, step}
}
