package history

import (
	"math"
	"strings"

	"matrix/internal/stats"
)

// mostGlyphs is how many runs stand beside each other; more share a glyph.
const mostGlyphs = 45

// leastRange is how much of the median the height of a sparkline is at least, so
// that noise looks like noise.
const leastRange = 0.1

const (
	bars    = "▁▂▃▄▅▆▇█"
	failed  = '×'
	another = '|' // the scenario asks for something else
)

// spark draws the values as one line of text, oldest first. A run without a
// value is a space, or × when the cell failed in it.
func (s *Series) spark() string {
	low, high := s.height()
	var line strings.Builder
	for _, part := range s.parts() {
		if part.begins && line.Len() > 0 {
			line.WriteRune(another)
		}
		line.WriteRune(s.glyph(part, low, high))
	}
	return line.String()
}

// part is some neighbouring runs, from one up to another.
type part struct {
	from, to int
	begins   bool // a section begins here
}

// parts shares the runs out among the glyphs, none across a section.
func (s *Series) parts() (list []part) {
	each := (len(s.Values) + mostGlyphs - 1) / mostGlyphs
	from := 0
	begins := false
	for _, to := range append(append([]int{}, s.Sections...), len(s.Values)) {
		for ; from < to; from += each {
			list = append(list, part{from, min(from+each, to), begins})
			begins = false
		}
		from, begins = to, true
	}
	return list
}

func (s *Series) glyph(p part, low, high float64) rune {
	var values []float64
	fails := false
	for i := p.from; i < p.to; i++ {
		if v := s.Values[i]; v != nil {
			values = append(values, *v)
		}
		fails = fails || s.Values[i] == nil && s.States[i].Failed()
	}
	v, ok := stats.Median(values)
	switch {
	case !ok && fails:
		return failed
	case !ok:
		return ' '
	}
	steps := []rune(bars)
	i := int(math.Floor((v - low) / (high - low) * float64(len(steps))))
	return steps[max(min(i, len(steps)-1), 0)]
}

// height is what the lowest and the highest glyph stand for; high is above low.
func (s *Series) height() (low, high float64) {
	var all []float64
	for _, v := range s.Values {
		if v != nil {
			all = append(all, *v)
		}
	}
	sum, ok := stats.Summarise(all)
	if !ok {
		return 0, 1
	}
	low, high = sum.Min, sum.Max
	if least := math.Abs(sum.Median) * leastRange; high-low < least {
		middle := low/2 + high/2
		low, high = middle-least/2, middle+least/2
	}
	if !(high > low) { // all of them 0, or too great to tell apart
		return low - 1, low + 1
	}
	return low, high
}
