package scenario

import "strings"

// didYouMean is "; did you mean X?" with the candidate nearest to word, or ""
// when none is near.
func didYouMean(word string, candidates []string) string {
	if best, ok := nearest(word, candidates); ok {
		return "; did you mean " + best + "?"
	}
	return ""
}

// nearest finds the candidate that is a typing slip away from word: at most a
// third of its letters differ, not counting case, hyphens and underscores.
func nearest(word string, candidates []string) (best string, ok bool) {
	if strings.Trim(word, "0123456789.") == "" {
		return "", false // every number is near another one
	}
	word = plainWord(word)
	least := -1
	for _, c := range candidates {
		plain := plainWord(c)
		if abs(len(plain)-len(word)) > len(word)/3+1 {
			continue
		}
		d := distance(word, plain)
		if d <= max(len([]rune(plain)), 3)/3 && (least < 0 || d < least) {
			best, least = c, d
		}
	}
	return best, least >= 0
}

var wordMarks = strings.NewReplacer("-", "", "_", "", " ", "")

func plainWord(s string) string {
	if len(s) > 100 {
		s = s[:100]
	}
	return wordMarks.Replace(strings.ToLower(s))
}

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours count one each.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(x)][len(y)]
}

func abs(n int) int { return max(n, -n) }
