package published

import (
	"fmt"
	"slices"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// sheet collects the records of one run: labels and axes tell them apart,
// whichever order the figures come in.
type sheet struct {
	mapping Mapping
	systems []bench.System
	axes    []bench.Axis
	points  map[bench.Key]int
	byKey   map[bench.Key]int // into records
	records []bench.Record
}

// record is that of a cell, made where there is none yet. File, concurrency and
// budget follow from its axes.
func (s *sheet) record(labels, axes []bench.Pair) (*bench.Record, error) {
	key := bench.KeyOf(slices.Concat(labels, axes))
	if i, known := s.byKey[key]; known {
		return &s.records[i], nil
	}
	c := bench.Cell{Key: key, Labels: labels, Axes: axes, Driver: s.mapping.Driver, Load: s.mapping.Load, Digest: "published"}
	for _, a := range axes {
		if err := s.set(&c, a); err != nil {
			return nil, err
		}
		s.see(a)
	}
	c.System, c.Point = s.system(labels), s.point(axes)
	s.byKey[key] = len(s.records)
	s.records = append(s.records, bench.Record{Trial: bench.Trial{Cell: c, Round: 1}, State: bench.StateOK})
	return &s.records[len(s.records)-1], nil
}

// set stores the value of an axis that a cell keeps in a field, too.
func (s *sheet) set(c *bench.Cell, a bench.Pair) (err error) {
	switch a.Name {
	case "file":
		i := slices.IndexFunc(s.mapping.Plan.Files, func(f bench.File) bool { return f.Name == a.Value })
		if i < 0 {
			return fmt.Errorf("the plan has no file %q", a.Value)
		}
		c.File = s.mapping.Plan.Files[i]
	case "concurrency":
		var n int64
		n, err = unit.ParseCount(a.Value)
		c.Load.Conns = int(n)
	case "requests":
		c.Load.Requests, err = unit.ParseCount(a.Value)
	case "duration":
		c.Load.Duration, err = unit.ParseDuration(a.Value)
	case "keep_alive":
		c.Load.KeepAlive = a.Value == "true"
	}
	return err
}

func (s *sheet) see(a bench.Pair) {
	i := slices.IndexFunc(s.axes, func(x bench.Axis) bool { return x.Name == a.Name })
	if i < 0 {
		s.axes = append(s.axes, bench.Axis{Name: a.Name})
		i = len(s.axes) - 1
	}
	if !slices.Contains(s.axes[i].Values, a.Value) {
		s.axes[i].Values = append(s.axes[i].Values, a.Value)
	}
}

func (s *sheet) system(labels []bench.Pair) int {
	i := slices.IndexFunc(s.systems, func(x bench.System) bool { return slices.Equal(x.Labels, labels) })
	if i < 0 {
		s.systems = append(s.systems, bench.System{Labels: labels})
		i = len(s.systems) - 1
	}
	return i
}

func (s *sheet) point(axes []bench.Pair) int {
	key := bench.KeyOf(axes)
	if _, known := s.points[key]; !known {
		s.points[key] = len(s.points)
	}
	return s.points[key]
}

// finished are the records, those that printed an error failed with it.
func (s *sheet) finished() []bench.Record {
	for i := range s.records {
		r := &s.records[i]
		if reason := r.AsPrinted["errors"].Text; reason != "" {
			r.State, r.Reason = bench.StateFailed, reason
		}
	}
	return s.records
}

// info is the header of the run.
func (s *sheet) info(name string) bench.RunInfo {
	p := s.mapping.Plan
	p.Scenario, p.Systems, p.Axes, p.Rounds, p.Digest = name, s.systems, s.axes, 1, "published"
	p.Cells = nil // what a page left out was not planned by us
	return bench.RunInfo{
		ID: "published/" + name, Command: []string{"matrix", "published", "results/published/" + name},
		Plan: p, Tools: s.mapping.Tools, Host: s.mapping.Host, Generator: s.mapping.Generator, Notes: s.mapping.Notes,
	}
}
