package table

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// groups draws the run as a whole: one group a question, those that it answers.
// The rounds are shown by the least and greatest in Rate and Latency, and so
// have no group of their own.
func (b *builder) groups() (list []ChartGroup) {
	if len(b.g.cells) == 0 {
		return nil
	}
	every := b.everything()
	along := acrossX(every)
	dots, budget := every, ""
	if along != "requests" && along != "duration" {
		dots = longest(every)
		if len(dots) < len(every) {
			budget = " Of cells that differ only in how much was asked for, those asked for most are drawn."
		}
	}
	for _, g := range []ChartGroup{
		b.rates(dots, along), b.latencies(dots, along), b.distributions(dots, along), b.transfers(dots, along), b.heatMaps(every),
	} {
		if len(g.Charts)+len(g.Heats) > 0 {
			if len(g.Heats) == 0 {
				g.About += budget
			}
			list = append(list, g)
		}
	}
	b.dress(list)
	return list
}

// acrossX is the axis of numbers that the pictures of a run go along: one that
// varies on some file; "" where none does.
func acrossX(dots []dot) string {
	names := []string{"concurrency", "duration", "requests", "size"}
	for _, name := range axisNames(dots) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if !moves(dots, name) || slices.ContainsFunc(dots, func(d dot) bool { _, number := numberOf(d, name); return !number }) {
			continue
		}
		if slices.ContainsFunc(panels(dots, name), func(panel []dot) bool { return moves(panel, name) }) {
			return name
		}
	}
	return ""
}

// moves reports whether some system has more than one value of an axis.
func moves(dots []dot, name string) bool {
	first := map[bench.Key]string{}
	for _, d := range dots {
		k := systemKey(d.cell)
		if v, met := first[k]; met && v != d.of(name) {
			return true
		}
		first[k] = d.of(name)
	}
	return false
}

// longest keeps of points that differ in nothing but their budget the one with
// the greatest at which any system was measured, or the greatest where none was:
// the same for all systems, so that alike is compared, and one that failed there
// is seen to have failed.
func longest(dots []dot) []dot {
	type budget struct {
		measured bool
		time     time.Duration
		requests int64
	}
	of := func(d dot) budget { return budget{len(d.ranked) > 0, d.Load.Duration, d.Load.Requests} }
	most := map[bench.Key]budget{}
	at := func(d dot) bench.Key {
		return bench.KeyOf(slices.DeleteFunc(pointOf(d.cell), func(p bench.Pair) bool { return p.Name == "requests" || p.Name == "duration" }))
	}
	for _, d := range dots {
		k, b := at(d), of(d)
		m, met := most[k]
		if !met || b.measured && !m.measured || b.measured == m.measured && (b.time > m.time || b.time == m.time && b.requests > m.requests) {
			most[k] = b
		}
	}
	return slices.DeleteFunc(slices.Clone(dots), func(d dot) bool {
		m := most[at(d)]
		return d.Load.Duration != m.time || d.Load.Requests != m.requests
	})
}

// rates is how requests per second go along x. Where nothing varies but the
// systems, they stand beside each other.
func (b *builder) rates(dots []dot, along string) ChartGroup {
	g := ChartGroup{Title: "Rate", About: "Requests per second that were answered well." + spans(dots, "the median of the rounds")}
	m, _ := Lookup("requests_per_second")
	if along == "" {
		return b.beside(g, dots, m)
	}
	return b.lines(g, dots, along, m)
}

// spans says what a point and its whisker are, where there are rounds to tell.
func spans(dots []dot, point string) string {
	if !slices.ContainsFunc(dots, func(d dot) bool { return len(d.ranked) > 1 }) {
		return ""
	}
	return " A point is " + point + ", a whisker reaches from the least of the rounds to the greatest."
}

// latencies is the median and the 99th percentile along x.
func (b *builder) latencies(dots []dot, along string) ChartGroup {
	g := ChartGroup{Title: "Latency", About: "Half of the requests took no longer than p50, all but one in a hundred no longer than p99." + spans(dots, "of all rounds together")}
	p50, _ := Lookup("latency_p50_ms")
	p99, _ := Lookup("latency_p99_ms")
	if along == "" {
		return g
	}
	return b.lines(g, dots, along, p50, p99)
}

// transfers is the bytes per second by the size of the files, at one value of
// x, where most cells were measured.
func (b *builder) transfers(dots []dot, along string) ChartGroup {
	g := ChartGroup{Title: "Transfer", About: "Bytes received per second, by the size of the file."}
	if along == "" || !moves(dots, "size") {
		return g
	}
	if along != "size" {
		x := fullest(dots, along)
		dots = slices.DeleteFunc(slices.Clone(dots), func(d dot) bool { return d.of(along) != x })
		g.About = fmt.Sprintf("Bytes received per second by the size of the file, at %s.", axisProse(along, x))
	}
	if !moves(dots, "size") {
		return g
	}
	m, _ := Lookup("bytes_per_second")
	return b.lines(g, dots, "size", m)
}

// fullest is the value along x at which most cells were measured, the highest
// of several.
func fullest(dots []dot, along string) (text string) {
	n := map[string]int{}
	at := map[string]float64{}
	for _, d := range dots {
		if len(d.ranked) > 0 {
			n[d.of(along)]++
			at[d.of(along)], _ = numberOf(d, along)
		}
	}
	for x, count := range n {
		if best := n[text]; count > best || count == best && (at[x] > at[text] || at[x] == at[text] && x > text) {
			text = x
		}
	}
	return text
}

// lines draws metrics along x, a chart of each file, of those that have more
// than a point.
func (b *builder) lines(g ChartGroup, dots []dot, along string, metrics ...Metric) ChartGroup {
	p := picture{kind: bench.Lines, along: along, panels: panels(dots, along), ours: true, names: newNamer(b.info.Plan, b.g.cells).prose}
	p.ofFile = len(p.panels) > 1
	var alone []string // files
	p.panels = slices.DeleteFunc(p.panels, func(panel []dot) bool {
		if moves(panel, along) {
			return false
		}
		alone = append(alone, clip(panel[0].of("file"), maxName))
		return true
	})
	if len(alone) > 0 {
		g.About += fmt.Sprintf(" Not drawn, for a line takes more than one value along %s: %s.", strings.ToLower(sentence(along)), few(alone))
	}
	for i, panel := range p.panels {
		p.panels[i] = b.thin(g.Title, panel, along)
	}
	left := 0
	for _, m := range metrics {
		if !slices.ContainsFunc(dots, func(d dot) bool { _, ok := m.fold(d.folder); return ok }) {
			continue
		}
		charts, more := b.draw(p, m, maxCharts/len(metrics))
		left = max(left, more)
		g.Charts = append(g.Charts, charts...)
	}
	b.leftOut(g.Title, left)
	return g
}

// few names the first of texts, which may hold commas, and counts the rest.
func few(texts []string) string {
	if more := len(texts) - fewPlaces; more > 0 {
		texts = append(slices.Clone(texts[:fewPlaces]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, "; ")
}

// maxTicks is how many values along x a chart shows: more would not be told
// apart in a picture, and reading and drawing them takes its time.
const maxTicks = 64

// thin keeps of a panel the first and the last value along x, and so many of
// those between them, evenly chosen, as a picture shows.
func (b *builder) thin(title string, panel []dot, along string) []dot {
	at := map[float64]bool{}
	for _, d := range panel {
		x, _ := numberOf(d, along)
		at[x] = true
	}
	if len(at) <= maxTicks {
		return panel
	}
	all := slices.Sorted(maps.Keys(at))
	kept := map[float64]bool{}
	for i := range maxTicks {
		kept[all[i*(len(all)-1)/(maxTicks-1)]] = true
	}
	text := fmt.Sprintf("%s: of %d values along %s, %d are drawn.", title, len(all), strings.ToLower(sentence(along)), maxTicks)
	if !slices.ContainsFunc(b.notes, func(n Footnote) bool { return n.Text == text }) {
		b.notes = append(b.notes, Footnote{Code: "chart", Text: text})
	}
	return slices.DeleteFunc(slices.Clone(panel), func(d dot) bool { x, _ := numberOf(d, along); return !kept[x] })
}

// beside draws bars of the systems at a single point.
func (b *builder) beside(g ChartGroup, dots []dot, m Metric) ChartGroup {
	if len(systemsOf(cellsIn(dots))) < 2 {
		return g
	}
	along := newNamer(b.info.Plan, cellsIn(dots)).told[0]
	parts := panels(dots, along)
	charts, left := b.draw(picture{kind: bench.Bars, along: along, panels: parts, ofFile: len(parts) > 1, ours: true}, m, maxCharts)
	g.Charts = charts
	b.leftOut(g.Title, left)
	return g
}

func cellsIn(dots []dot) []cell {
	cells := make([]cell, len(dots))
	for i, d := range dots {
		cells[i] = d.cell
	}
	return cells
}

func (b *builder) leftOut(title string, files int) {
	if files > 0 {
		b.note("chart", "%s: only the first charts are drawn; those of %s are left out.", title, unit.Counted(files, "more file"))
	}
}
