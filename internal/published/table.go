package published

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io/fs"
	"maps"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// wordy are the metrics that hold words: their figures have no value.
var wordy = map[string]bool{"errors": true, "multi_times": true, "multi_time_error": true}

func (s *sheet) readTable(dir fs.FS) error {
	t := s.mapping.Table
	text, err := readFile(dir, t.File)
	if err != nil {
		return err
	}
	in := csv.NewReader(bytes.NewReader(text))
	header, err := in.Read()
	if err != nil {
		return fmt.Errorf("%s: reading the header: %w", t.File, err)
	}
	if len(header) != len(t.Columns) {
		return fmt.Errorf("%s:1: it has %d columns, and the mapping %d", t.File, len(header), len(t.Columns))
	}
	for i, c := range t.Columns {
		if header[i] != c.Name {
			return fmt.Errorf("%s:1: column %d is %q, and in the mapping %q", t.File, i+1, header[i], c.Name)
		}
	}
	rows, err := in.ReadAll()
	if err != nil {
		return fmt.Errorf("reading %s: %w", t.File, err)
	}
	for i, row := range rows {
		if err := s.row(row); err != nil {
			return fmt.Errorf("%s: row %d: %w", t.File, i+1, err)
		}
	}
	return nil
}

// line is what a line of the CSV says of all its figures.
type line struct {
	labels, axes []bench.Pair
	as           map[string]bench.Figure // axes as printed
	metric       string                  // of the figures of a line that names it
}

func (s *sheet) row(row []string) error {
	l := line{as: map[string]bench.Figure{}}
	for i, c := range s.mapping.Table.Columns {
		if err := l.place(c, row[i]); err != nil {
			return err
		}
	}
	for i, c := range s.mapping.Table.Columns {
		if err := s.figure(l, c, row[i]); err != nil {
			return err
		}
	}
	return nil
}

// place takes in a column that tells which cell, or which metric, the line is of.
func (l *line) place(c Column, text string) error {
	value := text
	if meant, ok := c.Values[text]; ok {
		value = meant
	}
	switch {
	case c.Label != "":
		l.labels = append(l.labels, bench.Pair{Name: c.Label, Value: value})
	case c.Axis != "":
		l.axes = append(l.axes, bench.Pair{Name: c.Axis, Value: value})
		if c.As != "" {
			l.as[c.As] = bench.Figure{Text: text}
		}
	case c.Metrics != nil:
		if l.metric = c.Metrics[text]; l.metric == "" {
			return fmt.Errorf("the mapping has no metric for %q", text)
		}
	}
	return nil
}

// figure stores what a column of figures printed.
func (s *sheet) figure(l line, c Column, text string) error {
	metric := c.Metric
	labels, axes := l.labels, l.axes
	if c.Cell != nil {
		metric = l.metric
		if labels, axes = s.cellOf(l, c.Cell); len(labels)+len(axes) != len(l.labels)+len(l.axes)+len(c.Cell) {
			return fmt.Errorf("column %s: its cell has a name that is neither a label of the plan nor an axis", c.Name)
		}
	}
	if metric == "" {
		return nil
	}
	r, err := s.record(labels, axes)
	if err != nil {
		return err
	}
	if r.AsPrinted == nil {
		r.AsPrinted = map[string]bench.Figure{}
		maps.Copy(r.AsPrinted, l.as)
	}
	if before, twice := r.AsPrinted[metric]; twice && before.Text != text {
		return fmt.Errorf("cell %s: %s is printed as %q and as %q", r.Cell.Key, metric, before.Text, text)
	}
	r.AsPrinted[metric] = asPrinted(metric, text, c.Factor)
	return nil
}

// axisNames are the axes that a column of cells may name, in the order in which
// they stand in a key.
var axisNames = []string{"file", "concurrency", "requests", "duration", "keep_alive"}

// cellOf adds the labels and axes of a column to those of its line.
func (s *sheet) cellOf(l line, cell map[string]string) (labels, axes []bench.Pair) {
	labels, axes = append(labels, l.labels...), append(axes, l.axes...)
	isLabel := map[string]bool{}
	for _, name := range s.mapping.Plan.Labels {
		isLabel[name] = true
		if v, ok := cell[name]; ok {
			labels = append(labels, bench.Pair{Name: name, Value: v})
		}
	}
	for _, name := range axisNames {
		if v, ok := cell[name]; ok && !isLabel[name] {
			axes = append(axes, bench.Pair{Name: name, Value: v})
		}
	}
	return labels, axes
}

func asPrinted(metric, text string, factor float64) bench.Figure {
	f := bench.Figure{Text: text}
	if factor == 0 {
		factor = 1
	}
	if r, ok := unit.ReadPrinted(text); ok && !wordy[metric] {
		f.Value = new(r.Times(factor).Value)
	}
	return f
}
