package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// recordOf makes the record of a report: of a cell of its own, or a further
// round of one that is there and was measured alike.
func (f importFlags) recordOf(t told, report transcript.Report, others []bench.Record) (bench.Record, error) {
	cell := f.cellOf(t, report)
	r := bench.Record{Trial: bench.Trial{Cell: cell, Round: 1}, Started: t.started, Measurement: report.Measurement}
	place(&r.Cell, others)
	for _, o := range others {
		if o.Cell.Key != cell.Key {
			continue
		}
		if o.Cell.Digest != cell.Digest {
			return r, fmt.Errorf("the run has cell %s already, measured otherwise (%s, not %s): tell them apart by a label", cell.Key, how(o.Cell), how(cell))
		}
		r.Round = max(r.Round, o.Round+1)
	}
	r.State, r.Reason = report.State()
	if report.Abort != "" && r.State.Ranked() {
		r.State, r.Reason = bench.StateFailed, fmt.Sprintf("%s gave up after %d requests; %s", f.as, report.OK, r.Reason)
	}
	return r, nil
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

func how(c bench.Cell) string {
	text := fmt.Sprintf("%s, keep-alive %t", c.Driver, c.Load.KeepAlive)
	if c.Load.Protocol != "" {
		text += ", " + string(c.Load.Protocol)
	}
	return text
}

// cellOf is the cell that a report measured, as far as it and the flags tell.
func (f importFlags) cellOf(t told, report transcript.Report) bench.Cell {
	l := bench.Load{Protocol: report.Protocol, Conns: report.Concurrency, Requests: report.Requests, Duration: report.Duration}
	if report.KeepAlive != nil {
		l.KeepAlive = *report.KeepAlive
	}
	if l.Conns == 0 {
		l.Conns = f.concurrency
	}
	if l.Duration == 0 && l.Requests == 0 {
		l.Duration, l.Requests = t.duration, f.requests
	}
	if l.Duration > 0 {
		l.Requests = 0 // what a tool takes beside a time limit is no budget
	} else if l.Requests == 0 && report.Abort == "" {
		l.Requests = report.Completed()
	}
	c := bench.Cell{Labels: t.labels, Driver: f.as, Load: l}
	name := f.fileName(report)
	c.File = fileOf(name, t, report)
	add := func(axis, value string) {
		if value != "" && value != "0" {
			c.Axes = append(c.Axes, bench.Pair{Name: axis, Value: value})
		}
	}
	add("file", name)
	add("concurrency", strconv.Itoa(l.Conns))
	if l.Duration > 0 {
		add("duration", l.Duration.String())
	} else {
		add("requests", strconv.FormatInt(l.Requests, 10))
	}
	c.Key = bench.KeyOf(slices.Concat(c.Labels, c.Axes))
	c.Digest = digestOf(c)
	return c
}

// fileName is the file that was asked for: the last part of the URL's path,
// without the ending that the test files have. "" is unknown.
func (f importFlags) fileName(report transcript.Report) string {
	switch {
	case f.file != "":
		return f.file
	case report.Path == "":
		return ""
	case strings.HasSuffix(report.Path, "/"):
		return report.Path
	}
	return strings.TrimSuffix(path.Base(report.Path), ".html")
}

// fileOf is nothing where the size is not known: a size of 0 would be a lie.
func fileOf(name string, t told, report transcript.Report) bench.File {
	switch {
	case report.Document != nil && name != "":
		return bench.File{Name: name, Size: *report.Document}
	case t.size >= 0 && name != "":
		return bench.File{Name: name, Size: t.size}
	}
	return bench.File{}
}

func digestOf(c bench.Cell) string {
	text, err := json.Marshal([]any{c.Key, c.Driver, c.Load})
	if err != nil {
		panic("import: digest: " + err.Error()) // numbers and texts only
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// planOf makes of the records the plan that they would have been the run of.
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
		if r.Round == 1 {
			p.Cells = append(p.Cells, c)
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
