package transcript

import (
	"slices"
	"strings"
)

// part is a piece of a transcript that holds one run, or none.
type part struct {
	text  string // from the run's first mark on; all of it where there is none
	block string // of text, what stands up to the end of the line with its last mark
	line  int    // that text begins on, from 1
	at    int    // where in the whole text it begins

	marks  []sighting
	first  map[string]int // of the marks, by name, where in the whole text it is first
	last   bool           // no other part follows
	rest   string         // of the last part: the word behind it, which may have been longer
	quoted bool           // lines of it stand in the text again
}

// has reports whether a mark is there.
func (p part) has(name string) bool {
	_, ok := p.first[name]
	return ok
}

// behind is the text behind a mark.
func (p part) behind(name string) string {
	for _, m := range p.marks {
		if m.name == name {
			return p.text[m.to-p.at:]
		}
	}
	return ""
}

// reports reports whether a part has a line of a report with a figure.
func (p part) reports() bool {
	return slices.ContainsFunc(p.marks, func(s sighting) bool { return (s.is == figure || s.is == table) && s.rank >= reported })
}

// ended reports whether the tool said why it came to its end.
func (p part) ended() bool {
	return slices.ContainsFunc(p.marks, func(s sighting) bool { return s.is == ending })
}

// lastLine is the number of the last line of the block.
func (p part) lastLine() int { return p.line + lastLine(p.block) - 1 }

// runs cuts a text into its runs. A report ends where a line comes again that a
// report has once, where a line comes that stands further above in a report, and
// where the command of another run stands.
func (d dialect) runs(text string, marks []sighting) []part {
	var parts []part
	c := cutter{names: map[string]bool{}}
	for _, s := range marks {
		switch {
		case s.is == row:
			continue
		case c.ends(s):
			parts = append(parts, newPart(c.marks))
			c = cutter{names: map[string]bool{}}
		}
		c.add(s)
	}
	if len(c.marks) == 0 {
		return []part{{text: text, block: text, line: 1, last: true}}
	}
	parts = d.together(append(parts, newPart(c.marks)))
	line, at := 1, 0
	for i := range parts {
		p := &parts[i]
		line += strings.Count(text[at:p.at], "\n")
		p.line, at = line, p.at
		end := len(text)
		if i+1 < len(parts) {
			end = parts[i+1].marks[0].from
		}
		p.text = text[p.at:end]
		p.block = p.text
		last := max(p.marks[len(p.marks)-1].to-p.at, 0)
		if n := strings.IndexByte(p.text[last:], '\n'); n >= 0 {
			p.block = p.text[:last+n]
		}
	}
	parts[len(parts)-1].last = true
	return d.unquoted(parts)
}

// cutter collects the marks of one run.
type cutter struct {
	marks  []sighting
	names  map[string]bool
	rank   int  // highest yet
	strong bool // there is more than a command, or an error that may belong to what follows
}

// ends reports whether the run ended before a mark.
func (c cutter) ends(s sighting) bool {
	switch {
	case !c.strong:
		return false
	case s.is == call, s.is == fresh, c.names[s.name], s.rank < c.rank:
		return true
	}
	return s.is == ending && c.rank >= reported // it is of a run that comes
}

func (c *cutter) add(s sighting) {
	c.marks = append(c.marks, s)
	if s.is == call {
		return
	}
	c.names[s.name] = true
	if s.is != ending || c.strong {
		c.rank, c.strong = max(c.rank, s.rank), true
	}
}

// newPart makes a part of its marks. What stands before the first of them that
// is no command is not of its text.
func newPart(marks []sighting) part {
	p := part{marks: marks, first: map[string]int{}, at: -1}
	for _, m := range marks {
		if m.is == call {
			continue
		}
		if p.at < 0 {
			p.at = m.from
		}
		if !p.has(m.name) {
			p.first[m.name] = m.from
		}
	}
	if p.at < 0 {
		p.at = marks[len(marks)-1].to
	}
	return p
}

// together joins neighbours that are no reports, neither alone nor as one, and have
// no line in common: somebody showed lines of a report in an order of their own.
func (d dialect) together(parts []part) (joined []part) {
	for _, p := range parts {
		if len(joined) > 0 {
			last := &joined[len(joined)-1]
			both := newPart(slices.Concat(last.marks, p.marks))
			if p.marks[0].is == figure && last.reports() && len(both.first) == len(last.first)+len(p.first) && both.lacking(d.core...) != "" {
				*last = both
				continue
			}
		}
		joined = append(joined, p)
	}
	return joined
}

// unquoted leaves out the parts that only quote lines of a report near them, as
// prose does that explains a report. They say nothing of their own.
func (d dialect) unquoted(parts []part) []part {
	const near = 32 // parts
	said := make([]map[string]bool, len(parts))
	for i, p := range parts {
		said[i] = p.said()
	}
	var quotations []int
	for i := range parts {
		for j := max(i-near, 0); j < min(i+near, len(parts)); j++ {
			if len(said[j]) > len(said[i]) && d.mayQuote(parts[i]) && allIn(said[i], said[j]) {
				parts[j].quoted = true
				quotations = append(quotations, i)
				break
			}
		}
	}
	for _, i := range slices.Backward(quotations) {
		parts = slices.Delete(parts, i, i+1)
	}
	return parts
}

// mayQuote reports whether a part has measured figures, but neither all that make
// a report nor anything that a run of its own would print before them.
func (d dialect) mayQuote(p part) bool {
	measures := false
	if p.lacking(d.core...) == "" {
		return false
	}
	for _, m := range p.marks {
		if m.is == begun || m.is == fresh || m.is == ending {
			return false
		}
		measures = measures || m.is == figure && m.rank >= measured
	}
	return measures
}

// said is what the marks of a part say, in their words.
func (p part) said() map[string]bool {
	all := map[string]bool{}
	for _, m := range p.marks {
		if m.is != call {
			all[m.name+": "+strings.Join(strings.Fields(p.text[m.from-p.at:m.to-p.at]), " ")] = true
		}
	}
	return all
}

func allIn(some, all map[string]bool) bool {
	for s := range some {
		if !all[s] {
			return false
		}
	}
	return true
}
