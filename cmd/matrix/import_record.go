package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/results"
	"matrix/internal/transcript"
)

// records makes of each log its records, beside those that the run has.
func (f importFlags) records(t told, logs []logFile, others []bench.Record) (all [][]bench.Record, err error) {
	for _, l := range logs {
		from := len(others)
		for _, report := range l.reports {
			r, err := f.recordOf(t, report, others)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.path, err)
			}
			others = append(others, r)
		}
		all = append(all, others[from:len(others):len(others)])
	}
	return all, nil
}

// twice tells of the logs that the run has already, to the last byte, or that
// stand twice among those to be added.
func twice(run *results.Run, logs []logFile) (notes []bench.Note) {
	seen := map[[sha256.Size]byte]string{}
	for _, r := range run.Records() {
		if text, err := readRaw(run, r.Raw); err == nil { // one that is gone cannot be compared
			seen[sha256.Sum256(text)] = path.Join("raw", r.Raw)
		}
	}
	for _, l := range logs {
		sum := sha256.Sum256(l.text)
		if before, known := seen[sum]; known {
			notes = append(notes, bench.Note{Code: "imported-twice", Text: fmt.Sprintf("%s is the same as %s: it counts as a further round, which measured nothing new", filepath.Base(l.path), before)})
		}
		seen[sum] = filepath.Base(l.path)
	}
	return notes
}

func readRaw(run *results.Run, name string) ([]byte, error) {
	file, err := run.OpenRaw(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, transcript.Longest+1))
}

// append keeps each log under raw/ and its records in the journal, and renews
// the header of the run.
func (f importFlags) append(run *results.Run, logs []logFile, records [][]bench.Record) error {
	info := run.Info()
	again := twice(run, logs)
	for i, l := range logs {
		raw, err := keepRaw(run, records[i][0].ID(), l.text)
		if err != nil {
			return err
		}
		for _, r := range records[i] {
			r.Raw = raw
			if err := run.Append(r); err != nil {
				return err
			}
		}
		info.Notes = append(info.Notes, bench.Note{Code: "imported", Text: fmt.Sprintf("from %s, printed by %s", filepath.Base(l.path), f.as)})
	}
	info.Notes = append(info.Notes, again...)
	info.Plan = planOf(info.Plan, run.Records())
	if info.Tools = maps.Clone(info.Tools); info.Tools == nil {
		info.Tools = map[string]string{} // a header made elsewhere may have none
	}
	info.Tools[f.as] = versions(run.Records(), f.as)
	return run.Update(info)
}

func keepRaw(run *results.Run, id string, text []byte) (string, error) {
	name, w, err := run.Raw(id)
	if err != nil {
		return "", err
	}
	_, err = w.Write(text)
	if err = errors.Join(err, w.Close()); err != nil {
		return "", fmt.Errorf("keeping the log: %w", err)
	}
	return name, nil
}

// versions joins the versions that a tool told of itself in the records.
func versions(records []bench.Record, tool string) string {
	var all []string
	for _, r := range records {
		if r.Cell.Driver == tool && r.Printed != nil && r.Printed.Version != "" && !slices.Contains(all, r.Printed.Version) {
			all = append(all, r.Printed.Version)
		}
	}
	return strings.Join(all, ", ")
}

// place numbers the cell's system and its point of the grid among those of the
// other records.
func place(c *bench.Cell, others []bench.Record) {
	system, point := -1, -1
	for _, o := range others {
		if slices.Equal(o.Cell.Labels, c.Labels) {
			system = o.Cell.System
		}
		if slices.Equal(o.Cell.Axes, c.Axes) {
			point = o.Cell.Point
		}
		c.System, c.Point = max(c.System, o.Cell.System+1), max(c.Point, o.Cell.Point+1)
	}
	if system >= 0 {
		c.System = system
	}
	if point >= 0 {
		c.Point = point
	}
}

// planOf makes of the records the plan that they would have been the run of. It
// has no cells: nobody planned how many rounds each was to have.
func planOf(p bench.Plan, records []bench.Record) bench.Plan {
	p.Labels, p.Axes, p.Files, p.Systems, p.Cells, p.Rounds = nil, nil, nil, nil, nil, 1
	for _, r := range records {
		c := r.Cell
		p.Rounds = max(p.Rounds, r.Round)
		for _, l := range c.Labels {
			if !slices.Contains(p.Labels, l.Name) {
				p.Labels = append(p.Labels, l.Name)
			}
		}
		if c.File.Name != "" && !slices.ContainsFunc(p.Files, func(f bench.File) bool { return f.Name == c.File.Name }) {
			p.Files = append(p.Files, c.File)
		}
		if c.System == len(p.Systems) {
			p.Systems = append(p.Systems, bench.System{Labels: c.Labels})
		}
		p.Axes = widen(p.Axes, c.Axes)
	}
	for _, a := range p.Axes {
		slices.SortStableFunc(a.Values, numerically)
	}
	return p
}

// widen adds the values of a point to the axes.
func widen(axes []bench.Axis, point []bench.Pair) []bench.Axis {
	for _, pair := range point {
		i := slices.IndexFunc(axes, func(a bench.Axis) bool { return a.Name == pair.Name })
		if i < 0 {
			i = len(axes)
			axes = append(axes, bench.Axis{Name: pair.Name})
		}
		if !slices.Contains(axes[i].Values, pair.Value) {
			axes[i].Values = append(axes[i].Values, pair.Value)
		}
	}
	return axes
}

// numerically orders numbers by value and leaves words where they are.
func numerically(a, b string) int {
	x, err1 := strconv.ParseInt(a, 10, 64)
	y, err2 := strconv.ParseInt(b, 10, 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	return cmp.Compare(x, y)
}
