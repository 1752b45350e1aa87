package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"matrix/internal/compare"
	"matrix/internal/unit"
)

// world is how a machine behaves that measures the same grid night after night.
// All are standard deviations of logarithms: 0.02 is about 2 %.
type world struct {
	cells, rounds, bases int     // bases is how many runs make up the base
	noise                float64 // of a round
	outliers             float64 // share of rounds that take half as long again
	drift                float64 // of the machine, all cells together; four fifths of it stay from round to round
	shift                float64 // of each cell from night to night
	effect               float64 // by this share the first cell is slower in the new run
}

// night is one run of the grid: values by cell and round, all 1 but for chance.
func (w world) night(r *rand.Rand) [][]float64 {
	const memory = 0.8
	wander := make([]float64, w.rounds)
	for i := range wander {
		step := r.NormFloat64() * w.drift
		if i == 0 {
			wander[i] = step
		} else {
			wander[i] = memory*wander[i-1] + math.Sqrt(1-memory*memory)*step
		}
	}
	all := make([][]float64, w.cells)
	for c := range all {
		shift := r.NormFloat64() * w.shift
		all[c] = make([]float64, w.rounds)
		for i := range all[c] {
			at := shift + wander[i] + r.NormFloat64()*w.noise
			if r.Float64() < w.outliers {
				at -= math.Log(1.5)
			}
			all[c][i] = math.Exp(at)
		}
	}
	return all
}

// grid is a base and a new run; the effect is in the last since runs of the base
// already.
func (w world) grid(r *rand.Rand, since int) []compare.Sides {
	sides := make([]compare.Sides, w.cells)
	for range w.bases {
		for c, rounds := range w.night(r) {
			sides[c].Base = append(sides[c].Base, rounds)
		}
	}
	for c, rounds := range w.night(r) {
		sides[c].New, sides[c].Better = rounds, unit.Higher
	}
	for _, run := range append(sides[0].Base[w.bases-since:], sides[0].New) {
		for i := range run {
			run[i] *= 1 - w.effect
		}
	}
	return sides
}

// outcome counts what comparing many pairs of runs came to.
type outcome struct {
	pairs    int
	alarmed  int // pairs in which a cell was called slower or faster that was neither
	found    int // pairs in which the first cell was called slower
	byP      outcomeOf
	byAdjust outcomeOf
}

// outcomeOf is what a plainer rule would have come to.
type outcomeOf struct{ alarmed, found int }

// try compares pairs of runs. The same world and seed give the same outcome.
func (w world) try(pairs, since int, seed string, o compare.Options) (got outcome) {
	h := fnv.New64a()
	h.Write([]byte(seed))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	got.pairs = pairs
	for range pairs {
		judged, _ := compare.Judge(w.grid(r, since), o)
		first := 0
		if w.effect != 0 {
			first = 1
			got.found += count(judged[0].Verdict == compare.Slower)
			got.byP.found += count(judged[0].P <= o.Alpha && judged[0].Ratio < 1)
			got.byAdjust.found += count(judged[0].Adjusted <= o.Alpha && judged[0].Ratio < 1)
		}
		alarm, byP, byAdjust := false, false, false
		for _, j := range judged[first:] {
			alarm = alarm || j.Verdict == compare.Slower || j.Verdict == compare.Faster
			byP = byP || j.P <= o.Alpha
			byAdjust = byAdjust || j.Adjusted <= o.Alpha
		}
		got.alarmed += count(alarm)
		got.byP.alarmed += count(byP)
		got.byAdjust.alarmed += count(byAdjust)
	}
	return got
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
