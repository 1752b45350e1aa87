package scenario

import (
	"math/big"
	"slices"
	"strings"

	"matrix/internal/bench"
)

// Guards of a scenario's size: more is a slip of the author, not a wish.
const (
	maxCells  = 100_000
	maxTrials = 1_000_000
)

// defaults is the level below all: the fields that have a default.
func defaults() *group {
	g := &group{level: "default"}
	for i := range fields {
		f := &fields[i]
		if f.def == "" {
			continue
		}
		data, err := f.kind.parse(f.def)
		if err != nil {
			panic("scenario: default of " + f.name + ": " + err.Error())
		}
		v := &value{field: f, text: f.def, canon: canonical(data), data: data, level: g.level}
		g.dims = append(g.dims, dim{{field: f, values: []*value{v}}})
	}
	return g
}

// layers lists what is to be walked, nearest level first: a setting of a nearer
// level hides the same one of the levels behind it, and either budget hides
// both.
func layers(groups ...*group) (dims []dim) {
	hidden := map[string]bool{}
	for _, g := range groups {
		var here []string
		for _, d := range g.dims {
			if len(d) == 1 && hidden[d[0].field.name] || len(d) == 0 {
				continue
			}
			dims = append(dims, d)
			for _, s := range d {
				here = append(here, s.field.name)
			}
		}
		for _, name := range here {
			hidden[name] = true
			if name == "requests" || name == "duration" {
				hidden["requests"], hidden["duration"] = true, true
			}
		}
	}
	return dims
}

// size is how many points the dims have together.
func size(dims []dim) *big.Int {
	n := big.NewInt(1)
	for _, d := range dims {
		n.Mul(n, big.NewInt(int64(len(d[0].values))))
	}
	return n
}

// walk calls point with the values of each combination; the last dim varies
// fastest. The slice is the callee's to keep.
func walk(dims []dim, point func([]*value)) {
	at := make([]int, len(dims))
	for {
		var chosen []*value
		for i, d := range dims {
			for _, s := range d {
				chosen = append(chosen, s.values[at[i]])
			}
		}
		point(chosen)
		i := len(dims) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(dims[i][0].values) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// expansion is the grid written out: drafts in table order.
type expansion struct {
	s        *Scenario
	drafts   []*draft
	lookup   *lookup // of the drafts
	defaults *group
	files    map[string]bench.File
	data     func(*value) any // what a value stores, with variables replaced or not
}

func (s *Scenario) newExpansion(data func(*value) any) *expansion {
	e := &expansion{s: s, defaults: defaults(), files: map[string]bench.File{}, data: data}
	e.lookup = newLookup(&e.drafts)
	for _, f := range s.plan.Files {
		e.files[f.Name] = f
	}
	return e
}

func (e *expansion) dims(block *group, sys int) []dim {
	return layers(block, e.s.systems[sys].set, e.s.load, e.defaults)
}

// add writes out one block on one system.
func (e *expansion) add(block *group, sys int) {
	walk(e.dims(block, sys), func(chosen []*value) {
		d := &draft{place: block, chosen: chosen}
		d.System, d.Labels, d.ours = sys, e.s.systems[sys].Labels, e.s.systems[sys].Server != nil
		for _, v := range chosen {
			v.field.slot.set(d, e.data(v))
		}
		d.File = e.files[d.File.Name]
		if n := d.Load.Requests; n > 0 && int64(d.Load.Conns) > n {
			d.Skip = "concurrency " + canonical(d.Load.Conns) + " above requests " + canonical(n)
		}
		e.drafts = append(e.drafts, d)
	})
}

// grid writes out every block on every system, takes out what is excluded,
// brings in what is included and leaves the drafts in table order. What is odd
// about excludes and includes goes to r and into the scenario's notices.
func (e *expansion) grid(r, notices *report) {
	for sys := range e.s.systems {
		for _, block := range e.s.grid {
			e.add(block, sys)
		}
	}
	for _, m := range e.s.excludes {
		e.exclude(m, notices)
	}
	for _, inc := range e.s.includes {
		e.include(inc, r)
	}
	e.drafts = slices.DeleteFunc(e.drafts, func(d *draft) bool { return d.excluded })
	slices.SortStableFunc(e.drafts, func(a, b *draft) int { return a.System - b.System })
}

func (e *expansion) exclude(m match, notices *report) {
	hit := e.lookup.all(m.terms)
	if !hit.IsEmpty() {
		hit.Iterate(func(i uint32) bool {
			e.drafts[i].excluded = true
			return true
		})
		return
	}
	for _, t := range m.terms {
		if e.lookup.term(t).IsEmpty() {
			notices.problem(m.node, "this excludes nothing: no cell has %s=%s; remove it or correct it", clip(t.name), clip(strings.Join(t.values, ",")))
			return
		}
	}
	notices.problem(m.node, "this excludes nothing: no cell has all of %s; remove it or correct it", m)
}

// include brings back the excluded cells that agree or, when none does, adds
// the points that the entry names.
func (e *expansion) include(inc include, r *report) {
	back := false
	hit := e.lookup.all(inc.terms)
	hit.Iterate(func(i uint32) bool {
		back = back || e.drafts[i].excluded
		e.drafts[i].excluded = false
		return true
	})
	switch {
	case back:
		return
	case !hit.IsEmpty():
		r.problem(inc.node, "the grid has this already (%s): remove it", inc)
		return
	}
	some := false
	for sys := range e.s.systems {
		if !inc.selects(e.s.systems[sys]) {
			continue
		}
		some = true
		if what := missing(e.dims(inc.block, sys)); what != "" {
			r.problem(inc.node, "no excluded cell agrees with this (%s), and it is no whole point: it has no %s", inc, what)
			return
		}
		e.add(inc.block, sys)
	}
	if !some {
		r.problem(inc.node, "no system has these labels (%s)", inc)
	}
}

// missing is what a cell still lacks, or "".
func missing(dims []dim) string {
	given := map[string]bool{}
	for _, d := range dims {
		for _, s := range d {
			given[s.field.name] = true
		}
	}
	switch {
	case !given["file"]:
		return "file"
	case !given["concurrency"]:
		return "concurrency"
	case !given["requests"] && !given["duration"]:
		return "requests or duration"
	}
	return ""
}
