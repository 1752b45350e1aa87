package transcript

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// sightings are the marks of a text, in order. In each stretch that begins with
// a banner lines may be joined or not, since a text may hold both.
func (d dialect) sightings(text string) (all []sighting) {
	from := 0
	for _, to := range append(d.stretches(text), len(text)) {
		words := d.lexicon(d.joined != nil && d.joined(text[from:to]))
		for from < to {
			end := to
			if n := strings.IndexByte(text[from:to], '\n'); n >= 0 {
				end = from + n
			}
			all = append(all, d.inLine(words, text, from, end)...)
			from = end + 1
		}
		from = to
	}
	return all
}

// stretches are where in a text runs surely begin.
func (d dialect) stretches(text string) (at []int) {
	if d.joined == nil {
		return nil
	}
	for _, m := range d.banner().FindAllStringIndex(text, -1) {
		at = append(at, m[0])
	}
	return at
}

// commandLine marks where the tool is called.
var commandLine = &mark{name: "command", is: call, rank: -1}

// inLine are the marks that begin in the line text[from:end]. The value of a
// label may stand on the next line that is not blank.
func (d dialect) inLine(words []word, text string, from, end int) (all []sighting) {
	const further = 256 // bytes to find that value in
	line := text[from:end]
	for _, w := range words {
		if !strings.Contains(line, w.sign) {
			continue
		}
		window := text[from:min(end+further, len(text))]
		for _, at := range w.pattern.FindAllStringSubmatchIndex(window, -1) {
			s := w.sighting(window, at)
			if s.from >= len(line) {
				break
			}
			if !plausible(window, s) {
				continue
			}
			s.shift(from)
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b sighting) int { return a.from - b.from })
	last := 0
	all = slices.DeleteFunc(all, func(s sighting) bool {
		if s.from < last {
			return true // the same words, taken for another line
		}
		last = s.to
		return false
	})
	if d.called(line) {
		if len(all) > 0 {
			end = from // the lines were joined, or this is of another program
		}
		all = slices.Insert(all, 0, sighting{mark: commandLine, from: from, to: end})
	}
	return all
}

// called reports whether a line calls the tool with a flag of its own.
func (d dialect) called(line string) bool {
	if !strings.ContainsAny(line, "-–—−") {
		return false
	}
	_, called := d.commandIn(line)
	return called
}

// sighting is what the word's pattern found.
func (w word) sighting(text string, at []int) sighting {
	s := sighting{mark: w.mark, from: at[0], to: at[1]}
	s.from += max(strings.IndexFunc(text[s.from:s.to], begins), 0) // what parts it from the words before is not of it
	if sign := s.from - 1; sign >= at[0] && text[sign] == '-' && unicode.IsDigit(rune(text[s.from])) {
		s.from = sign
	}
	for i, letter := range w.holes {
		from, to := at[2*i+2], at[2*i+3]
		switch {
		case from < 0 || strings.Trim(text[from:to], "+-naif") == "":
			// it is not there, or is no number
		case letter == 'r':
			for _, n := range manyAmounts().FindAllStringIndex(text[from:to], -1) {
				s.numbers = append(s.numbers, number{from + n[0], from + n[1], false, true})
			}
		default:
			whole := letter == 'n' || letter == 'c' && !strings.ContainsAny(text[from:to], ".eE")
			s.numbers = append(s.numbers, number{from, to, whole, s.is == row})
		}
	}
	return s
}

func (s *sighting) shift(by int) {
	s.from, s.to = s.from+by, s.to+by
	for i := range s.numbers {
		s.numbers[i].from, s.numbers[i].to = s.numbers[i].from+by, s.numbers[i].to+by
	}
}

// begins reports whether a mark may begin with the character.
func begins(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// plausible reports whether a sighting is more than prose: a letter that goes on
// with its last number makes it that.
func plausible(text string, s sighting) bool {
	n := len(s.numbers)
	return n == 0 || s.numbers[n-1].to != s.to || ended(text, s.to)
}

// legible writes every number of the marks without what groups its digits, and
// gives the marks of the text that comes of it. A number that cannot be read in
// full makes the text unreadable: part of it would be another number.
func (d dialect) legible(text string) (string, []sighting, error) {
	all := d.sightings(text)
	grouping := false
	for _, s := range all {
		for _, n := range s.numbers {
			digits := text[n.from:n.to]
			grouping = grouping || thousands().MatchString(digits) || n.whole && strings.Contains(digits, ",")
		}
	}
	var out strings.Builder
	at := 0
	for _, s := range all {
		for _, n := range s.numbers {
			digits := text[n.from:n.to]
			written, ok := plain(digits, n.whole, grouping)
			line, name := 1+strings.Count(text[:n.from], "\n"), strings.TrimSuffix(s.name, ":")
			switch {
			case !ok || !n.inRow && apart(text, n.from, n.to):
				return "", nil, Unreadable{line, fmt.Sprintf("%s is %s, which %s", name, around(text, n.from, n.to), why(n.whole))}
			case s.label && n.to == s.to && another(text[n.to:]):
				return "", nil, Unreadable{line, fmt.Sprintf("%s is %s, and another number follows: reports side by side cannot be read", name, digits)}
			}
			if written != digits {
				out.WriteString(text[at:n.from])
				out.WriteString(written)
				at = n.to
			}
		}
	}
	if at == 0 {
		return text, all, nil
	}
	out.WriteString(text[at:])
	return out.String(), d.sightings(out.String()), nil
}

// another reports whether a second number follows, as in the columns of two
// reports side by side.
func another(text string) bool {
	rest := strings.TrimLeft(text, " \t")
	return len(rest) < len(text) && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

func why(whole bool) string {
	if whole {
		return "is no count"
	}
	return "is no number, or could be two"
}

// around is a number with the groups of digits that stand beside it.
func around(text string, from, to int) string {
	const most = 40
	of := func(i int) bool {
		return i >= 0 && i < len(text) && to-from < most && strings.IndexByte("0123456789 .,'", text[i]) >= 0
	}
	for of(to) && !(text[to] == ' ' && !(of(to+1) && text[to+1] != ' ')) {
		to++
	}
	for of(from-1) && !(text[from-1] == ' ' && !(of(from-2) && text[from-2] != ' ')) {
		from--
	}
	return strings.Trim(text[from:to], " .,")
}
