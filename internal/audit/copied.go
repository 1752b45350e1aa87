package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"matrix/internal/bench"
)

// enough is how many measured times of two cells must be the same to the last
// digit before one is taken for a copy of the other: two runs do not repeat
// four of them.
const enough = 4

// copied finds printed cells whose times are all those of another cell.
func copied(records []bench.Record) (found []Finding) {
	records = slices.DeleteFunc(slices.Clone(records), func(r bench.Record) bool { return r.AsPrinted == nil })
	for i, r := range records {
		for _, before := range records[:i] {
			names := same(before, r)
			if len(names) < enough {
				continue
			}
			var shown []string
			for _, name := range names {
				shown = append(shown, name+" "+r.AsPrinted[name].Text)
			}
			found = append(found, Finding{Key: r.Cell.Key, Round: r.Round, Rule: Copied,
				Text: fmt.Sprintf("%d times are those of %s to the last digit: %s", len(names), before.Cell.Key, strings.Join(shown, ", "))})
			break
		}
	}
	return found
}

// same lists the times that both records print, when all of them are equal and
// none of too few digits to tell anything.
func same(a, b bench.Record) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(a.AsPrinted)) {
		x, y := a.AsPrinted[name], b.AsPrinted[name]
		if !strings.HasSuffix(name, "_ms") || x.Value == nil || y.Value == nil {
			continue
		}
		if x.Text != y.Text {
			return nil
		}
		if len(strings.Trim(x.Text, "0.")) > 1 {
			names = append(names, name)
		}
	}
	return names
}
