package config

import (
	"fmt"
	"strings"
)

// nginxSyntax is that of nginx: words that end in ; or open a block.
type nginxSyntax struct{}

// nginxParser is at a place of a source.
type nginxParser struct {
	src  string
	file string
	pos  int
	line int
}

func (nginxSyntax) parse(src, file string) ([]*node, error) {
	p := &nginxParser{src: src, file: file, line: 1}
	nodes, err := p.block(0)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", Place{file, p.line}, err)
	}
	return nodes, nil
}

func (p *nginxParser) block(depth int) (nodes []*node, err error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d blocks stand within each other", maxDepth)
	}
	var words, raw []string
	var at Place
	for {
		word, text, end, err := p.token()
		if err != nil {
			return nil, err
		}
		if text != "" {
			if len(words) == 0 {
				at = Place{p.file, p.line}
			}
			words, raw = append(words, word), append(raw, text)
		}
		n := &node{words: words, raws: raw, text: strings.Join(raw, " "), at: at}
		switch end {
		case ' ':
			continue
		case ';', '{':
			if len(words) == 0 {
				return nil, fmt.Errorf("unexpected %q", string(end))
			}
			if end == '{' {
				if err := p.within(n, depth); err != nil {
					return nil, err
				}
			}
			nodes = append(nodes, n)
			words, raw = nil, nil
		case '}', 0:
			switch {
			case len(words) > 0:
				return nil, fmt.Errorf("%q is not ended by a ;", strings.Join(words, " "))
			case end == 0 && depth > 0:
				return nil, fmt.Errorf("the file ends within a block: a } is missing")
			case end == '}' && depth == 0:
				return nil, fmt.Errorf("unexpected }")
			}
			return nodes, nil
		}
	}
}

// within reads the body of a block.
func (p *nginxParser) within(n *node, depth int) (err error) {
	n.open = true
	if strings.HasSuffix(n.name(), "_by_lua_block") {
		n.raw, err = p.lua()
		return err
	}
	n.body, err = p.block(depth + 1)
	return err
}

// lua skips a body in Lua to the brace that ends it.
func (p *nginxParser) lua() (string, error) {
	start, depth := p.pos, 1
	for ; p.pos < len(p.src); p.pos++ {
		switch c := p.src[p.pos]; c {
		case '\n':
			p.line++
		case '-':
			if end := strings.IndexByte(p.src[p.pos:], '\n'); end > 0 && strings.HasPrefix(p.src[p.pos:], "--") {
				p.pos += end - 1
			}
		case '"', '\'':
			if end := strings.IndexAny(p.src[p.pos+1:], string(c)+"\n"); end >= 0 && p.src[p.pos+1+end] == c {
				p.pos += end + 1
			}
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				p.pos++
				return p.src[start : p.pos-1], nil
			}
		}
	}
	return "", fmt.Errorf("the file ends within a block of Lua: a } is missing")
}

// token reads a word, and what ends it: ' ', ';', '{', '}' or 0 at the end of the
// file. text is the word as written, quotes included; "" is none.
func (p *nginxParser) token() (word, text string, end byte, err error) {
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		switch {
		case c == '\n':
			p.line++
			p.pos++
		case c == ' ' || c == '\t' || c == '\r':
			p.pos++
		case c == '#':
			for p.pos < len(p.src) && p.src[p.pos] != '\n' {
				p.pos++
			}
		case c == ';' || c == '{' || c == '}':
			p.pos++
			return "", "", c, nil
		case c == '"' || c == '\'':
			return p.quoted(c)
		default:
			word, text = p.bare()
			return word, text, ' ', nil
		}
	}
	return "", "", 0, nil
}

// bare reads a word without quotes. A brace behind a dollar sign belongs to it.
func (p *nginxParser) bare() (word, text string) {
	start := p.pos
	var b strings.Builder
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		if strings.IndexByte(" \t\r\n;", c) >= 0 || c == '{' && (p.pos == start || p.src[p.pos-1] != '$') {
			break
		}
		if c == '\\' && p.pos+1 < len(p.src) {
			p.pos++
			if c = p.src[p.pos]; c == '\n' {
				p.line++
			}
			b.WriteString(unescaped(c))
			p.pos++
			continue
		}
		b.WriteByte(c)
		p.pos++
	}
	return b.String(), p.src[start:p.pos]
}

// unescaped is what nginx makes of a backslash and a byte: quotes and backslashes
// lose theirs, all else, such as in \., keeps it.
func unescaped(c byte) string {
	if c == '"' || c == '\'' || c == '\\' {
		return string(c)
	}
	return `\` + string(c)
}

func (p *nginxParser) quoted(quote byte) (word, text string, end byte, err error) {
	start, line := p.pos, p.line
	var b strings.Builder
	for p.pos++; p.pos < len(p.src); p.pos++ {
		c := p.src[p.pos]
		if c == quote {
			p.pos++
			return b.String(), p.src[start:p.pos], ' ', nil
		}
		if c == '\\' && p.pos+1 < len(p.src) {
			p.pos++
			if c = p.src[p.pos]; c == '\n' {
				p.line++
			}
			b.WriteString(unescaped(c))
			continue
		}
		if c == '\n' {
			p.line++
		}
		b.WriteByte(c)
	}
	p.line = line
	return "", "", 0, fmt.Errorf("a quote is not closed")
}

func (nginxSyntax) include(n *node) (pattern string, optional, ok bool) {
	return n.arg(1), false, n.name() == "include" && len(n.words) == 2 && !n.open
}

func (s nginxSyntax) write(to *lines, nodes []*node) {
	for _, n := range nodes {
		switch {
		case !n.open && len(n.words) == 0: // lines of the author's
			to.add(n.text, n.at)
		case !n.open:
			to.add(n.text+";", n.at)
		case n.raw != "":
			to.add(n.text+" {"+n.raw+"}", n.at)
		default:
			to.add(n.text+" {", n.at)
			to.depth++
			s.write(to, n.body)
			to.depth--
			to.add("}", Place{})
		}
	}
}
