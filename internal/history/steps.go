package history

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"matrix/internal/stats"
)

const usualAlpha = 0.05

// findSteps finds the steps of every series. Of hundreds of series some would
// show one by chance, so that after a first look at each the level of chance is
// set for all of them together: by Benjamini and Hochberg, on the clearest step
// of each. That level is the share of alpha that the number of series with such
// a step entitles to, and not the P of the least clear of them: a level that
// came and went is clear within a part of the series, and its two steps less so.
func (h *History) findSteps() {
	alpha := h.options.Alpha
	if alpha == 0 {
		alpha = usualAlpha
	}
	h.eachSeries(func(s *Series) { s.find(alpha, 0) })
	p := make([]float64, len(h.Series))
	for i, s := range h.Series {
		p[i] = s.clearest()
	}
	clear := 0
	for _, q := range stats.Adjust(p) {
		if q <= alpha {
			clear++
		}
	}
	h.need(alpha / float64(max(len(p), 1)))
	level := alpha * float64(clear) / float64(max(len(p), 1))
	h.eachSeries(func(s *Series) {
		if len(s.Steps) > 0 { // a lower level finds none where there are none
			s.find(level, h.options.Least)
		}
	})
}

// need fills in how many runs it takes; sections share the chance, as in find.
func (h *History) need(alpha float64) {
	needed := map[int]int{}
	for i := range h.Series {
		s := &h.Series[i]
		n := max(s.longSections(), 1)
		if needed[n] == 0 {
			needed[n] = stats.FewestForStep(alpha / float64(n))
		}
		s.Needed = needed[n]
	}
}

// longSections counts the sections that are long enough for a step.
func (s *Series) longSections() (n int) {
	from := 0
	for _, to := range append(slices.Clone(s.Sections), len(s.Values)) {
		if to-from >= 2*stats.Stay {
			n++
		}
		from = to
	}
	return n
}

// untold reports whether the cell has too few runs to tell whether its level
// moved, and shows no step.
func (s *Series) untold() bool {
	from := 0
	if len(s.Sections) > 0 {
		from = s.Sections[len(s.Sections)-1]
	}
	n := 0
	for _, v := range s.Values[from:] {
		if v != nil {
			n++
		}
	}
	return len(s.Steps) == 0 && n < s.Needed
}

// eachSeries does something with every series, several at a time.
func (h *History) eachSeries(do func(*Series)) {
	workers := min(runtime.GOMAXPROCS(0), max(len(h.Series), 1))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w; i < len(h.Series); i += workers {
				do(&h.Series[i])
			}
		})
	}
	wait.Wait()
}

// find fills in the steps of each section of s. The sections that are long
// enough for a step share alpha, and P is that of all of them.
func (s *Series) find(alpha, least float64) {
	s.Steps = nil
	share := float64(max(s.longSections(), 1))
	from := 0
	for _, to := range append(slices.Clone(s.Sections), len(s.Values)) {
		for _, step := range stats.Steps(s.section(from, to), stats.StepOptions{Alpha: alpha / share, Least: least}) {
			step.At += from
			if step.Recent && to < len(s.Values) { // recent is what came last of all
				continue
			}
			if !step.Recent {
				step.P *= share
			}
			s.Steps = append(s.Steps, step)
		}
		from = to
	}
}

// section is the values of some runs, as stats.Steps takes them.
func (s *Series) section(from, to int) []float64 {
	v := make([]float64, to-from)
	for i := range v {
		v[i] = math.NaN()
		if p := s.Values[from+i]; p != nil {
			v[i] = *p
		}
	}
	return v
}

// clearest is the least P of the steps that are not merely recent; 1 for none.
func (s *Series) clearest() float64 {
	p := 1.0
	for _, step := range s.Steps {
		if !step.Recent {
			p = min(p, step.P)
		}
	}
	return p
}
