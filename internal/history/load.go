package history

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"matrix/internal/bench"
	"matrix/internal/results"
	"matrix/internal/table"
)

const usualMetric = "requests_per_second"

// Load reads the history of a scenario under a results folder. Runs without an
// index, or with one that is stale, are read whole and get one. A run that cannot
// be read has a Problem and no values; that none of them can is an error. What is
// wrong with the options is a Mistake.
func Load(root string, o Options) (*History, error) {
	if len(o.Metrics) == 0 {
		o.Metrics = []string{usualMetric}
	}
	for i, name := range o.Metrics {
		if m, known := table.Lookup(name); !known || m.Of == nil {
			return nil, Mistake{fmt.Errorf("following %q: it is no metric with numbers of its own", name)}
		}
		if slices.Index(o.Metrics, name) < i {
			return nil, Mistake{fmt.Errorf("following %s: it is named twice", name)}
		}
	}
	all, err := results.List(root)
	if err != nil {
		return nil, err
	}
	runs, err := chosen(root, all, o)
	if err != nil {
		return nil, Mistake{err}
	}
	h := &History{Scenario: runs[0].Scenario, options: o}
	a := assembly{history: h, runs: len(runs), rows: map[bench.Key]*row{}}
	// A few dozen at a time, so that not all summaries are in memory at once.
	for part := range slices.Chunk(runs, 64) {
		for i, s := range summaries(part, o.Metrics) {
			a.add(part[i], s)
		}
	}
	if !a.seen {
		return nil, errors.New("reading history: " + h.Runs[len(h.Runs)-1].Problem)
	}
	if h.Series, err = a.series(o); err != nil {
		return nil, Mistake{err}
	}
	h.findSteps()
	return h, nil
}

func scenarios(all []results.Entry) (names []string) {
	for _, e := range all {
		names = append(names, e.Scenario)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// chosen is the runs that the options ask for, oldest first; at least one.
func chosen(root string, all []results.Entry, o Options) (runs []results.Entry, err error) {
	known := scenarios(all)
	name := o.Scenario
	switch {
	case len(known) == 0:
		return nil, fmt.Errorf("reading history: there are no runs in %s", root)
	case name == "" && len(known) > 1:
		return nil, fmt.Errorf("reading history: there are runs of several scenarios in %s; name one of %s", root, strings.Join(known, ", "))
	case name == "":
		name = known[0]
	}
	for _, e := range slices.Backward(all) {
		if e.Of(name) && !e.Started.Before(o.Since) {
			runs = append(runs, e)
		}
	}
	switch {
	case len(runs) > 0:
		return runs, nil
	case slices.ContainsFunc(all, func(e results.Entry) bool { return e.Of(name) }):
		return nil, fmt.Errorf("reading history: no run of %s is as young as that", name)
	}
	return nil, fmt.Errorf("reading history: there is no run of %s in %s; there are of %s", name, root, strings.Join(known, ", "))
}

// summaries reads runs side by side, in their order.
func summaries(runs []results.Entry, metrics []string) []*summary {
	list := make([]*summary, len(runs))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for i, run := range runs {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			list[i] = read(run.Dir, metrics)
		})
	}
	wait.Wait()
	return list
}

// assembly puts summaries together, run by run.
type assembly struct {
	history *History
	runs    int
	rows    map[bench.Key]*row
	order   []*row // by first appearance
	facts   []bench.Pair
	seen    bool // facts are those of a run
}

// row is a cell in the making.
type row struct {
	key      bench.Key
	digest   string
	place    int // in the newest run that has it
	newest   int // that run
	states   []bench.State
	sections []int
	values   [][]float64 // by metric, then run; NaN: not measured
}

func (a *assembly) add(e results.Entry, s *summary) {
	h := a.history
	i := len(h.Runs)
	n := Night{ID: e.Scenario + "/" + filepath.Base(e.Dir), Dir: e.Dir, Started: e.Started, Problem: s.problem, Broken: s.broken}
	if s.problem == "" {
		if a.seen {
			n.Changes = changes(a.facts, s.facts)
		}
		a.facts, a.seen = s.facts, true
	}
	h.Runs = append(h.Runs, n)
	for place, c := range s.cells {
		r := a.row(c)
		r.place, r.newest = place, i
		if c.digest != r.digest && r.digest != "" {
			r.sections = append(r.sections, i)
		}
		if c.digest != r.digest {
			r.digest = strings.Clone(c.digest)
		}
		r.states[i] = c.state
		for m, name := range h.options.Metrics {
			if v := s.values[name]; v != nil {
				r.values[m][i] = v[place]
			}
		}
	}
}

func (a *assembly) row(c cell) *row {
	if r := a.rows[c.key]; r != nil {
		return r
	}
	r := &row{key: bench.Key(strings.Clone(string(c.key))), states: make([]bench.State, a.runs)}
	for range a.history.options.Metrics {
		r.values = append(r.values, slices.Repeat([]float64{math.NaN()}, a.runs))
	}
	a.rows[r.key] = r
	a.order = append(a.order, r)
	return r
}

// series are the cells that the options ask for.
func (a *assembly) series(o Options) (list []Series, err error) {
	slices.SortStableFunc(a.order, func(x, y *row) int {
		if x.newest != y.newest {
			return y.newest - x.newest
		}
		return x.place - y.place
	})
	kept := a.order
	if o.Where != "" {
		if kept, err = where(a.order, o.Where); err != nil {
			return nil, err
		}
	}
	for m, name := range o.Metrics {
		for _, r := range kept {
			s := Series{Key: r.key, Metric: name, States: r.states, Sections: r.sections, Values: make([]*float64, a.runs)}
			for i := range r.values[m] {
				if v := &r.values[m][i]; !math.IsNaN(*v) {
					s.Values[i] = v
				}
			}
			list = append(list, s)
		}
	}
	return list, nil
}
