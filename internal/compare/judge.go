package compare

import (
	"math"

	"matrix/internal/stats"
	"matrix/internal/unit"
)

// Options are how sure and how large a change must be.
type Options struct {
	Threshold float64 // changes of this share or less are none: 0.05 is 5 %
	Alpha     float64 // share of false alarms that is put up with: 0.05 is 5 %
}

// Sides are the rounds of one metric of one cell, in the order they were run.
type Sides struct {
	Metric int         // which one, so that like is held against like
	Base   [][]float64 // by run, oldest first; empty where a run lacks the cell
	New    []float64
	Better unit.Direction // Higher or Lower
}

// Judged is what the rounds of one metric of one cell say.
type Judged struct {
	stats.Change
	Adjusted float64 // P once the size of the grid is taken into account: Benjamini and Hochberg

	// Own is the change without what the whole grid moved by, where that is no more
	// than the machine wanders within a run; else it is Ratio. It is what the
	// threshold and the floor are held against.
	Own float64

	// Floor is the greatest change that comes about without any cause, as far as
	// can be told: 0.03 is 3 %. HasFloor is false where nothing tells it.
	Floor    float64
	HasFloor bool

	Verdict Verdict // Slower, Faster, Same, Unsure or TooFew

	// Left is how many runs of the base were left out, since the cell had changed
	// in them against those before.
	Left int
}

// Judge holds new rounds against those of the base, over a whole grid at once. A
// change is one when it is significant among so many, greater than the threshold
// and greater than the floor. The result is in the order of the grid, both sides
// of each of which have rounds; the moves are those of each metric. What changed
// within the base already is settled first.
func Judge(grid []Sides, o Options) ([]Judged, map[int]Move) {
	settled, left := settle(grid, o)
	judged, moves := judge(settled, o)
	for i := range judged {
		judged[i].Left = left[i]
	}
	return judged, moves
}

// judge is Judge with the base as it is.
func judge(grid []Sides, o Options) ([]Judged, map[int]Move) {
	var tester stats.Tester
	judged := make([]Judged, len(grid))
	p := make([]float64, 0, len(grid))
	for i, s := range grid {
		judged[i].Change, _ = tester.Compare(s.pooled(), s.New)
		p = append(p, judged[i].P)
	}
	adjusted := stats.Adjust(p)
	moves := movesOf(grid, judged, o)
	for i, s := range grid {
		j, m := &judged[i], moves[s.Metric]
		j.Adjusted, j.Own = adjusted[i], j.Ratio
		if m.Unrest {
			j.Own /= m.Ratio
		}
		j.Floor, j.HasFloor = s.floor(m.across)
		alone := tester.MinP(j.Base.N, j.New.N) * float64(len(grid))
		switch {
		case j.Adjusted <= o.Alpha && j.beyond(o.Threshold):
			j.Verdict = s.direction(*j)
		case j.Adjusted > o.Alpha && alone > o.Alpha:
			j.Verdict = TooFew
		case j.Adjusted > o.Alpha && j.HasRatio && j.open(o.Threshold):
			j.Verdict = Unsure
		default:
			j.Verdict = Same
		}
	}
	return judged, moves
}

func (s Sides) pooled() []float64 {
	if len(s.Base) == 1 {
		return s.Base[0]
	}
	var all []float64
	for _, run := range s.Base {
		all = append(all, run...)
	}
	return all
}

// beyond reports whether the change is one that counts, were it sure. A change
// from or to nothing has no size, and counts.
func (j Judged) beyond(threshold float64) bool {
	return !j.HasRatio || j.counts(j.Own, threshold)
}

// counts reports whether a ratio is beyond the threshold and the floor.
func (j Judged) counts(ratio, threshold float64) bool {
	floor := 1.0
	if j.HasFloor {
		floor += j.Floor
	}
	return math.Abs(ratio-1) > threshold && stats.Size(ratio) > floor
}

// open reports whether a change that is not sure may all the same be one that
// counts: what was seen of it is, or its interval is as wide as that to either
// side.
func (j Judged) open(threshold float64) bool {
	return j.counts(j.Own, threshold) || j.Bounded && j.counts(math.Sqrt(j.Hi/j.Lo), threshold)
}

// direction is the verdict of a change, which goes one way or the other.
func (s Sides) direction(j Judged) Verdict {
	up := j.Own > 1
	if !j.HasRatio {
		up = mean(s.New) > mean(s.pooled())
	}
	if up == (s.Better == unit.Higher) {
		return Faster
	}
	return Slower
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}

// floor is the greatest of the changes that show without a cause: within each
// run of this cell, between the runs of its base, and across the grid. Where the
// grid is too small to tell, three runs of a base or more tell how far one night
// lies from another.
func (s Sides) floor(across float64) (float64, bool) {
	floor, known := across, across > 1
	see := func(ratio float64, ok bool) {
		if ok {
			floor, known = max(floor, stats.Size(ratio)), true
		}
	}
	see(stats.Wander(s.New))
	var steps, before []float64
	for _, run := range s.Base {
		if len(run) == 0 {
			continue
		}
		see(stats.Wander(run))
		if move, ok := stats.Move(before, run); ok {
			see(move, true)
			steps = append(steps, math.Log(move))
		}
		before = run
	}
	if reach, ok := stats.Reach(steps); ok && len(steps) > 1 && across == 1 {
		see(math.Exp(reach), true)
	}
	return floor - 1, known
}
