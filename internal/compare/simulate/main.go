// Command simulate measures how far the verdicts of package compare can be
// trusted: grids with known changes and known unrest come in from a generator of
// random numbers, go through the same judgement as the records of real runs, and
// docs/statistics.md with the shares of false alarms and of changes found goes
// out. It measures no server and reads no run.
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"sync"
	"text/template"

	"matrix/internal/compare"
	"matrix/internal/stats"
)

//go:embed statistics.md.tmpl
var pageText string

// usual are the options that compare has when it is told none.
var usual = compare.Options{Threshold: 0.05, Alpha: 0.05}

func main() {
	out := flag.String("o", "docs/statistics.md", "file to write")
	flag.Parse()
	page, err := render(fill(everything()))
	if err == nil {
		err = os.WriteFile(*out, page, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

// row is a line of a table of the page: a world, and what came of it.
type row struct {
	world
	pairs int
	since int // runs of the base that have the effect already
	got   outcome
}

// Percent is for the template: how many of the pairs.
func (r row) Percent(n int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(r.pairs)) }

// Share is for the template.
func (r row) Share(v float64) string { return fmt.Sprintf("%.3g %%", 100*v) }

// run draws its numbers from a seed of its own. Constants of package compare are
// to be set by other seeds, never by looking at what these come to.
func (r row) run() row {
	seed := fmt.Sprintf("published: %+v", r.world)
	if r.since > 0 {
		seed += fmt.Sprintf(" since %d", r.since)
	}
	r.got = r.try(r.pairs, r.since, seed, usual)
	return r
}

// The fields of a world and of an outcome, for the template.
func (r row) Pairs() int       { return r.pairs }
func (r row) Cells() int       { return r.cells }
func (r row) Rounds() int      { return r.rounds }
func (r row) Bases() int       { return r.bases }
func (r row) Since() int       { return r.since }
func (r row) Noise() string    { return r.Share(r.noise) }
func (r row) Drift() string    { return r.Share(r.drift) }
func (r row) Shift() string    { return r.Share(r.shift) }
func (r row) Effect() string   { return r.Share(r.effect) }
func (r row) Outliers() string { return r.Share(r.outliers) }
func (r row) Alarmed() string  { return r.Percent(r.got.alarmed) }
func (r row) Found() string    { return r.Percent(r.got.found) }
func (r row) FoundByP() string { return r.Percent(r.got.byP.found) }
func (r row) FoundByAdjusted() string {
	return r.Percent(r.got.byAdjust.found)
}
func (r row) AlarmedByP() string        { return r.Percent(r.got.byP.alarmed) }
func (r row) AlarmedByAdjusted() string { return r.Percent(r.got.byAdjust.alarmed) }

// tables are those of the page.
type tables struct {
	Needed  []needed
	Calm    []row // the same twice
	Found   []row // one cell changed, by effect, rounds and noise
	Unquiet []row // one cell changed, in an unquiet world
	Since   []row // one cell changed some nights ago
}

// needed is how many rounds a run needs for one changed cell to be sure among so
// many comparisons, with one, three and five runs as the base.
type needed struct {
	Comparisons      int
	One, Three, Five int
}

const pairs = 200

func everything() (t tables) {
	for _, n := range []int{1, 10, 50, 200, 1000} {
		t.Needed = append(t.Needed, needed{n, rounds(n, 1), rounds(n, 3), rounds(n, 5)})
	}
	add := func(list *[]row, w world) {
		w.bases = max(w.bases, 1)
		*list = append(*list, row{world: w, pairs: pairs})
	}
	for _, w := range []world{
		{noise: .01}, {noise: .03}, {noise: .05}, {noise: .03, outliers: .02},
		{noise: .02, drift: .02, outliers: .02}, {noise: .02, drift: .05, outliers: .02},
		{noise: .02, shift: .01}, {noise: .02, shift: .02}, {noise: .02, shift: .02, bases: 5},
		{noise: .02, shift: .01, drift: .02, outliers: .02},
		{cells: 20, noise: .02, shift: .02}, {cells: 10, noise: .02, shift: .02}, {cells: 10, noise: .02, shift: .02, bases: 5},
	} {
		w.rounds = 10
		if w.cells == 0 {
			w.cells = 200
		}
		add(&t.Calm, w)
	}
	for _, noise := range []float64{.01, .03, .05} {
		for _, n := range []int{6, 10, 20, 30} {
			for _, effect := range []float64{.02, .05, .10, .20} {
				add(&t.Found, world{cells: 200, rounds: n, noise: noise, effect: effect})
			}
		}
	}
	for _, w := range []world{
		{drift: .02, outliers: .02}, {drift: .05, outliers: .02}, {shift: .01}, {shift: .02}, {shift: .02, bases: 5},
	} {
		for _, effect := range []float64{.10, .20} {
			w.cells, w.rounds, w.noise, w.effect = 200, 10, .02, effect
			add(&t.Unquiet, w)
		}
	}
	for _, cells := range []int{200, 10} {
		for since := range 4 {
			w := world{cells: cells, rounds: 10, bases: 5, noise: .02, shift: .01, effect: .20}
			t.Since = append(t.Since, row{world: w, pairs: pairs, since: since})
		}
	}
	return t
}

// rounds is how many it takes for the least p to be enough for one cell.
func rounds(comparisons, bases int) int {
	var tester stats.Tester
	for n := 1; ; n++ {
		if tester.MinP(n*bases, n)*float64(comparisons) <= usual.Alpha {
			return n
		}
	}
}

// fill runs all rows, two at a time.
func fill(t tables) tables {
	var all sync.WaitGroup
	hands := make(chan struct{}, 2)
	for _, list := range [][]row{t.Calm, t.Found, t.Unquiet, t.Since} {
		for i := range list {
			hands <- struct{}{}
			all.Go(func() {
				list[i] = list[i].run()
				<-hands
			})
		}
	}
	all.Wait()
	return t
}

func render(t tables) ([]byte, error) {
	page, err := template.New("statistics").Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("reading the template: %w", err)
	}
	var out bytes.Buffer
	if err := page.Execute(&out, t); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return out.Bytes(), nil
}

// Grid is the table of what was found, by noise and rounds, effects side by side.
func (t tables) Grid() (lines [][]row) {
	for i := 0; i < len(t.Found); i += 4 {
		lines = append(lines, t.Found[i:i+4])
	}
	return lines
}
