package compare

import (
	"matrix/internal/bench"
	"matrix/internal/table"
)

// both is a cell with its records of either side.
type both struct {
	cell   bench.Cell
	base   [][]bench.Record // by run; empty where the run lacks it
	next   []bench.Record
	edited bool
}

// gather pairs cells by their key. Rounds that never came to be, because they
// were skipped or interrupted, are as good as absent.
func gather(base []Run, next Run, keep func(bench.Cell) bool) []both {
	var cells []both
	place := map[bench.Key]int{}
	at := func(c bench.Cell) *both {
		i, known := place[c.Key]
		if !known {
			i = len(cells)
			place[c.Key] = i
			cells = append(cells, both{cell: c, base: make([][]bench.Record, len(base))})
		}
		return &cells[i]
	}
	each := func(r Run, take func(bench.Cell, []bench.Record)) {
		for _, rounds := range table.Rounds(r.Info, r.Records) {
			c := rounds[len(rounds)-1].Cell
			if rounds = tried(rounds); len(rounds) > 0 && (keep == nil || keep(c)) {
				take(c, rounds)
			}
		}
	}
	each(next, func(c bench.Cell, rounds []bench.Record) { at(c).next = rounds })
	for i, b := range base {
		each(b, func(c bench.Cell, rounds []bench.Record) {
			x := at(c)
			x.base[i] = rounds
			x.edited = x.edited || c.Digest != x.cell.Digest
		})
	}
	return cells
}

func tried(rounds []bench.Record) (kept []bench.Record) {
	for _, r := range rounds {
		if r.State.Ranked() || r.State.Failed() {
			kept = append(kept, r)
		}
	}
	return kept
}

func (b both) inBase() bool {
	for _, run := range b.base {
		if len(run) > 0 {
			return true
		}
	}
	return false
}

// ranked reports whether any of the rounds has figures.
func ranked(runs ...[]bench.Record) bool {
	for _, run := range runs {
		for _, r := range run {
			if r.State.Ranked() {
				return true
			}
		}
	}
	return false
}

// values are those of a metric in the ranked rounds.
func values(m table.Metric, rounds []bench.Record) (list []float64) {
	for i, r := range rounds {
		if !r.State.Ranked() {
			continue
		}
		if v, ok := m.Value(rounds[i : i+1]); ok {
			list = append(list, v.Number)
		}
	}
	return list
}

// sides are the values of a metric on both sides; false where one has none.
func (b both) sides(m table.Metric, i int) (Sides, bool) {
	s := Sides{Metric: i, Better: m.Better, New: values(m, b.next)}
	for _, run := range b.base {
		s.Base = append(s.Base, values(m, run))
	}
	return s, len(s.New) > 0 && len(s.pooled()) > 0
}

// failedShare is how much of a round failed, 0 to 1: all of it where it has no
// figures.
func failedShare(r bench.Record) float64 {
	if !r.State.Ranked() {
		return 1
	}
	if n := r.Completed(); n > 0 {
		return float64(r.FailedSum()) / float64(n)
	}
	return 0
}

func share(rounds []bench.Record) (s Share) {
	for _, r := range rounds {
		s.Rounds++
		if !r.State.Ranked() {
			s.FailedRounds++
		}
		s.Requests += r.Completed()
		s.Failed += r.FailedSum()
	}
	return s
}

func (s Share) any() bool { return s.FailedRounds > 0 || s.Failed > 0 }
