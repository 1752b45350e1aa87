package stats

import "slices"

// Outcome says whether two samples can be told apart.
type Outcome int

// The outcomes.
const (
	TooFew Outcome = iota // values: also samples that lie wholly apart would leave it open, were they the only ones that do
	Open                  // there are enough values, and they do not tell the two apart
	Apart                 // the two differ for sure
)

// Pair is two samples, each in the order it was measured, that are held against
// each other.
type Pair struct {
	A, B []float64

	// Among is of how many samples the better was chosen before it was held against
	// the other; fewer than 3 are no choice. The best of many stands out by chance.
	Among int
}

// choices is by how much choosing multiplies the chance of a false alarm: pairs
// that might have been over those that are looked at.
func (p Pair) choices() float64 { return max(float64(p.Among)/2, 1) }

// Tell says of each pair whether its samples can be told apart, with a share of
// alpha of false alarms over all of them: by the test of Mann and Whitney,
// adjusted for the number of pairs (see Adjust), and only where the two differ by
// more than either wanders within itself (see Wander). Pairs of too few values
// for that, whatever they are, take no part in the adjustment (Tarone 1990).
func (t *Tester) Tell(pairs []Pair, alpha float64) []Outcome {
	outcomes := make([]Outcome, len(pairs))
	var able []int
	var p []float64
	comparisons := 0.0
	for i, x := range pairs {
		if t.MinP(len(x.A), len(x.B))*x.choices() > alpha {
			continue
		}
		a, b := finite(x.A), finite(x.B)
		if t.MinP(len(a), len(b))*x.choices() > alpha {
			continue
		}
		slices.Sort(a)
		slices.Sort(b)
		able = append(able, i)
		p = append(p, min(t.rankTest(a, b)*x.choices(), 1))
		comparisons += x.choices()
	}
	for n, adjusted := range Adjust(p) {
		i := able[n]
		x := pairs[i]
		switch {
		case adjusted <= alpha && x.beyondWander():
			outcomes[i] = Apart
		case adjusted <= alpha || t.MinP(len(x.A), len(x.B))*comparisons <= alpha:
			outcomes[i] = Open
		}
	}
	return outcomes
}

// beyondWander reports whether the two differ by more than halves of either do.
func (p Pair) beyondWander() bool {
	move, ok := Move(p.A, p.B)
	if !ok { // a value is zero or below: there is no ratio
		return true
	}
	wander := 1.0
	for _, v := range [][]float64{p.A, p.B} {
		if w, ok := Wander(v); ok {
			wander = max(wander, w)
		}
	}
	return Size(move) > wander
}

// MostNeeded is the greatest number that Needed answers with.
const MostNeeded = 60

// Needed is how many values a sample needs at least, held against one of runs
// times as many, for a difference in one of so many comparisons alone to be sure.
// MostNeeded stands for as many or more.
func (t *Tester) Needed(comparisons, runs int, alpha float64) int {
	runs = max(runs, 1)
	n := 1
	for n < MostNeeded && t.MinP(n*runs, n)*float64(comparisons) > alpha {
		n++
	}
	return n
}
