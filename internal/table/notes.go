package table

import (
	"fmt"
	"slices"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// footnotes gathers what must be known to read the tables: how the figures were
// made, what is missing, and the notes on the run and its trials, each code once
// with the number of trials it was made on.
func footnotes(b *builder, tables []Table) []Footnote {
	g := b.g
	notes := append(reading(tables, g, b.chosen), b.notes...)
	add := func(code, format string, args ...any) {
		notes = append(notes, Footnote{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if len(b.unknown) > 0 {
		add("unknown-column", "There is no metric called %s; the column is left out.", strings.Join(b.unknown, ", "))
	}
	if g.pending > 0 {
		least := ""
		if b.info.Plan.Until != nil {
			least = "At least "
		}
		add("pending", "%s%s of the plan not measured yet.", least, unit.Counted(g.pending, "trial"))
	}
	if len(g.stale) > 0 {
		add("stale", "%s left out, because the scenario was edited since: %s.", unit.Counted(len(g.stale), "trial"), list(keysOf(g.stale), 10))
	}
	notes = append(notes, b.stopNotes()...)
	for _, n := range b.info.Notes {
		notes = append(notes, Footnote{Code: n.Code, Text: n.Text})
	}
	notes = append(notes, loadNote(b.info, g.records)...)
	notes = append(notes, takenNotes(g.cells)...)
	notes = append(notes, b.driversApart()...)
	return append(notes, onTrials(g.cells)...)
}

// reading explains the signs and figures of tables, those that occur in them.
func reading(tables []Table, g gathered, chosen []choice) []Footnote {
	var notes []Footnote
	rounds, best := 0, false
	var spans []string
	for _, c := range g.cells {
		rounds = max(rounds, len(c.all))
	}
	for _, t := range tables {
		for _, row := range t.Rows {
			for _, c := range row.Cells {
				best = best || c.Best
				if c.Spread != "" {
					spans = append(spans, c.Spread[:1])
				}
			}
		}
	}
	if rounds > 1 {
		text := "Figures are medians of the rounds that were measured; of failures, load average and zombies the greatest; latencies come from the distributions of all rounds added up."
		notes = append(notes, Footnote{Code: "rounds", Text: text})
	}
	notes = append(notes, spanNotes(spans)...)
	if best {
		notes = append(notes, Footnote{Code: "best", Text: "Marked figures are the best of the systems at the same point, and any that the rounds do not tell from it."})
	}
	if byRounds := printedOnly(g.cells, chosen); len(byRounds) > 0 {
		notes = append(notes, Footnote{Code: "median-of-rounds",
			Text: "Where a driver yields no distribution, these are medians over the rounds of what its tool printed: " + strings.Join(byRounds, "; ") + "."})
	}
	return notes
}

// spanNotes explains what stands behind figures, by the first characters of it.
func spanNotes(signs []string) []Footnote {
	var texts []string
	for _, s := range []struct{ sign, text string }{
		{"[", "[a, b] bounds the median of the rounds, or a comparison with the baseline, with a confidence of 95 %: the more rounds, the closer."},
		{"(", "(a to b) is the least and the greatest round, where they are fewer than the six that an interval takes."},
		{"?", "?: the rounds are too few to tell a comparison with the baseline from chance."},
	} {
		if slices.Contains(signs, s.sign) {
			texts = append(texts, s.text)
		}
	}
	if texts == nil {
		return nil
	}
	return []Footnote{{Code: "span", Text: strings.Join(texts, " ")}}
}

// printedOnly lists the headings of the metrics that somewhere are medians of
// printed figures instead of coming from a distribution.
func printedOnly(cells []cell, chosen []choice) []string {
	var headings []string
	for _, m := range chosen {
		if m.dist == noDist {
			continue
		}
		if slices.ContainsFunc(cells, func(c cell) bool {
			v, ok := m.fold(c.folder)
			return ok && v.ByRounds
		}) && !slices.Contains(headings, m.Heading) {
			headings = append(headings, m.Heading)
		}
	}
	return headings
}

// onTrials gathers the notes on trials by code, in the order of the rows. Where
// they do not say the same, as when each names its figure, the first is told as an
// example.
func onTrials(cells []cell) []Footnote {
	var notes []Footnote
	place := map[string]int{}
	var differ []bool
	for _, c := range cells {
		for i := range c.all {
			for _, n := range notesOf(&c.all[i]) {
				at, seen := place[n.Code]
				if !seen {
					at = len(notes)
					place[n.Code] = at
					notes = append(notes, Footnote{Code: n.Code, Text: n.Text})
					differ = append(differ, false)
				}
				differ[at] = differ[at] || n.Text != notes[at].Text
				notes[at].Trials++
			}
		}
	}
	for i := range notes {
		if differ[i] {
			notes[i].Text = "For example: " + notes[i].Text
		}
	}
	return notes
}

func keysOf(records []bench.Record) []string {
	var keys []string
	for _, r := range records {
		if k := string(r.Cell.Key); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}
