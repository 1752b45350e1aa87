package table

import (
	"fmt"
	"slices"
	"strings"

	"matrix/internal/unit"
)

// withLimits adds to a verdict, behind its first sentence, which limits are
// broken: those of most cells first.
func withLimits(verdict []string, checked []Checked) []string {
	broken := slices.DeleteFunc(slices.Clone(checked), func(l Checked) bool { return len(l.Broken) == 0 })
	if len(broken) == 0 || len(verdict) == 0 {
		return verdict
	}
	slices.SortStableFunc(broken, func(x, y Checked) int { return len(y.Broken) - len(x.Broken) })
	var texts []string
	for _, l := range broken[:min(len(broken), fewSystems)] {
		texts = append(texts, fmt.Sprintf("%s, by %d of %s", limitText(l.Limit), len(l.Broken), unit.Counted(l.Cells, "cell")))
	}
	if more := len(broken) - len(texts); more > 0 {
		texts = append(texts, unit.Counted(more, "more limit"))
	}
	said := fmt.Sprintf("%s broken, of %d: %s.", numbered(len(broken), "limit is", "limits are"), len(checked), strings.Join(texts, "; "))
	verdict = slices.Insert(verdict, 1, said)
	return verdict[:min(len(verdict), maxSentences)]
}
