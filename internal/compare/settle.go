package compare

import "slices"

// enoughNights is how many runs tell how far one night lies from another.
const enoughNights = 3

// settle takes out of the base of each cell the runs that stand apart from the
// others, by the rule that new runs are judged by: from three or more before
// them, from three or more after them, or else from all others. Without that the
// first slow night, once it is part of the base, would pass for what nights differ
// by anyway, and no later one be told. Once fewer than three runs from before a
// change are in the base, the change is what is usual.
//
// Runs that are taken out are empty, as are those that lack the cell; left counts
// them by cell.
func settle(grid []Sides, o Options) (settled []Sides, left []int) {
	settled, left = make([]Sides, len(grid)), make([]int, len(grid))
	longest := 0
	for i, s := range grid {
		settled[i] = s
		settled[i].Base = slices.Clone(s.Base)
		longest = max(longest, nights(s.Base))
	}
	if longest <= enoughNights {
		return settled, left
	}
	out := func(k int, among func(base [][]float64) [][]float64) {
		then, of := sideBySide(settled, k, among)
		judged, _ := judge(then, o)
		for n, j := range judged {
			if j.Verdict == Slower || j.Verdict == Faster {
				settled[of[n]].Base[k] = nil
				left[of[n]]++
			}
		}
	}
	runs := len(grid[0].Base)
	for k := range runs {
		out(k, func(base [][]float64) [][]float64 { return base[:k] })
	}
	for k := range runs {
		k := runs - 1 - k
		out(k, func(base [][]float64) [][]float64 { return base[k+1:] })
	}
	for k := range runs {
		out(k, func(base [][]float64) [][]float64 {
			if nights(base[:k]) >= enoughNights || nights(base[k+1:]) >= enoughNights {
				return nil // that has been looked at
			}
			return slices.Concat(base[:k], base[k+1:])
		})
	}
	return settled, left
}

// sideBySide is the comparison of the k-th run of the base with some others, of the
// cells that have enough of them, and which cells those are.
func sideBySide(grid []Sides, k int, among func(base [][]float64) [][]float64) (then []Sides, of []int) {
	for i, s := range grid {
		if len(s.Base[k]) == 0 {
			continue
		}
		if others := among(s.Base); nights(others) >= enoughNights {
			then = append(then, Sides{Metric: s.Metric, Base: others, New: s.Base[k], Better: s.Better})
			of = append(of, i)
		}
	}
	return then, of
}

// nights is how many runs hold anything.
func nights(runs [][]float64) (n int) {
	for _, run := range runs {
		if len(run) > 0 {
			n++
		}
	}
	return n
}
