package table

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"matrix/internal/bench"
)

// maxName is how many characters of a system's name a sentence takes.
const maxName = 60

// namer calls systems by those of their labels that tell them apart.
type namer struct {
	told  []string             // names of these labels
	prose map[bench.Key]string // by systemKey: "FreeBSD 4.2 (Kernel Tweaked? No)", as it stands in a sentence
}

// systemKey is the identity of a cell's system.
func systemKey(c cell) bench.Key { return bench.KeyOf(c.Labels) }

// newNamer names the systems of cells, which have at least one.
func newNamer(p bench.Plan, cells []cell) namer {
	n := namer{prose: map[bench.Key]string{}}
	one := systemsOf(cells)
	dots := make([]dot, len(one))
	for i, c := range one {
		dots[i] = dot{c, c.Labels}
	}
	all := labelNames(p, cells)
	for _, name := range all {
		if !follows(dots, name, n.told) {
			n.told = append(n.told, name)
		}
	}
	if len(n.told) == 0 { // a single system is called by its first label
		n.told = all[:min(len(all), 1)]
	}
	for i, c := range one {
		n.prose[systemKey(c)] = n.sentence(c, i, one)
	}
	return n
}

// systemsOf is a cell of each system, in order of first appearance.
func systemsOf(cells []cell) (one []cell) {
	seen := map[bench.Key]bool{}
	for _, c := range cells {
		if k := systemKey(c); !seen[k] {
			seen[k] = true
			one = append(one, c)
		}
	}
	return one
}

// of is a system as charts and columns call it: "FreeBSD 4.2, No".
func (n namer) of(c cell) string {
	var parts []string
	for _, l := range c.Labels {
		if slices.Contains(n.told, l.Name) {
			parts = append(parts, l.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// sentence is a system as a sentence calls it, without the labels that those
// before them make needless.
func (n namer) sentence(c cell, place int, all []cell) string {
	var lead string
	var more []string
	rivals := all
	for _, name := range n.told {
		if len(rivals) == 1 && lead != "" {
			break
		}
		v, _ := bench.Lookup(c.Labels, name)
		rivals = slices.DeleteFunc(slices.Clone(rivals), func(o cell) bool { w, _ := bench.Lookup(o.Labels, name); return w != v })
		switch {
		case v == "":
		case lead == "" && bare(v):
			lead = name + " " + v
		case lead == "":
			lead = v
		default:
			more = append(more, valueOf(name, v))
		}
	}
	if lead == "" {
		return fmt.Sprintf("system %d", place+1)
	}
	if len(more) > 0 {
		lead += " (" + strings.Join(more, ", ") + ")"
	}
	return clip(lead, maxName)
}

// valueOf puts the name of a label before a value that says nothing alone, such
// as a number or "No".
func valueOf(name, v string) string {
	letters := strings.Count(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return 'x'
		}
		return -1
	}, v), "x")
	if letters > 3 {
		return v
	}
	return name + " " + v
}

// bare reports whether a value says nothing without the name of its label, even
// where it is all that a system is called by.
func bare(v string) bool {
	switch strings.ToLower(v) {
	case "yes", "no", "on", "off", "true", "false":
		return true
	}
	return !strings.ContainsFunc(v, unicode.IsLetter)
}

// enumerate joins texts as a sentence does: "a, b and c".
func enumerate(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}
