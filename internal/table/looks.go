package table

import (
	"cmp"
	"slices"

	"matrix/internal/bench"
)

// worn is a name that series of a page have.
type worn struct {
	name   string
	rank   int // systems are before what is more than a system, bars last
	system int // of the first such series
}

// dress turns the systems in the Looks of all charts of a page into looks: a name
// has its own in all of them as long as there are no more names than looks. Of
// more, those of one chart at least look different.
func (b *builder) dress(groups []ChartGroup) {
	systems := map[int]string{}
	prose := newNamer(b.info.Plan, b.g.cells).prose
	ranks := map[string]int{}
	for _, c := range b.g.cells {
		systems[c.System] = prose[systemKey(c)]
		ranks[systems[c.System]] = 0
	}
	names := namesWorn(groups, systems, ranks)
	place := make(map[string]int, len(names))
	for i, w := range names {
		place[w.name] = i
	}
	for _, g := range groups {
		for i := range g.Charts {
			c := &g.Charts[i]
			own := make([]int, len(c.Series))
			for s := range c.Series {
				own[s] = place[c.wears(s, systems)]
			}
			c.Looks = looks(own)
		}
	}
}

// namesWorn lists the names of all series, those first that have the first look.
func namesWorn(groups []ChartGroup, systems map[int]string, ranks map[string]int) (names []worn) {
	place := map[string]int{}
	for _, g := range groups {
		for i := range g.Charts {
			c := &g.Charts[i]
			for s := range c.Series {
				w := worn{c.wears(s, systems), 1, c.Looks[s]}
				if c.Kind == bench.Bars {
					w.rank = 2
				}
				if rank, known := ranks[w.name]; known {
					w.rank = rank
				}
				at, met := place[w.name]
				if !met {
					place[w.name] = len(names)
					names = append(names, w)
					continue
				}
				names[at].rank = min(names[at].rank, w.rank)
			}
		}
	}
	slices.SortStableFunc(names, func(x, y worn) int { return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(x.system, y.system)) })
	return names
}

// wears is the name that the look of a series is of: where a line is the only one,
// and so is called by its metric, its system.
func (c *Chart) wears(series int, systems map[int]string) string {
	name := c.Series[series].Name
	if system := systems[c.Looks[series]]; name == c.YLabel && c.Kind == bench.Lines && system != "" {
		return system
	}
	return name
}

// looks is those of series with these places among all names; nil where each has
// that of its place in the chart, or two would look alike.
func looks(places []int) (list []int) {
	byPlace := true
	for i, s := range places {
		look := s % MaxSeries
		if look < 0 || slices.Contains(list, look) {
			return nil
		}
		byPlace = byPlace && look == i
		list = append(list, look)
	}
	if byPlace {
		return nil
	}
	return list
}
