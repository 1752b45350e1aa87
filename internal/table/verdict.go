package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/stats"
	"matrix/internal/unit"
)

const (
	maxSentences = 6
	fewSystems   = 2 // named in a sentence of their own; more are counted
)

// verdict says in a few sentences what a run found: who is the fastest in
// requests per second, by how much and where, and where each system failed. The
// first stands alone.
func (b *builder) verdict() []string {
	if len(b.g.cells) == 0 {
		return []string{"Nothing was measured yet."}
	}
	s := b.standing()
	said := []string{s.first()}
	said = append(said, s.greatest()...)
	said = append(said, b.untried()...)
	said = append(said, s.elsewhere()...)
	said = append(said, s.slowest()...)
	said = append(said, b.against(s)...)
	said = append(said, s.failures()...)
	said = append(said, s.losses()...)
	said = append(said, s.lapses()...)
	return said[:min(len(said), maxSentences)]
}

// first is the sentence that stands alone.
func (s *standing) first() string {
	switch {
	case s.nothing:
		return s.none()
	case len(s.systems) == 1 || s.alone:
		return s.extent()
	case s.points == 0:
		return "The systems cannot be compared: no point was measured on two of them."
	case s.few == s.points:
		return s.tooFew()
	}
	ahead := s.ahead()
	if len(ahead) == 0 {
		return s.undecided()
	}
	names := make([]string, len(ahead))
	for i, c := range ahead {
		names[i] = c.name
	}
	var text strings.Builder
	text.WriteString(enumerate(names))
	wins := len(ahead[0].wins)
	switch {
	case s.points == 1:
		text.WriteString(" is " + s.lead(ahead[0]) + s.only())
	case len(ahead) > 1:
		fmt.Fprintf(&text, " are each %s%s", s.comparative(), ofPoints(wins, s.points))
	default:
		fmt.Fprintf(&text, " is %s%s", s.comparative(), ofPoints(wins, s.points))
		if lead := s.lead(ahead[0]); lead != "" {
			text.WriteString(", in the median " + lead)
		}
	}
	return text.String() + s.ties() + "."
}

// comparative is what the system ahead is: of two, faster.
func (s *standing) comparative() string {
	if len(s.systems) == 2 {
		return "faster"
	}
	return "the fastest"
}

func ofPoints(n, of int) string {
	switch {
	case n < of:
		return fmt.Sprintf(" at %d of %d points", n, of)
	case of == 2:
		return " at both points"
	default:
		return fmt.Sprintf(" at all %d points", of)
	}
}

// lead says how much faster than the next a system is where it wins.
func (s *standing) lead(c *contestant) string {
	r, ok := c.lead()
	if !ok {
		return s.comparative()
	}
	next := "the next"
	switch {
	case len(s.systems) == 2:
		next = c.next
	case s.points == 1:
		next += ", " + c.next
	}
	return timesAsFast(r) + " " + next
}

// timesAsFast tells a ratio of 1 or more: "3.2 % faster than", "1.4 times as
// fast as".
func timesAsFast(r float64) string {
	percent := (r - 1) * 100
	switch {
	case percent < 0.05:
		return "less than 0.1 % faster than"
	case percent < 9.95:
		return strconv.FormatFloat(percent, 'f', 1, 64) + " % faster than"
	}
	return ratioText(r) + " times as fast as"
}

// ratioText writes a ratio with two digits, near 1 with two decimals.
func ratioText(r float64) string {
	switch {
	case r >= 9.95 || r <= 0:
		return strconv.FormatFloat(r, 'f', 0, 64)
	case r > 1.095:
		return strconv.FormatFloat(r, 'f', 1, 64)
	case r >= 0.0995:
		return strconv.FormatFloat(r, 'f', 2, 64)
	}
	return strconv.FormatFloat(r, 'g', 2, 64)
}

// only says that the one point of comparison is not all that was measured.
func (s *standing) only() string {
	for _, c := range s.systems {
		if len(c.cells) > 1 {
			return " at the only point with figures of two systems"
		}
	}
	return ""
}

// none is the first sentence where nothing could be measured.
func (s *standing) none() string {
	n, failed := 0, 0
	for _, c := range s.systems {
		n, failed = n+len(c.cells), failed+len(c.failed)
	}
	switch {
	case failed < n:
		return "No requests per second were measured."
	case n == 1:
		return "The one cell could not be measured."
	}
	return fmt.Sprintf("None of the %d cells could be measured.", n)
}

// extent is the first sentence where only one system was measured.
func (s *standing) extent() string {
	only := slices.IndexFunc(s.systems, func(c *contestant) bool { return len(c.cells) > len(c.failed) })
	c := s.systems[max(only, 0)]
	plain := unit.Scale{Factor: 1}
	span := plain.Format(s.least) + " requests per second"
	if s.most > s.least {
		span = plain.Format(s.least) + " to " + plain.Format(s.most) + " requests per second"
	}
	if n := len(c.cells) - len(c.failed); n > 1 {
		span += " over " + unit.Counted(n, "point")
	}
	if s.printed {
		span += ", as printed"
	}
	if len(s.systems) > 1 {
		return fmt.Sprintf("Of %d systems only %s could be measured: %s.", len(s.systems), c.name, span)
	}
	return fmt.Sprintf("%s makes %s.", c.name, span)
}

// elsewhere names the points where others than those ahead are the fastest.
func (s *standing) elsewhere() (said []string) {
	if s.points < 2 {
		return nil
	}
	ahead := s.ahead()
	others := slices.DeleteFunc(slices.Clone(s.systems), func(c *contestant) bool {
		return len(c.wins) == 0 || slices.Contains(ahead, c) && len(ahead) == 1
	})
	slices.SortStableFunc(others, func(x, y *contestant) int { return len(y.wins) - len(x.wins) })
	rest := 0
	for i, c := range others {
		if i < fewSystems {
			said = append(said, fmt.Sprintf("%s is %s%s.", c.name, s.comparative(), s.place.list(c.wins, c.met)))
			continue
		}
		rest += len(c.wins)
	}
	if more := len(others) - fewSystems; more > 0 {
		said = append(said, fmt.Sprintf("%s the fastest at %s.", numbered(more, "more system is", "more systems are"), unit.Counted(rest, "point")))
	}
	return said
}

// numbered puts a number before the form of a word that goes with it.
func numbered(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// slowest names the last of three systems or more, where it is told apart from
// all others at most of the points that all of them were measured at.
func (s *standing) slowest() []string {
	compared := 0
	for _, c := range s.systems {
		if len(c.met) > 0 {
			compared++
		}
	}
	if compared < 3 {
		return nil
	}
	losses, of := map[*contestant][]float64{}, 0
	for _, e := range s.ends {
		if len(e.of) < compared {
			continue
		}
		of++
		if e.last && e.share > 0 {
			last := e.of[len(e.of)-1]
			losses[last] = append(losses[last], e.share)
		}
	}
	for _, c := range s.systems {
		r, ok := stats.GeometricMean(losses[c])
		switch n := len(losses[c]); {
		case !ok || 2*n <= of:
		case s.points == 1:
			return []string{fmt.Sprintf("%s is the slowest, at %s times the fastest.", c.name, ratioText(r))}
		default:
			return []string{fmt.Sprintf("%s is the slowest %s: %s times the fastest, in the geometric mean.", c.name, s.among(n, of, compared), ratioText(r))}
		}
	}
	return nil
}

// among says at how many of the points something holds where so many systems
// can be compared.
func (s *standing) among(n, of, systems int) string {
	where := ""
	switch {
	case of < s.points && systems == len(s.systems):
		where = fmt.Sprintf(" where all %d systems can be compared", systems)
	case of < s.points:
		where = fmt.Sprintf(" where %d systems can be compared", systems)
	}
	switch {
	case n < of:
		return fmt.Sprintf("at %d of %s%s", n, unit.Counted(of, "point"), where)
	case of == 1:
		return "at the one point" + where
	case of == 2:
		return "at both points" + where
	}
	return fmt.Sprintf("at all %d points%s", of, where)
}
