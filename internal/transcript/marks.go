package transcript

import (
	"regexp"
	"strings"
	"sync"
)

// mark is a line that a report of a tool has once. Marks cut a text into its
// reports, tell what of a report is missing, and know which numbers it has.
type mark struct {
	name string // how the line is called in messages, and told from the others
	is   role

	// text is how the line is printed, as a regular expression in which {n} is a
	// count, {c} a count that may be written as 1e+06 or 1.5k, {x} any other
	// number, and {r} a row of two numbers or more with their units.
	text string

	// sign is a piece of every such line, by which it is found; "" is the name.
	sign string

	// rank is the place of the line within a report: lines come in rising order.
	rank int

	// label is set of a line that counts only where it begins one, so that a
	// server cannot forge it within its own name. In a text whose lines are
	// joined it counts anywhere.
	label bool
}

// role is what a mark tells of the report that it is in.
type role int

const (
	figure  role = iota // something was measured, or set
	table               // so it was, in the lines that follow
	heading             // nothing, of itself
	begun               // a run of the tool began
	fresh               // as begun; and nothing before it belongs to the report
	ending              // the run came to its end without a report
	row                 // a row of a table: it has numbers to read, and marks nothing
	call                // the command line: what follows is another run
)

// The least ranks of the lines of a report, and of those with what was measured.
// What has a lower rank is printed while the run goes on.
const (
	reported = 10
	measured = 20
)

// sighting is a mark in a text.
type sighting struct {
	*mark
	from, to int // its bytes
	numbers  []number
}

// number is a number of a mark, and where in the text it stands.
type number struct {
	from, to int
	whole    bool
	inRow    bool // beside others
}

// word finds the lines of one mark.
type word struct {
	*mark
	pattern *regexp.Regexp
	holes   []byte // the letter of each of its groups
}

var (
	hole  = regexp.MustCompile(`\{[ncxr]\}`)
	holes = map[byte]string{
		'n': `(` + amount + `)`,
		'c': `(` + amount + `)`,
		'x': `(` + amount + `|[-+]?(?:nan|inf)\b)`,
		'r': `((?:[ \t]+[-+]?\d[^\s,;]*(?:,\d[^\s,;]*)*){2,})`,
	}
)

// lexicons makes the words of some marks when they are asked for: for text with
// its lines, and for joined lines.
func lexicons(marks []mark) func(joined bool) []word {
	make := func(label string) func() []word {
		return sync.OnceValue(func() (words []word) {
			for i := range marks {
				words = append(words, newWord(&marks[i], label))
			}
			return words
		})
	}
	lines, joined := make(`^[^\pL\pN\n]{0,64}?`), make(`\b`)
	return func(all bool) []word {
		if all {
			return joined()
		}
		return lines()
	}
}

func newWord(m *mark, label string) word {
	w, text := word{mark: m}, m.text
	switch {
	case m.label:
		text = label + text
	case strings.HasPrefix(text, "{"):
		text = `(?:^|[^\pL\pN.,'’_+-])` + text
	}
	text = hole.ReplaceAllStringFunc(text, func(h string) string {
		w.holes = append(w.holes, h[1])
		return holes[h[1]]
	})
	w.pattern = regexp.MustCompile(`(?m)` + text)
	if m.sign == "" {
		m.sign = m.name
	}
	return w
}
