package table

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// dot is a cell that a chart shows, with all that tells it from others.
type dot struct {
	cell
	pairs []bench.Pair
}

func (d dot) of(name string) string {
	v, _ := bench.Lookup(d.pairs, name)
	return v
}

// everything is all cells of the run.
func (b *builder) everything() []dot {
	if b.every == nil {
		b.every = make([]dot, len(b.g.cells))
		for i, c := range b.g.cells {
			b.every[i] = dot{c, c.Pairs()}
		}
	}
	return b.every
}

// dots is the cells that the filter of a table keeps of a metric.
func (b *builder) dots(spec bench.Table, metric string) (list []dot) {
	p, err := newProjector(spec)
	if err != nil {
		return nil // which laying out the table told
	}
	if spec.Layout != bench.Pivot {
		metric = ""
	}
	for _, c := range b.g.cells {
		if _, ok := p.place(entryOf(c, metric)); ok {
			list = append(list, dot{c, c.Pairs()})
		}
	}
	return list
}

// usualX is what is told apart along a chart where nobody says: an axis of
// numbers that varies, or else a label or axis that does.
func usualX(dots []dot) string {
	for _, name := range slices.Concat([]string{"concurrency", "duration", "requests", "size"}, dotNames(dots)) {
		if differ(dots, name) {
			return name
		}
	}
	return "concurrency"
}

func dotNames(dots []dot) (names []string) {
	for _, d := range dots {
		for _, p := range d.pairs {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

func differ(dots []dot, name string) bool {
	first := dots[0].of(name)
	return slices.ContainsFunc(dots, func(d dot) bool { return d.of(name) != first })
}

// panels parts dots by file, where that is not along x.
func panels(dots []dot, along string) (parts [][]dot) {
	if along == "file" || along == "size" || follows(dots, "file", []string{along}) {
		return [][]dot{dots}
	}
	place := map[string]int{}
	for _, d := range dots {
		i, seen := place[d.of("file")]
		if !seen {
			i = len(parts)
			place[d.of("file")] = i
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], d)
	}
	return parts
}

// follows reports whether the values of names leave no choice of that of name.
func follows(dots []dot, name string, names []string) bool {
	seen := map[string]string{}
	for _, d := range dots {
		key := joinedValues(d, names)
		if v, known := seen[key]; known && v != d.of(name) {
			return false
		}
		seen[key] = d.of(name)
	}
	return true
}

func joinedValues(d dot, names []string) string {
	var key strings.Builder
	for _, n := range names {
		key.WriteString(strconv.Quote(d.of(n)))
	}
	return key.String()
}

// ticks places the values along x: by what they are, where all are numbers and a
// line is drawn, else one beside the other.
func (c *Chart) ticks(panel []dot, along string) {
	numeric := c.Kind == bench.Lines
	var at []float64
	seen := map[string]bool{}
	for _, d := range panel {
		text := d.of(along)
		if seen[text] {
			continue
		}
		seen[text] = true
		x, ok := numberOf(d, along)
		numeric = numeric && ok && !slices.Contains(at, x)
		at = append(at, x)
		c.Ticks = append(c.Ticks, Tick{At: x, Text: text})
	}
	if !numeric {
		for i := range c.Ticks {
			c.Ticks[i].At = float64(i)
		}
		return
	}
	slices.SortFunc(c.Ticks, func(a, b Tick) int {
		if a.At < b.At {
			return -1
		}
		return 1
	})
	c.XLog = len(at) > 2 && wide(at, 10)
}

// numberOf is the value of a dot along x as a number: seconds of a duration,
// bytes of a size.
func numberOf(d dot, name string) (float64, bool) {
	if _, isLabel := bench.Lookup(d.Labels, name); !isLabel {
		switch name {
		case "duration":
			return d.Load.Duration.Seconds(), d.Load.Duration > 0
		case "size":
			return float64(d.File.Size), true
		}
	}
	text := d.of(name)
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x, finite(x)
	}
	took, err := unit.ParseDuration(text)
	return took.Seconds(), err == nil
}

// telling lists the labels and axes that tell series apart: those that neither x
// nor others before them tell. What a line goes along with, such as the requests
// that grow with the connections, tells none; what differs at some of its points
// only, such as a second generator at one of them, does.
func telling(panel []dot, along string) (told []string) {
	_, label := bench.Lookup(panel[0].Labels, along)
	for _, name := range dotNames(panel) {
		_, isLabel := bench.Lookup(panel[0].Labels, name)
		by := told
		if label || !isLabel && goesAlong(panel, name, along) { // systems stay apart, though each had an x of its own
			by = append(slices.Clone(told), along)
		}
		if name != along && !follows(panel, name, by) {
			told = append(told, name)
		}
	}
	return told
}

// goesAlong reports whether an axis may change from point to point of one line:
// it says how much was asked for, or has a value of its own at each x.
func goesAlong(panel []dot, name, along string) bool {
	switch name {
	case "file", "size", "requests", "duration":
		return true
	}
	return along == "" || follows(panel, along, []string{name})
}

// group parts the points of a panel, given in its order, into series.
func (c *Chart) group(panel []dot, p picture, points []Point) {
	told := telling(panel, p.along)
	at := make(map[string]float64, len(c.Ticks))
	for _, t := range c.Ticks {
		at[t.Text] = t.At
	}
	place := map[string]int{}
	for i, d := range panel {
		key := joinedValues(d, told)
		s, known := place[key]
		if !known {
			s = len(c.Series)
			place[key] = s
			c.Series = append(c.Series, Series{Name: c.seriesName(d, told, p.names)})
			c.Looks = append(c.Looks, d.System)
		}
		points[i].X = at[d.of(p.along)]
		c.Series[s].Points = append(c.Series[s].Points, points[i])
	}
	for _, s := range c.Series {
		slices.SortStableFunc(s.Points, func(a, b Point) int {
			if a.X < b.X {
				return -1
			} else if a.X > b.X {
				return 1
			}
			return 0
		})
	}
}

// seriesName is the values that tell a series: of labels as they are or, where
// names are given, as the system is called; of axes with their name.
func (c *Chart) seriesName(d dot, told []string, names map[bench.Key]string) string {
	var parts []string
	for _, name := range told {
		v := d.of(name)
		_, isLabel := bench.Lookup(d.Labels, name)
		if system := names[systemKey(d.cell)]; isLabel && system != "" {
			if !slices.Contains(parts, system) {
				parts = append(parts, system)
			}
			continue
		}
		if !isLabel && name != "driver" && name != "protocol" && name != "file" {
			v = strings.ToLower(sentence(name)) + " " + v
		}
		parts = append(parts, v)
	}
	if len(parts) == 0 {
		return c.YLabel
	}
	return strings.Join(parts, ", ")
}

// wide reports whether values span so many times their least that only a
// logarithmic scale shows them all. What nothing measures is never on one.
func wide(values []float64, times float64) bool {
	if len(values) == 0 {
		return false
	}
	least, most := slices.Min(values), slices.Max(values)
	return least > 1e-15 && most < 1e18 && most/least >= times
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
