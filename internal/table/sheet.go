package table

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// entry is a column of the tidy sheet.
type entry struct {
	name  string
	of    func(*bench.Record) Field
	words func([]bench.Record) string // instead of of, what a trial says
}

func text(s string) Field   { return Field{Text: s} }
func integer(n int64) Field { return Field{Text: strconv.FormatInt(n, 10), Number: true} }

// positive leaves out a setting that is not known: an imported run may lack it.
func positive(n int64) Field {
	if n <= 0 {
		return Field{}
	}
	return integer(n)
}

// leading lists the metrics that stand first, between round and state.
var leading = []string{
	"time_s", "issued", "completed", "ok", "failed", "requests_per_second", "reported_requests_per_second", "bytes_per_second",
	"connect_mean_ms", "first_byte_mean_ms", "latency_mean_ms", "latency_p50_ms", "latency_p99_ms", "load_average", "zombies",
}

// sheet lays out every trial: labels, the fixed columns, then further axes and
// all metrics that are left.
func sheet(p bench.Plan, cells []cell) Sheet {
	entries := fixed()
	for _, name := range leading {
		entries = append(entries, metricEntry(name))
	}
	entries = append(entries,
		entry{name: "state", of: func(r *bench.Record) Field { return text(string(r.State)) }},
		entry{name: "reason", of: func(r *bench.Record) Field { return text(r.Reason) }},
		durationEntry())
	entries = append(entries, loadEntries(p, cells)...)
	entries = append(entries, failureEntries()...)
	for _, m := range Metrics {
		if !has(entries, m.Name) && !m.OfCell && m.Name != "errors" { // errors are made for people, of state and reason
			entries = append(entries, metricEntry(m.Name))
		}
	}
	entries = append(entries,
		entry{name: "started", of: func(r *bench.Record) Field {
			if r.Started.IsZero() {
				return Field{}
			}
			return text(r.Started.UTC().Format(time.RFC3339Nano))
		}},
		entry{name: "raw", of: func(r *bench.Record) Field { return text(r.Raw) }})
	entries = append(entries, printedEntries(cells)...)
	return fill(append(labelEntries(p, cells, entries), entries...), cells)
}

func durationEntry() entry {
	return entry{name: "duration_s", of: func(r *bench.Record) Field {
		if r.Cell.Load.Duration <= 0 {
			return Field{}
		}
		return Field{unit.Plain(r.Cell.Load.Duration.Seconds()), true}
	}}
}

func has(entries []entry, name string) bool {
	return slices.ContainsFunc(entries, func(e entry) bool { return e.name == name })
}

func fixed() []entry {
	return []entry{
		{name: "driver", of: func(r *bench.Record) Field { return text(r.Cell.Driver) }},
		{name: "file", of: func(r *bench.Record) Field { return text(fileOf(&r.Cell)) }},
		{name: "size_bytes", of: func(r *bench.Record) Field {
			if r.Cell.File.SizeText() == "" {
				return Field{}
			}
			return integer(r.Cell.File.Size)
		}},
		{name: "concurrency", of: func(r *bench.Record) Field { return positive(int64(r.Cell.Load.Conns)) }},
		{name: "requests", of: func(r *bench.Record) Field {
			if r.Cell.Load.Duration > 0 {
				return Field{}
			}
			return positive(r.Cell.Load.Requests)
		}},
		{name: "round", of: func(r *bench.Record) Field { return integer(int64(r.Round)) }},
	}
}

// loadEntries are the further axes, and two settings that always matter.
func loadEntries(p bench.Plan, cells []cell) []entry {
	var entries []entry
	for _, name := range furtherAxes(p, cells) {
		entries = append(entries, entry{name: name, of: func(r *bench.Record) Field {
			v, _ := bench.Lookup(r.Cell.Axes, name)
			return text(v)
		}})
	}
	if !has(entries, "protocol") {
		entries = append(entries, entry{name: "protocol", of: func(r *bench.Record) Field { return text(string(r.Cell.Load.Protocol)) }})
	}
	if !has(entries, "keep_alive") {
		entries = append(entries, entry{name: "keep_alive", of: func(r *bench.Record) Field { return text(strconv.FormatBool(r.Cell.Load.KeepAlive)) }})
	}
	return entries
}

// failureEntries count the failures of each class: 0 where requests were counted
// and none failed so, empty where nothing was.
func failureEntries() []entry {
	var entries []entry
	for _, f := range bench.Failures {
		entries = append(entries, metricEntry(ofClass(f).Name))
	}
	return entries
}

// printedEntries hold what a published table printed, beside the values that
// were read from it.
func printedEntries(cells []cell) []entry {
	seen := map[string]bool{}
	for _, c := range cells {
		for i := range c.all {
			for name := range c.all[i].AsPrinted {
				seen[name] = true
			}
		}
	}
	var entries []entry
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		entries = append(entries, entry{name: name + "_as_printed", of: func(r *bench.Record) Field { return text(r.AsPrinted[name].Text) }})
	}
	return entries
}

func metricEntry(name string) entry {
	m, _ := Lookup(name)
	if m.Text != nil {
		return entry{name: name, words: m.words}
	}
	return entry{name: name, of: func(r *bench.Record) Field {
		switch {
		case m.Count != nil:
			if n, ok := m.exact(r); ok {
				return integer(n)
			}
		default:
			if v, ok := m.number(r); ok {
				return Field{unit.Plain(v), true}
			}
		}
		return Field{}
	}}
}

// labelEntries are the labels, renamed where a column has their name already.
func labelEntries(p bench.Plan, cells []cell, taken []entry) []entry {
	var entries []entry
	for _, label := range labelNames(p, cells) {
		name := label
		for has(taken, name) || has(entries, name) {
			name += " (label)"
		}
		entries = append(entries, entry{name: name, of: func(r *bench.Record) Field {
			v, _ := bench.Lookup(r.Cell.Labels, label)
			return text(v)
		}})
	}
	return entries
}

func fill(entries []entry, cells []cell) Sheet {
	var s Sheet
	for _, e := range entries {
		s.Header = append(s.Header, e.name)
	}
	n := 0
	for _, c := range cells {
		n += len(c.all)
	}
	s.Rows = make([][]Field, 0, n)
	for _, c := range cells {
		for at := range c.all {
			row := make([]Field, len(entries))
			for i, e := range entries {
				if e.words != nil {
					row[i] = text(e.words(c.all[at : at+1]))
					continue
				}
				row[i] = e.of(&c.all[at])
			}
			s.Rows = append(s.Rows, row)
		}
	}
	return s
}
