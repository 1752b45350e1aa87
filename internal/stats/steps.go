package stats

import (
	"math"
	"slices"
)

// Step is a place in a series from which on its values stood at another level,
// and stayed there.
type Step struct {
	At int // index of the first value of the new level

	// Before and After are the medians of the values on either side, up to the
	// next step or the end of the series.
	Before, After float64

	// P bounds the chance that values of one level show a step as clear as this
	// one anywhere in the series, whatever their distribution. Of a Recent step
	// it is the chance at this place alone.
	P float64

	// Recent marks the last few values, which stand apart from all before them
	// and are too few to tell a step from chance.
	Recent bool
}

// Change is how far the level moved, as a share of the one before: -0.1 is 10 %
// less. False where that was zero, of which there is no share.
func (s Step) Change() (float64, bool) {
	if s.Before == 0 {
		return 0, false
	}
	c := (s.After - s.Before) / math.Abs(s.Before)
	return c, !math.IsInf(c, 0) && !math.IsNaN(c)
}

// StepOptions say which steps count.
type StepOptions struct {
	Alpha float64 // greatest P of a step; of many series at once, divided among them
	Least float64 // smallest Change of a step, as a share; 0 for any
}

// Stay is how many values a step has on either side at least.
const Stay = 3

// Steps finds where the level of a series moved, in order. Values that are not
// finite are passed over. The last step may be Recent.
//
// A series is split where the ranks before and after differ most, by the
// statistic of Mann and Whitney, and its parts likewise (binary segmentation;
// Scott and Knott 1974, with ranks as Pettitt 1979). Ranks make single outliers
// harmless and the P true of any noise, as long as the values are independent.
// A level that came and went again would hide in the whole series, so that parts
// of half its length, of a quarter and so on are searched, too (seeded binary
// segmentation; Kovács, Bühlmann, Li and Munk 2023).
func Steps(values []float64, o StepOptions) []Step {
	var v []float64
	var place []int
	for i, x := range values {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			v, place = append(v, x), append(place, i)
		}
	}
	steps := between(v, settle(v, segment(v, 0, o.Alpha), o.Alpha))
	for o.Least > 0 {
		i := smallest(steps)
		if i < 0 || !steps[i].below(o.Least) {
			break
		}
		steps = between(v, slices.Delete(steps, i, i+1)) // which moves the medians of its neighbours
	}
	if s, ok := recent(v, steps); ok && !s.below(o.Least) {
		steps = append(steps, s)
	}
	for i := range steps {
		steps[i].At = place[steps[i].At]
	}
	return steps
}

// MostForStep is the greatest number that FewestForStep answers with.
const MostForStep = 1000

// FewestForStep is how many values a series has at least in which a step, however
// great, can be told at that level of chance. MostForStep stands for as many or more.
func FewestForStep(alpha float64) int {
	for n := 2 * Stay; n < MostForStep; n++ {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(i) // the first half before the second in rank
		}
		if at, _ := clearest(v, alpha); at > 0 {
			return n
		}
	}
	return MostForStep
}

// below tells a change smaller than least; from zero every change is great.
func (s Step) below(least float64) bool {
	c, ok := s.Change()
	return ok && math.Abs(c) < least
}

func smallest(steps []Step) int {
	at, least := -1, math.Inf(1)
	for i, s := range steps {
		if c, ok := s.Change(); ok && math.Abs(c) < least {
			at, least = i, math.Abs(c)
		}
	}
	return at
}

// segment finds the steps of v, which begins at index from.
func segment(v []float64, from int, alpha float64) []Step {
	at, p := clearest(v, alpha)
	if at == 0 {
		return nil
	}
	steps := append(segment(v[:at], from, alpha), Step{At: from + at, P: p})
	return append(steps, segment(v[at:], from+at, alpha)...)
}

// How long a part that is searched for itself is at least: in values, and as
// one of so many of the series.
const (
	shortest = 16
	mostFold = 16
)

// clearest is the clearest step of v; at is 0 when none has a P of alpha. The
// chance of a false alarm is shared out (Bonferroni): half of it to the whole, a
// quarter to the parts of half the length, and so on.
func clearest(v []float64, alpha float64) (at int, p float64) {
	p = 1
	if len(v) < 2*Stay {
		return 0, p
	}
	for length, share := len(v), 0.5; length == len(v) || length >= max(shortest, len(v)/mostFold); length, share = length/2, share/2 {
		stride := length / 2
		each := share / float64((len(v)-length)/stride+1)
		// From the end, so that the newest values are in a part of each length.
		for end := len(v); end >= length; end -= stride {
			if t, q := split(v[end-length:end], alpha*each); t > 0 && q/each < p {
				at, p = end-length+t, q/each
			}
		}
	}
	return at, p
}

// split is where the values before and after differ most, and the chance of that
// anywhere in v; at is 0 when it is above alpha. Neighbouring places tell nearly
// the same, the more so in the middle of v: each place t of n gets a share of
// the chance in proportion to 1/(t(n-t)), the rate at which the statistic
// forgets (a Brownian bridge, in its own time).
func split(v []float64, alpha float64) (at int, p float64) {
	n, total := len(v), 0.0
	for t := Stay; t <= n-Stay; t++ {
		total += 1 / float64(t*(n-t))
	}
	ranks := midranks(v)
	sum, furthest := 0.0, 0.0
	p = 1
	for t := 1; t <= n-Stay; t++ {
		sum += ranks[t-1]
		if t < Stay {
			continue
		}
		pairs := float64(t * (n - t))
		above := sum - float64(t*(t+1))/2 // pairs whose earlier value is the greater
		u := min(above, pairs-above)
		times := 2 * pairs * total
		q := times * lowTail(u, min(t, n-t), max(t, n-t))
		p = min(p, q)
		if z := (pairs/2 - u) / math.Sqrt(pairs); q <= alpha && z > furthest {
			at, furthest = t, z
		}
	}
	return at, p
}

// settle looks again at each step between its neighbours, where it is alone: it
// is moved to its place there, and goes when it is none.
func settle(v []float64, steps []Step, alpha float64) []Step {
	for i := range steps {
		from, to := 0, len(v)
		if i > 0 {
			from = steps[i-1].At
		}
		if i+1 < len(steps) {
			to = steps[i+1].At
		}
		at, _ := split(v[from:to], alpha)
		if at == 0 {
			return settle(v, slices.Delete(steps, i, i+1), alpha)
		}
		steps[i].At = from + nearer(v[from:to], at)
	}
	return steps
}

// nearer moves a split to where the values before are nearest to their median
// and those after to theirs (least absolute deviations). Ranks, which see that
// there is a step, are drawn to values that are only by chance the least or
// greatest beside it.
func nearer(v []float64, at int) int {
	before, _ := Median(v[:at])
	after, _ := Median(v[at:])
	best, sum, least := at, 0.0, math.Inf(1)
	for i, x := range v {
		if i >= Stay && i <= len(v)-Stay && sum < least {
			best, least = i, sum
		}
		sum += math.Abs(x-before) - math.Abs(x-after)
	}
	return best
}

// between fills in the medians on both sides of each step.
func between(v []float64, steps []Step) []Step {
	for i := range steps {
		from, to := 0, len(v)
		if i > 0 {
			from = steps[i-1].At
		}
		if i+1 < len(steps) {
			to = steps[i+1].At
		}
		steps[i].Before, _ = Median(v[from:steps[i].At])
		steps[i].After, _ = Median(v[steps[i].At:to])
	}
	return steps
}

// Of the values that may be a recent step: at the most how many, after how many
// others, and how far off in their standard deviations.
const (
	mostRecent   = 8
	fewestBefore = 14
	farOff       = 4
)

// recent looks whether the last values all stand beyond all others since the
// last step, and far off for their noise. The noise is 1.4826 times the median
// absolute deviation, which is the standard deviation of normal noise.
func recent(v []float64, steps []Step) (Step, bool) {
	from := 0
	if len(steps) > 0 {
		from = steps[len(steps)-1].At
	}
	level := v[from:]
	for k := min(mostRecent, len(level)-fewestBefore); k > 0; k-- {
		old, last := level[:len(level)-k], level[len(level)-k:]
		if slices.Max(last) >= slices.Min(old) && slices.Min(last) <= slices.Max(old) {
			continue
		}
		s := Step{At: len(v) - k, Recent: true, P: min(2*lowTail(0, k, len(old)), 1)}
		s.Before, _ = Median(old)
		s.After, _ = Median(last)
		off := make([]float64, len(old))
		for i, x := range old {
			off[i] = math.Abs(x - s.Before)
		}
		mad, _ := Median(off)
		if math.Abs(s.After-s.Before) > farOff*1.4826*mad {
			return s, true
		}
	}
	return Step{}, false
}
