package table

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/stats"
	"matrix/internal/unit"
)

// pair is a measured cell and the published one of the same system and point.
type pair struct {
	measured, published cell
	own, theirs         Value // requests per second
	printed             string
}

// Beside adds to a report what a published run of the same grid says: both
// figures at each point, and how the systems compare with each other there and
// here. Which cells belong together, r.Info.Plan.Reference says.
func (r *Report) Beside(info bench.RunInfo, records []bench.Record) {
	ref := r.Info.Plan.Reference
	if ref == nil {
		return
	}
	mine, theirs := newBuilder(r.Info, r.Records), newBuilder(info, records)
	pairs, lone := match(*ref, mine.g.cells, theirs.g.cells)
	note := func(format string, args ...any) {
		r.Notes = append(r.Notes, Footnote{Code: "reference", Text: fmt.Sprintf(format, args...)})
	}
	if lone > 0 {
		note("Without a published counterpart in %s: %s.", ref.Run, unit.Counted(lone, "cell"))
	}
	if len(pairs) == 0 {
		note("Nothing of %s can be set beside this run: no system and point has figures in both.", ref.Run)
		return
	}
	r.Tables = append(r.Tables, mine.besides(pairs, titleOf(info.Plan)))
	versus := mine.compare(pairs)
	if len(versus.Rows) > 0 {
		r.Tables = append(r.Tables, versus)
		note("%s", mine.ranking(pairs))
	}
}

// match finds the pairs with a rate on both sides, in the order of the measured
// cells; lone is how many of these have no published cell, or more than one.
func match(ref bench.Reference, measured, published []cell) (pairs []pair, lone int) {
	rate, _ := Lookup("requests_per_second")
	for _, m := range measured {
		var found []cell
		for _, p := range published {
			if sameSystem(ref, m, p) && samePoint(ref, m, p) {
				found = append(found, p)
			}
		}
		if len(found) != 1 {
			lone++
			continue
		}
		x := pair{measured: m, published: found[0]}
		var ok1, ok2 bool
		x.own, ok1 = rate.fold(m.folder)
		x.theirs, ok2 = rate.fold(found[0].folder)
		x.printed, _ = asPrinted(rate.Name, found[0].all)
		if ok1 && ok2 && x.theirs.Number > 0 {
			pairs = append(pairs, x)
		}
	}
	return pairs, lone
}

// sameSystem compares the labels that both cells have, at least one.
func sameSystem(ref bench.Reference, m, p cell) bool {
	common := false
	for _, l := range m.Labels {
		v, ok := bench.Lookup(p.Labels, l.Name)
		if ok && v != l.Value && v != ref.Rename[l.Value] {
			return false
		}
		common = common || ok
	}
	return common
}

// samePoint compares the axes that the published cell has. One that is not known
// here is passed over, except that requests are not seconds.
func samePoint(ref bench.Reference, m, p cell) bool {
	mine, theirs := m.Pairs(), p.Pairs()
	for _, a := range p.Axes {
		if a.Name == "driver" || a.Name == "protocol" || slices.Contains(ref.Ignore, a.Name) {
			continue
		}
		have, ok := bench.Lookup(mine, a.Name)
		if !ok && (a.Name == "requests" || a.Name == "duration") {
			return false
		}
		want, _ := bench.Lookup(theirs, a.Name)
		asWritten, _ := bench.Lookup(m.Axes, a.Name) // 60s, where have is 1m
		if ok && !slices.ContainsFunc([]string{have, ref.Rename[have], ref.Rename[asWritten]}, func(v string) bool {
			return v != "" && (v == want || v == a.Value)
		}) {
			return false
		}
	}
	return true
}

// besides sets the figures side by side.
func (b *builder) besides(pairs []pair, title string) Table {
	cells := make([]cell, len(pairs))
	for i, x := range pairs {
		cells[i] = x.measured
	}
	kept, constant := liftConstant(stubs(b.info.Plan, cells), cells)
	t := b.flat("Beside the published: "+title, kept, constant, cells, nil)
	t.Columns = append(t.Columns,
		Column{Name: "measured_requests_per_second", Heading: "Requests per second, measured", Number: true, Keep: keepStub - 1},
		Column{Name: "published_requests_per_second", Heading: "Requests per second, published", Number: true, Keep: keepStub - 2},
		Column{Name: "measured_to_published", Heading: "Measured, as a multiple", Number: true, Keep: 1})
	plain := unit.Scale{Factor: 1}
	rate, _ := Lookup("requests_per_second")
	for i, x := range pairs {
		own := Cell{Text: plain.Format(x.own.Number), Spread: rate.Span(x.own, plain.Format), Value: number(x.own.Number)}
		theirs := Cell{Text: plain.Format(x.theirs.Number), Value: number(x.theirs.Number)}
		if x.printed != "" {
			theirs.Text = x.printed
		}
		t.Rows[i].Cells = append(t.Rows[i].Cells, own, theirs, ratioCell(x.own.Number/x.theirs.Number))
	}
	return t
}

func number(v float64) json.Number { return json.Number(unit.Plain(v)) }

func ratioCell(v float64) Cell {
	return Cell{Text: unit.Scale{Factor: 1}.Format(v), Value: number(v)}
}

// compare sets the ratios between systems beside each other: machines differ, but
// how two systems compare may not. The baseline, or else the first system of a
// point, is what the others are compared with.
func (b *builder) compare(pairs []pair) Table {
	var others []pair
	var bases []pair
	for _, point := range byPoint(pairs) {
		base := slices.IndexFunc(point, func(x pair) bool { return len(b.base.labels) > 0 && b.base.has(x.measured) })
		base = max(base, 0)
		for i, x := range point {
			if i != base {
				others, bases = append(others, x), append(bases, point[base])
			}
		}
	}
	cells := make([]cell, len(others))
	for i, x := range others {
		cells[i] = x.measured
	}
	t := b.flat("How the systems compare, measured and published", compared(b, cells, bases), nil, cells, nil)
	t.Columns = append(t.Columns,
		Column{Name: "measured_ratio", Heading: "Ratio, measured", Number: true, Keep: keepStub - 1},
		Column{Name: "published_ratio", Heading: "Ratio, published", Number: true, Keep: keepStub - 2},
		Column{Name: "ranking", Heading: "Ranking", Keep: keepStub - 3})
	ranked := b.alike(others, bases)
	for i, x := range others {
		base := bases[i]
		t.Rows[i].Cells = append(t.Rows[i].Cells, ratioCell(x.own.Number/base.own.Number), ratioCell(x.theirs.Number/base.theirs.Number),
			Cell{Text: string(ranked[i])})
	}
	return t
}

// compared are the columns that tell which system is compared with which.
func compared(b *builder, cells []cell, bases []pair) []stub {
	kept, _ := liftConstant(stubs(b.info.Plan, cells), cells)
	names := map[bench.Key]string{}
	for i, c := range cells {
		names[c.Key] = systemName(bases[i].measured)
	}
	list := []stub{
		{name: "system", heading: "System", of: func(c cell) string { return systemName(c) }},
		{name: "compared_with", heading: "Compared with", of: func(c cell) string { return names[c.Key] }},
	}
	for _, s := range kept {
		if _, isLabel := labelOf(cells, s.name); !isLabel {
			list = append(list, s)
		}
	}
	return list
}

// systemName is a system by its labels, "Red Hat 7.0, No".
func systemName(c cell) string {
	var name strings.Builder
	for i, l := range c.Labels {
		if i > 0 {
			name.WriteString(", ")
		}
		name.WriteString(l.Value)
	}
	return name.String()
}

// byPoint gathers the pairs of each point, in order of first appearance.
func byPoint(pairs []pair) (points [][]pair) {
	place := map[bench.Key]int{}
	for _, x := range pairs {
		k := bench.KeyOf(x.measured.Axes)
		i, known := place[k]
		if !known {
			i = len(points)
			place[k] = i
			points = append(points, nil)
		}
		points[i] = append(points[i], x)
	}
	return points
}

// verdict is whether two systems rank alike, measured and published.
type verdict string

const (
	agrees    verdict = "as published"
	differs   verdict = "the other way round"
	undecided verdict = "not told apart"
	unknown   verdict = "too few rounds"
)

// alike holds systems against others at the same points. Where the rounds do not
// tell the measured figures apart, or the published ones are the same, nothing is
// said. What was published is one figure each, taken as it is.
func (b *builder) alike(some, others []pair) []verdict {
	rate, _ := Lookup("requests_per_second")
	rounds := func(x pair) []float64 {
		if !x.measured.fair(rate) {
			return nil
		}
		return rate.rounds(x.measured.folder)
	}
	duels := make([]stats.Pair, len(some))
	for i := range some {
		duels[i] = stats.Pair{A: rounds(some[i]), B: rounds(others[i])}
	}
	verdicts := make([]verdict, len(some))
	for i, o := range b.tester.Tell(duels, alpha) {
		x, y := some[i], others[i]
		switch {
		case x.theirs.Number == y.theirs.Number:
			verdicts[i] = undecided
		case o == stats.TooFew:
			verdicts[i] = unknown
		case o == stats.Open:
			verdicts[i] = undecided
		case (x.own.Number > y.own.Number) == (x.theirs.Number > y.theirs.Number):
			verdicts[i] = agrees
		default:
			verdicts[i] = differs
		}
	}
	return verdicts
}

// ranking counts how all pairs of systems rank, at every point.
func (b *builder) ranking(pairs []pair) string {
	var some, others []pair
	for _, point := range byPoint(pairs) {
		for i, x := range point {
			for _, y := range point[:i] {
				some, others = append(some, x), append(others, y)
			}
		}
	}
	n := map[verdict]int{}
	for _, v := range b.alike(some, others) {
		n[v]++
	}
	total := unit.Counted(len(some), "comparison")
	if n[unknown] == len(some) {
		return fmt.Sprintf("Of %s of two systems at one point, none can be told to rank as published or not: the rounds are too few.", total)
	}
	text := fmt.Sprintf("Of %s of two systems at one point, %d rank as published and %d the other way round", total, n[agrees], n[differs])
	if n[undecided] > 0 {
		text += fmt.Sprintf("; %d cannot be told apart", n[undecided])
	}
	if n[unknown] > 0 {
		text += fmt.Sprintf("; of %d the rounds are too few to tell", n[unknown])
	}
	return text + "."
}
