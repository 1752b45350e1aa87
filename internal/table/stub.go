package table

import (
	"slices"
	"strings"
	"unicode/utf8"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// stub is a column that says which cell a row is.
type stub struct {
	name, heading string
	long          string // heading where it stands alone, above the table
	number        bool
	of            func(cell) string
}

// stubs lists the columns that tell the cells apart: labels in declared order,
// file, size, C, N, further axes, driver.
func stubs(p bench.Plan, cells []cell) []stub {
	var all []stub
	for _, name := range labelNames(p, cells) {
		all = append(all, stub{name: name, heading: name, long: name, of: func(c cell) string {
			v, _ := bench.Lookup(c.Labels, name)
			return v
		}})
	}
	if !sizesTellFiles(cells) {
		all = append(all, stub{name: "file", heading: "File", long: "File", of: func(c cell) string { return fileOf(c.Cell) }})
	}
	all = append(all,
		stub{"size", "Size", "Size", true, func(c cell) string { return c.File.SizeText() }},
		stub{"concurrency", "C", "Concurrency (C)", true, func(c cell) string { return positive(int64(c.Load.Conns)).Text }},
		budgetStub(cells))
	for _, name := range furtherAxes(p, cells) {
		all = append(all, axisStub(name))
	}
	return append(all, stub{name: "driver", heading: "Driver", long: "Driver", of: func(c cell) string { return c.Driver }})
}

func axisStub(name string) stub {
	heading := sentence(name)
	return stub{name: name, heading: heading, long: heading, of: func(c cell) string {
		v, _ := bench.Lookup(c.Axes, name)
		return v
	}}
}

// sentence turns a name as in YAML into a heading: "keep_alive" is "Keep alive".
func sentence(name string) string {
	first, n := utf8.DecodeRuneInString(name)
	if n == 0 {
		return name
	}
	return strings.ToUpper(string(first)) + strings.ReplaceAll(name[n:], "_", " ")
}

// labelNames is the union of the plan's labels and those that cells have.
func labelNames(p bench.Plan, cells []cell) []string {
	names := slices.Clone(p.Labels)
	seen := map[string]bool{}
	for _, n := range names {
		seen[n] = true
	}
	for _, c := range cells {
		for _, l := range c.Labels {
			if !seen[l.Name] {
				seen[l.Name] = true
				names = append(names, l.Name)
			}
		}
	}
	return names
}

// furtherAxes lists the axes that have no column of their own.
func furtherAxes(p bench.Plan, cells []cell) []string {
	seen := map[string]bool{"file": true, "concurrency": true, "requests": true, "duration": true, "driver": true}
	var names []string
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, a := range p.Axes {
		add(a.Name)
	}
	for _, c := range cells {
		for _, a := range c.Axes {
			add(a.Name)
		}
	}
	return names
}

// fileOf is what a cell's file is called: a log may tell that and not its size.
func fileOf(c *bench.Cell) string {
	if c.File.Name != "" {
		return c.File.Name
	}
	name, _ := bench.Lookup(c.Axes, "file")
	return name
}

// sizesTellFiles reports whether no two files of the cells look the same by
// their size, so that a column of names would say nothing more.
func sizesTellFiles(cells []cell) bool {
	names := map[string]string{}
	for _, c := range cells {
		text := c.File.SizeText()
		if name, seen := names[text]; seen && name != fileOf(c.Cell) {
			return false
		}
		names[text] = fileOf(c.Cell)
	}
	return true
}

// budgetStub is headed by what the budgets of the cells are.
func budgetStub(cells []cell) stub {
	timed := func(c cell) bool { return c.Load.Duration > 0 }
	switch {
	case !slices.ContainsFunc(cells, timed):
		return stub{"requests", "N", "Requests (N)", true, budgetText}
	case !slices.ContainsFunc(cells, func(c cell) bool { return !timed(c) }):
		return stub{"duration", "Duration", "Duration", true, budgetText}
	default:
		return stub{"requests", "N", "Requests (N) or duration", true, budgetText}
	}
}

func budgetText(c cell) string {
	if c.Load.Duration > 0 {
		return unit.Span(c.Load.Duration)
	}
	return positive(c.Load.Requests).Text
}

// liftConstant parts the stubs that tell rows apart from those that all rows
// agree in. A single row keeps all of its own.
func liftConstant(all []stub, cells []cell) (kept []stub, constant []bench.Pair) {
	for _, s := range all {
		if len(cells) < 2 || varies(s, cells) {
			kept = append(kept, s)
		} else if v := s.of(cells[0]); v != "" {
			constant = append(constant, bench.Pair{Name: s.long, Value: v})
		}
	}
	return kept, constant
}

func varies(s stub, cells []cell) bool {
	first := s.of(cells[0])
	return slices.ContainsFunc(cells[1:], func(c cell) bool { return s.of(c) != first })
}
