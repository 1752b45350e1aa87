// Package history follows the cells of a scenario over its runs: a results
// folder comes in; a History goes out, with the value of each cell in each run,
// the steps of its level, what changed on the machine from one run to the next,
// and a Report of it all.
//
// Reading the journals of a thousand runs takes minutes. What was found in one
// stands in an index in the run's folder from then on, which is derived: safe to
// delete, made anew when it is stale or damaged, and done without where the
// folder cannot be written to.
//
// The package starts nothing, compares no two runs with each other (package
// compare does), and writes nothing but indexes.
package history

import (
	"time"

	"matrix/internal/bench"
	"matrix/internal/stats"
)

// History is the runs of one scenario, oldest first, and what they measured.
type History struct {
	Scenario string // its folder
	Runs     []Night
	Series   []Series // by metric; within one in the order of the newest run, then those it lacks

	options Options
}

// Night is one run.
type Night struct {
	ID      string // "<scenario>/<UTC time>"
	Dir     string
	Started time.Time // UTC

	// Changes tell what was not as in the run before, of the host, the tools and
	// the servers: "kernel: Linux 6.1 -> Linux 6.6".
	Changes []string

	Problem string // why nothing could be read of it; "" when it could
	Broken  int    // notes on lines of its journal that could not be read
}

// Series is one metric of one cell. Values and States stand in the order of the
// runs.
type Series struct {
	Key    bench.Key
	Metric string

	Values []*float64    // in the unit of the metric, over all rounds of the run; nil: not measured
	States []bench.State // "": the run has no record of the cell

	// Sections are the runs from which on the scenario asked for something else
	// under the same key. Values before and after are not compared.
	Sections []int

	Steps []stats.Step // At is the index of a run

	// Needed is how many runs with a value it takes, since Sections last began one,
	// to tell a step of this cell alone from chance.
	Needed int
}

// Options say what a History is of.
type Options struct {
	Scenario string    // its name or folder; "": the only one there is
	Metrics  []string  // names as table.Lookup knows; nil: requests_per_second
	Where    string    // which cells, as scenario.Only reads it, of what their keys name; "": all
	Since    time.Time // runs that started then or later; zero: all
	Alpha    float64   // share of false steps that is put up with, over all cells; 0: 0.05
	Least    float64   // smallest change of a step, as a share; 0: any
}

// Mistake is an error in what was asked for.
type Mistake struct{ Err error }

func (m Mistake) Error() string { return m.Err.Error() }

// Unwrap returns the error without its being a mistake.
func (m Mistake) Unwrap() error { return m.Err }
