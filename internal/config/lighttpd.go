package config

import (
	"fmt"
	"regexp"
	"strings"
)

// lighttpdSyntax is that of lighttpd: an assignment a line, or several lines within
// parentheses, and blocks behind conditions.
type lighttpdSyntax struct {
	vars map[string]string // names whose values are plain texts
}

// lighttpdParser is at a place of a source.
type lighttpdParser struct {
	src  string
	file string
	pos  int
	line int
}

func (s *lighttpdSyntax) parse(src, file string) ([]*node, error) {
	p := &lighttpdParser{src: src, file: file, line: 1}
	nodes, err := p.block(0)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", Place{file, p.line}, err)
	}
	return nodes, nil
}

func (p *lighttpdParser) block(depth int) (nodes []*node, err error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d blocks stand within each other", maxDepth)
	}
	for {
		at := Place{p.file, p.line}
		text, end, err := p.statement()
		if err != nil {
			return nil, err
		}
		at.Line += strings.Count(text[:len(text)-len(strings.TrimLeft(text, " \t\r\n"))], "\n")
		text = strings.TrimSpace(text)
		n := &node{text: text, words: lighttpdWords(text), at: at}
		switch {
		case end == '{':
			n.open = true
			if n.body, err = p.block(depth + 1); err != nil {
				return nil, err
			}
			nodes = append(nodes, n)
			continue
		case text != "":
			nodes = append(nodes, n)
		}
		switch {
		case end == '}' && depth == 0:
			return nil, fmt.Errorf("unexpected }")
		case end == 0 && depth > 0:
			return nil, fmt.Errorf("the file ends within a block: a } is missing")
		case end == '}' || end == 0:
			return nodes, nil
		}
	}
}

// statement reads up to the end of a line outside of parentheses, to a brace, or
// to the end of the file, which is 0. Comments are left out.
func (p *lighttpdParser) statement() (text string, end byte, err error) {
	var b strings.Builder
	for deep := 0; p.pos < len(p.src); p.pos++ {
		c := p.src[p.pos]
		switch c {
		case '#':
			for p.pos+1 < len(p.src) && p.src[p.pos+1] != '\n' {
				p.pos++
			}
			continue
		case '"', '\'':
			literal, err := p.literal(c)
			if err != nil {
				return "", 0, err
			}
			b.WriteString(literal)
			continue
		case '(':
			deep++
		case ')':
			deep--
		case '{', '}':
			p.pos++
			return b.String(), c, nil
		case '\n':
			p.line++
			if deep <= 0 && strings.TrimSpace(b.String()) != "" {
				p.pos++
				return b.String(), c, nil
			}
		}
		b.WriteByte(c)
	}
	return b.String(), 0, nil
}

// literal reads a text in quotes and leaves p at its last byte.
func (p *lighttpdParser) literal(quote byte) (string, error) {
	start := p.pos
	for p.pos++; p.pos < len(p.src); p.pos++ {
		switch p.src[p.pos] {
		case '\\':
			p.pos++
		case '\n':
			p.line++
		case quote:
			return p.src[start : p.pos+1], nil
		}
	}
	return "", fmt.Errorf("a quote is not closed")
}

// assignment matches the beginning of one.
var assignment = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_.-]*)\s*(\+=|:=|=)\s*`)

// lighttpdWords are of an assignment its name, operator and value; of an include
// its name and what it includes; of all else the text.
func lighttpdWords(text string) []string {
	if m := assignment.FindStringSubmatch(text); m != nil {
		return []string{m[1], m[2], text[len(m[0]):]}
	}
	for _, name := range []string{"include", "include_shell"} {
		if rest, ok := strings.CutPrefix(text, name); ok && strings.TrimLeft(rest, " \t\"'") != rest {
			return []string{name, strings.TrimSpace(rest)}
		}
	}
	return []string{text}
}

func (s *lighttpdSyntax) include(n *node) (pattern string, optional, ok bool) {
	switch {
	case n.open:
	case len(n.words) == 3:
		if value, known := s.value(n.words[2]); known && n.words[1] != "+=" {
			s.vars[strings.TrimPrefix(n.words[0], "var.")] = value
		}
	case n.name() == "include":
		if path, known := s.value(n.arg(1)); known {
			return path, false, true
		}
	}
	return "", false, false
}

// term matches a text in quotes or a name at the beginning of an expression.
var term = regexp.MustCompile(`^\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z_][A-Za-z0-9_.-]*)|([0-9]+))\s*(\+|$)`)

// value is a text put together of texts and names of them; false where it is more
// than that.
func (s *lighttpdSyntax) value(expression string) (value string, known bool) {
	for {
		m := term.FindStringSubmatch(expression)
		if m == nil {
			return "", false
		}
		part := m[1] + m[2] + m[4]
		if m[3] != "" {
			v, ok := s.vars[strings.TrimPrefix(m[3], "var.")]
			if !ok {
				return "", false
			}
			part = v
		}
		value += part
		if m[5] == "" {
			return value, true
		}
		expression = expression[len(m[0]):]
	}
}

func (s *lighttpdSyntax) write(to *lines, nodes []*node) {
	for _, n := range nodes {
		if !n.open {
			to.add(n.text, n.at)
			continue
		}
		to.add(n.text+" {", n.at)
		to.depth++
		s.write(to, n.body)
		to.depth--
		to.add("}", Place{})
	}
}
