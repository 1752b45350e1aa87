// Package compare tells what changed between two runs of a grid: the records of
// a base, of one run or several, and of a new run come in; a verdict for each
// cell and metric goes out, and a report of them that every format can write.
//
// It opens no run, prints nothing, and draws no conclusion from a difference
// that chance, the number of cells looked at, or the unrest of the machine
// explains; see docs/statistics.md.
package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// Verdict is what became of a cell, or of a metric of it.
type Verdict string

// The verdicts. Slower and faster are meant by what is better for the metric:
// of memory, slower is more.
const (
	Slower           Verdict = "slower"
	Faster           Verdict = "faster"
	Same             Verdict = "same"           // no change beyond the threshold and what comes about without a cause
	Unsure           Verdict = "not sure"       // a change beyond both is neither sure nor ruled out
	TooFew           Verdict = "too few rounds" // however far apart the rounds are, a change in this cell alone would not be sure
	FailedNow        Verdict = "failed now"     // no round of the new run has figures, and of the base some do
	FailsMore        Verdict = "fails more"     // the failed share of requests and rounds grew for sure
	WorksAgain       Verdict = "works again"
	FailedBoth       Verdict = "failed in both"
	FailedAsExpected Verdict = "failed, as expected" // did not fail in the base, but the scenario expects it to
	Unmeasured       Verdict = "not measured"        // it works, but in one of the runs, or in both, has no figures of what is compared
	OnlyInBase       Verdict = "only in base"
	OnlyInNew        Verdict = "only in new"
)

// Failure reports whether something fails that did not.
func (v Verdict) Failure() bool { return v == FailedNow || v == FailsMore }

// Regression reports whether something became worse for sure.
func (v Verdict) Regression() bool { return v == Slower || v.Failure() }

// Run is a run to compare.
type Run struct {
	Info    bench.RunInfo
	Records []bench.Record
}

// Figure is a metric of a cell that both sides have.
type Figure struct {
	Metric table.Metric
	Judged
}

// Cell is what became of a cell.
type Cell struct {
	bench.Cell                // as the new run has it, or else the base
	State      bench.State    // in the new run; "" when it is not in there
	Rounds     int            // of it in the new run
	Fate       Verdict        // of the whole cell; "" where both sides have figures
	Edited     bool           // the scenario asks another thing of it than in the base
	Figures    []Figure       // one for each metric, of those that both sides have
	Failing    *Judged        // of the failed share by round; nil where nothing failed
	Failed     [2]Share       // base and new
	Now        []bench.Record // its records in the new run
}

// Share is how much of what was begun failed, whole rounds counting as such.
type Share struct {
	Rounds, FailedRounds int
	Requests, Failed     int64
}

// Comparison is what became of a grid.
type Comparison struct {
	Base        []bench.RunInfo // oldest first
	New         bench.RunInfo
	Options     Options
	Metrics     []table.Metric
	Cells       []Cell   // in the order of the new run, then those that only the base has
	Differences []string // sentences: what else is not the same in both
	Tests       int      // how many comparisons the adjusted p take into account
	Means       []Mean
	Moves       map[string]Move // of the grid as a whole, by the name of the metric

	beside []beside                    // other work on the machine
	busy   map[bench.Key][sides]string // in words, by cell and by the side that alone had it

	told []string // names of pairs that tell its cells apart; nil: not looked for yet
}

// Runs compares a new run with a base of one run or several, oldest first, by the
// given metrics, for each of which higher or lower is better. keep tells which
// cells to look at; nil takes all. Its errors are the asker's: nothing to compare,
// or a metric that was measured in no cell.
func Runs(base []Run, next Run, metrics []table.Metric, keep func(bench.Cell) bool, o Options) (*Comparison, error) {
	if len(base) == 0 || len(metrics) == 0 {
		return nil, errors.New("comparing needs a base and a metric")
	}
	for _, m := range metrics {
		if m.Of == nil || m.Better == unit.Neither {
			return nil, fmt.Errorf("of %s neither more nor less is better, so it cannot be faster or slower", m.Name)
		}
	}
	c := &Comparison{New: next.Info, Options: o, Metrics: metrics, Moves: map[string]Move{}}
	for _, b := range base {
		c.Base = append(c.Base, b.Info)
	}
	cells := gather(base, next, keep)
	common := 0
	for _, x := range cells {
		if x.inBase() && len(x.next) > 0 {
			common++
		}
	}
	if common == 0 {
		return nil, fmt.Errorf("no cell is in both %s and %s", names(c.Base), c.New.ID)
	}
	c.judge(cells)
	for _, m := range metrics {
		if lacking := c.lacking(m); len(lacking) > 0 && len(lacking) == len(c.working()) {
			return nil, fmt.Errorf("no cell has %s in both %s and %s", m.Name, names(c.Base), c.New.ID)
		}
	}
	c.beside, c.busy = besides(cells, base, next), busyCells(cells)
	c.Differences = differences(c, cells)
	c.Means = means(c)
	return c, nil
}

// working are the cells that work in both.
func (c *Comparison) working() (list []Cell) {
	for _, x := range c.Cells {
		if x.Fate == "" {
			list = append(list, x)
		}
	}
	return list
}

// lacking are those of the working cells that do not have a metric in both.
func (c *Comparison) lacking(m table.Metric) (list []Cell) {
	for _, x := range c.working() {
		if !slices.ContainsFunc(x.Figures, func(f Figure) bool { return f.Metric.Name == m.Name }) {
			list = append(list, x)
		}
	}
	return list
}

// Regressions counts the cells in which something became worse, and of these
// those that fail now or fail more.
func (c *Comparison) Regressions() (all, failures int) {
	for _, x := range c.Cells {
		worst := x.Verdict()
		if worst.Regression() {
			all++
		}
		if worst.Failure() {
			failures++
		}
	}
	return all, failures
}

// Untold counts the cells of which it cannot be told whether they became worse:
// the rounds are too few or too far apart, or one of the runs has no figures.
func (c *Comparison) Untold() (n int) {
	for _, x := range c.Cells {
		if x.Verdict().untold() {
			n++
		}
	}
	return n
}

func (v Verdict) untold() bool {
	return slices.Contains([]Verdict{TooFew, Unsure, Unmeasured, OnlyInBase, OnlyInNew}, v)
}

// Verdict is the gravest of what is said of the cell.
func (c Cell) Verdict() Verdict {
	if c.Fate != "" {
		return c.Fate
	}
	if c.Failing != nil && c.Failing.Verdict == Slower {
		return FailsMore
	}
	if len(c.Figures) == 0 {
		return Unmeasured
	}
	for _, v := range []Verdict{Slower, Faster, TooFew, Unsure} {
		for _, f := range c.Figures {
			if f.Verdict == v {
				return v
			}
		}
	}
	return Same
}

func names(runs []bench.RunInfo) string {
	var text strings.Builder
	for i, r := range runs {
		switch {
		case i > 0 && i == len(runs)-1:
			text.WriteString(" and ")
		case i > 0:
			text.WriteString(", ")
		}
		text.WriteString(r.ID)
	}
	return text.String()
}

// Worse names the cells that became worse, or only those that fail, each with its
// verdict; of many the first few.
func (c *Comparison) Worse(failing bool) (list []string) {
	more := 0
	for _, x := range c.Cells {
		v := x.Verdict()
		switch {
		case !v.Regression() || failing && !v.Failure():
		case len(list) < 10:
			list = append(list, fmt.Sprintf("%s %s%s%s", c.Name(x.Cell), v, c.why(x), c.mayBe(v)))
		default:
			more++
		}
	}
	if more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return list
}
