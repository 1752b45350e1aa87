package stats

// exactTied is the largest sample for which the test is exact in the presence of
// ties.
const exactTied = 25

// tiedRanks is the two-sided Mann-Whitney test of two sorted samples that share
// values, or have some twice: exact, by counting in how many of all ways to draw
// the first sample from both together its sum of ranks is as far out. benchmath
// takes the distribution to be symmetric, which with ties and samples of
// different sizes it is not: {15, 42, 42, 100} against {1, 2} has p 0 there.
func tiedRanks(b, n []float64) float64 {
	ranks, sum := doubledRanks(b, n)
	most := 0
	for _, r := range ranks {
		most += r
	}
	// ways[k][s] is how many sets of k of the ranks so far have the sum s.
	ways := make([][]float64, len(b)+1)
	for k := range ways {
		ways[k] = make([]float64, most+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		for k := min(i+1, len(b)); k > 0; k-- {
			for s := most; s >= r; s-- {
				ways[k][s] += ways[k-1][s-r]
			}
		}
	}
	var low, high, all float64
	for s, w := range ways[len(b)] {
		all += w
		if s <= sum {
			low += w
		}
		if s >= sum {
			high += w
		}
	}
	return min(2*min(low, high)/all, 1)
}

// doubledRanks are twice the ranks of all values together, those that are equal
// sharing the mean of theirs, and the sum of those of the first sample.
func doubledRanks(b, n []float64) (ranks []int, sum int) {
	i, j := 0, 0
	for i < len(b) || j < len(n) {
		v := 0.0
		if j == len(n) || i < len(b) && b[i] <= n[j] {
			v = b[i]
		} else {
			v = n[j]
		}
		from, fromB := i+j, i
		for i < len(b) && b[i] == v {
			i++
		}
		for j < len(n) && n[j] == v {
			j++
		}
		rank := from + 1 + i + j // twice the mean of the places from+1 to i+j
		for range i + j - from {
			ranks = append(ranks, rank)
		}
		sum += (i - fromB) * rank
	}
	return ranks, sum
}
