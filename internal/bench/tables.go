package bench

import (
	"strconv"

	"matrix/internal/unit"
)

// Table is a table that a scenario asks for. Rows, Columns and Filter are
// expressions over the names of Cell.Pairs in the syntax of benchstat
// (golang.org/x/perf/benchproc/syntax).
type Table struct {
	Title   string   `json:"title,omitempty"` // "" is that of the plan
	Layout  Layout   `json:"layout"`
	Rows    string   `json:"rows,omitempty"`    // projection that tells the rows apart; "": one row a cell
	Columns string   `json:"columns,omitempty"` // likewise of the columns, of a pivot only
	Filter  string   `json:"filter,omitempty"`  // which cells; "": all
	Metrics []Column `json:"metrics,omitempty"` // nil: the plan's columns

	// Over names labels and axes whose values a figure may be taken over. What else
	// varies between cells that stand in one place tells the rows apart, too.
	Over []string `json:"over,omitempty"`

	// Headings maps the name of a row's column, or the values that head a column
	// of a pivot, joined by spaces, to the heading that people read instead.
	Headings map[string]string `json:"headings,omitempty"`

	Chart *Chart `json:"chart,omitempty"` // drawn beneath the table; nil: none
}

// Layout is how a table is laid out.
type Layout string

// The layouts.
const (
	Flat  Layout = "flat"  // one row a cell, one column a metric
	Pivot Layout = "pivot" // values of labels and axes in both directions; MetricKey stands for the metrics
)

// MetricKey is the name under which the metrics of a pivot take part in its
// Rows, Columns and Filter.
const MetricKey = ".metric"

// Reference names the published run that a scenario reproduces.
type Reference struct {
	Run    string            `json:"run"`              // a run's folder, or the name of a published run
	Rename map[string]string `json:"rename,omitempty"` // value of a label or axis here to the value there
	Ignore []string          `json:"ignore,omitempty"` // axes that need not agree

	// Line and Col are where the scenario names the run; 0 where none does.
	Line int `json:"-"`
	Col  int `json:"-"`
}

// Figure is what a published table printed in one place.
type Figure struct {
	Text string `json:"text"` // slips included; "" where the place was empty

	// Value is the first number of Text, in the unit of the metric whose name the
	// figure stands under; nil where Text holds none.
	Value *float64 `json:"value,omitempty"`
}

// Pairs lists all that tells the cell from others, under the names that a
// Table's expressions use: its labels, file, size, concurrency, requests or
// duration, further axes, driver, protocol and keep_alive. Where a label has the
// name of one of the rest, the label stands.
func (c Cell) Pairs() []Pair {
	pairs := append([]Pair(nil), c.Labels...)
	add := func(name, value string) {
		if _, taken := Lookup(pairs, name); !taken && value != "" {
			pairs = append(pairs, Pair{name, value})
		}
	}
	add("file", c.File.Name)
	add("size", c.File.SizeText())
	add("concurrency", positive(int64(c.Load.Conns)))
	if c.Load.Duration > 0 {
		add("duration", unit.Span(c.Load.Duration))
	} else {
		add("requests", positive(c.Load.Requests))
	}
	for _, a := range c.Axes {
		if a.Name != "duration" { // which has one spelling here
			add(a.Name, a.Value)
		}
	}
	add("driver", c.Driver)
	add("protocol", string(c.Load.Protocol))
	add("keep_alive", strconv.FormatBool(c.Load.KeepAlive))
	return pairs
}

func positive(n int64) string {
	if n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// SizeText is the size for people, "1.5 kB" or, of a set, "1 kB × 1000"; "" for
// a file without a name, of which nothing is known.
func (f File) SizeText() string {
	switch {
	case f.Name == "" && f.Size == 0:
		return ""
	case f.Count > 0:
		return unit.Size(f.Size) + " × " + strconv.Itoa(f.Count)
	}
	return unit.Size(f.Size)
}
