package scenario

import (
	"slices"

	"matrix/internal/bench"
)

// always are the axes that every cell has, in this order; of the last two it
// has one.
var always = []string{"file", "concurrency", "requests", "duration"}

// axes tells every draft its point: the axes that are always there, and those
// settings that differ between the cells of some system.
func (e *expansion) axes() {
	var list []*field
	for i := range fields {
		if f := &fields[i]; has(always, f.name) || f.axis && e.varies(f) {
			list = append(list, f)
		}
	}
	written := e.written()
	for _, d := range e.drafts {
		for _, f := range list {
			text := f.text(d)
			if text == "" {
				continue
			}
			if as, ok := written[spelling{f, text}]; ok {
				text = as
			}
			d.Axes = append(d.Axes, bench.Pair{Name: f.name, Value: text})
		}
	}
}

func (e *expansion) varies(f *field) bool {
	first := map[int]string{}
	for _, d := range e.drafts {
		text := f.text(d)
		if before, ok := first[d.System]; ok && before != text {
			return true
		}
		first[d.System] = text
	}
	return false
}

type spelling struct {
	field *field
	canon string
}

// written maps each value to the spelling with which it was written first, so
// that 60s and 1m are one value of an axis and not two.
func (e *expansion) written() map[spelling]string {
	m := map[spelling]string{}
	for _, d := range e.drafts {
		for _, v := range d.chosen {
			if _, known := m[spelling{v.field, v.canon}]; !known {
				m[spelling{v.field, v.canon}] = v.text
			}
		}
	}
	return m
}

// axesOf lists the axes of cells and their values in order of first appearance;
// files keep the order of the scenario's files.
func axesOf(cells []bench.Cell, files []bench.File) []bench.Axis {
	order := map[string]int{}
	var axes []bench.Axis
	seen := map[bench.Pair]bool{}
	for _, c := range cells {
		for _, a := range c.Axes {
			if seen[a] {
				continue
			}
			seen[a] = true
			i, known := order[a.Name]
			if !known {
				i = len(axes)
				order[a.Name] = i
				axes = append(axes, bench.Axis{Name: a.Name})
			}
			axes[i].Values = append(axes[i].Values, a.Value)
		}
	}
	rank := func(name string) int {
		return slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	}
	slices.SortStableFunc(axes, func(a, b bench.Axis) int { return rank(a.Name) - rank(b.Name) })
	for i := range axes {
		if axes[i].Name == "file" {
			place := func(name string) int {
				return slices.IndexFunc(files, func(f bench.File) bool { return f.Name == name })
			}
			slices.SortStableFunc(axes[i].Values, func(a, b string) int { return place(a) - place(b) })
		}
	}
	return axes
}
