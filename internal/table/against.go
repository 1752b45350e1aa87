package table

import (
	"fmt"
	"slices"

	"matrix/internal/bench"
	"matrix/internal/stats"
	"matrix/internal/unit"
)

// rival is a system held against the baseline at the points that both measured.
type rival struct {
	name   string
	ratios []float64
	pairs  []stats.Pair
	mean   float64 // of the ratios, geometric
	told   bool    // from the baseline, at some point
}

// against holds each system against the baseline; nothing is said where no point
// has the rounds to tell.
func (b *builder) against(s *standing) []string {
	list, base := b.rivals(s)
	if len(list) == 0 || s.few == s.points || s.points == 1 && len(list) == 1 {
		return nil
	}
	slices.SortStableFunc(list, func(x, y rival) int { return worse(unit.Higher, x.mean, y.mean) })
	var texts, alike []string
	for _, r := range list {
		if r.told {
			texts = append(texts, fmt.Sprintf("%s %s times", r.name, ratioText(r.mean)))
		} else {
			alike = append(alike, r.name)
		}
	}
	between := ""
	if n := len(texts); n > 4 {
		between = fmt.Sprintf(", %d more between them", n-2)
		texts = []string{texts[0], texts[n-1]}
	}
	if len(texts) == 0 {
		return []string{fmt.Sprintf("Nowhere can requests per second be told from those of %s: %s.", base, few(alike))}
	}
	over := ""
	if s.points > 1 {
		over = ", in the geometric mean of the points that both measured"
	}
	rest := ""
	if len(alike) > 0 {
		rest = "; nowhere told from it: " + few(alike)
	}
	return []string{fmt.Sprintf("Requests per second against %s%s: %s%s%s.", base, over, enumerate(texts), between, rest)}
}

// rivals are the systems that have a point in common with the baseline, and how
// that is called.
func (b *builder) rivals(s *standing) (list []rival, base string) {
	bases := map[bench.Key]string{}
	names := newNamer(b.info.Plan, b.g.cells)
	for _, c := range s.systems {
		r := rival{name: c.name}
		for _, d := range c.cells {
			other, ok := b.base.of(d.cell)
			if !ok || systemKey(other) == systemKey(d.cell) {
				continue
			}
			mine, ok1 := s.rate.fold(d.folder)
			its, ok2 := s.rate.fold(other.folder)
			if !ok1 || !ok2 || mine.Number <= 0 || its.Number <= 0 {
				continue
			}
			r.ratios = append(r.ratios, mine.Number/its.Number)
			bases[systemKey(other)] = names.prose[systemKey(other)]
			if d.fair(s.rate) && other.fair(s.rate) {
				r.pairs = append(r.pairs, stats.Pair{A: s.rate.rounds(other.folder), B: s.rate.rounds(d.folder)})
			}
		}
		if mean, ok := stats.GeometricMean(r.ratios); ok {
			r.mean = mean
			list = append(list, r)
		}
	}
	b.tellRivals(list)
	base = "the baseline"
	for _, name := range bases {
		if len(bases) == 1 {
			base = name
		}
	}
	return list, base
}

// tellRivals looks at all points of all systems at once.
func (b *builder) tellRivals(list []rival) {
	var pairs []stats.Pair
	for _, r := range list {
		pairs = append(pairs, r.pairs...)
	}
	outcomes := b.tester.Tell(pairs, alpha)
	for i, r := range list {
		list[i].told = slices.Contains(outcomes[:len(r.pairs)], stats.Apart)
		outcomes = outcomes[len(r.pairs):]
	}
}
