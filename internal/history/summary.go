package history

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"matrix/internal/bench"
	"matrix/internal/results"
	"matrix/internal/table"
)

// summary is what a history needs of one run.
type summary struct {
	problem string       // why there is nothing else; "" when there is
	broken  int          // notes on lines of the journal that could not be read
	facts   []bench.Pair // what the figures depend on beside the scenario
	covered []string     // metrics that were looked for
	cells   []cell
	values  map[string][]float64 // of a metric, in the order of cells; NaN: not measured. A metric that no cell has is absent
}

// cell is the fate of a cell over the rounds of a run.
type cell struct {
	key    bench.Key
	digest string
	state  bench.State
	rounds int // that have a record
}

// read is the summary of the run in dir, from its index or else its journal.
func read(dir string, metrics []string) *summary {
	now := results.Stamp(dir)
	s, ok := readIndex(dir, now, metrics)
	if ok {
		return s
	}
	wanted := indexed()
	if s != nil && len(s.covered)+len(metrics) <= len(wanted)+mostFurther { // whoever followed another metric once may do so again
		wanted = append(wanted, s.covered...)
	}
	wanted = append(wanted, metrics...)
	slices.Sort(wanted)
	run, err := results.Open(dir)
	if err != nil {
		return &summary{problem: err.Error()}
	}
	s = summarise(run.Info(), run.Records(), slices.Compact(wanted))
	s.broken = len(run.Notes())
	writeIndex(dir, now, s)
	return s
}

// indexed lists the metrics of every index: all that have numbers of their own.
func indexed() (names []string) {
	for _, m := range table.Metrics {
		if m.Of != nil {
			names = append(names, m.Name)
		}
	}
	return names
}

func summarise(info bench.RunInfo, records []bench.Record, metrics []string) *summary {
	s := &summary{facts: factsOf(info), covered: metrics, values: map[string][]float64{}}
	rounds := current(info.Plan, records)
	var list []table.Metric
	for _, name := range metrics {
		m, _ := table.Lookup(name)
		list = append(list, m)
	}
	for i, all := range rounds {
		last := all[len(all)-1].Cell
		s.cells = append(s.cells, cell{last.Key, last.Digest, table.StateOf(all), len(all)})
		for m, v := range table.Values(list, all) {
			if math.IsNaN(v.Number) || math.IsInf(v.Number, 0) {
				continue
			}
			if s.values[metrics[m]] == nil {
				s.values[metrics[m]] = slices.Repeat([]float64{math.NaN()}, len(rounds))
			}
			s.values[metrics[m]][i] = v.Number
		}
	}
	return s
}

// current groups records by cell, in the order of the plan or else of the
// journal, those left out that belong to another state of the scenario.
func current(p bench.Plan, records []bench.Record) (cells [][]bench.Record) {
	digests := map[bench.Key]string{}
	for _, r := range records {
		digests[r.Cell.Key] = r.Cell.Digest
	}
	place := map[bench.Key]int{}
	for i, c := range p.Cells {
		digests[c.Key], place[c.Key] = c.Digest, i
	}
	at := map[bench.Key]int{}
	for _, r := range records {
		if r.Cell.Digest != digests[r.Cell.Key] {
			continue
		}
		i, known := at[r.Cell.Key]
		if !known {
			i = len(cells)
			at[r.Cell.Key] = i
			cells = append(cells, nil)
		}
		cells[i] = append(cells[i], r)
	}
	slices.SortStableFunc(cells, func(a, b []bench.Record) int { return place[a[0].Cell.Key] - place[b[0].Cell.Key] })
	return cells
}

// factsOf is what the figures of a run depend on beside its scenario.
func factsOf(info bench.RunInfo) (facts []bench.Pair) {
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, bench.Pair{Name: name, Value: value})
		}
	}
	host := func(of string, h bench.HostInfo) {
		add(of+"host", h.Name)
		add(of+"OS", h.OS)
		add(of+"kernel", h.Kernel)
		add(of+"CPU", h.CPU)
		if h.Cores > 0 {
			add(of+"cores", strconv.Itoa(h.Cores))
		}
		add(of+"virtualised", h.Virtualised)
		for _, name := range slices.Sorted(maps.Keys(h.Sysctls)) {
			add(of+name, h.Sysctls[name])
		}
	}
	host("", info.Host)
	if info.Generator.Name != info.Host.Name {
		host("generator: ", info.Generator)
	}
	for _, name := range slices.Sorted(maps.Keys(info.Tools)) {
		add(name, info.Tools[name])
	}
	for _, s := range info.Servers {
		add("server of "+s.System, s.Version)
	}
	return facts
}

// changes tells how facts differ from those of the run before. What one of the
// two does not know is no change.
func changes(before, after []bench.Pair) (list []string) {
	for _, p := range after {
		if was, known := bench.Lookup(before, p.Name); known && was != p.Value {
			list = append(list, p.Name+": "+was+" -> "+p.Value)
		}
	}
	return list
}
