package config

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// apacheSyntax is that of Apache httpd: a directive a line, sections in angle
// brackets, ${NAME} for what Define or the environment says.
type apacheSyntax struct {
	reader  *reader
	defined map[string]string
	environ map[string]string // of the file envvars beside the configuration
	asked   map[string]string // those of environ that were used
}

func newApacheSyntax(r *reader) *apacheSyntax {
	s := &apacheSyntax{reader: r, defined: map[string]string{}, environ: map[string]string{}, asked: map[string]string{}}
	for _, dir := range r.folders {
		if text, err := os.ReadFile(filepath.Join(dir, "envvars")); err == nil && len(text) < maxBytes {
			s.readEnviron(string(text))
			break
		}
	}
	return s
}

// exported matches a line of envvars. Values that the shell would have to work out
// otherwise than from other names are not known.
var exported = regexp.MustCompile("(?m)^\\s*(?:export\\s+)?([A-Za-z_][A-Za-z0-9_]*)=(\"[^\"`\n]*\"|'[^'\n]*'|[^\\s\"'`;]*)\\s*$")

// shellName matches a name in a value of the shell's.
var shellName = regexp.MustCompile(`\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))`)

func (s *apacheSyntax) readEnviron(text string) {
	for _, m := range exported.FindAllStringSubmatch(text, -1) {
		value := strings.Trim(m[2], `"'`)
		if strings.Contains(value, "$(") {
			continue
		}
		s.environ[m[1]] = shellName.ReplaceAllStringFunc(value, func(name string) string {
			return s.environ[strings.Trim(name, "${}")]
		})
	}
}

func (s *apacheSyntax) parse(src, file string) ([]*node, error) {
	all := &node{}
	open := []*node{all}
	rows := strings.Split(src, "\n")
	for i := 0; i < len(rows); i++ {
		at := Place{file, i + 1}
		text := strings.TrimSpace(rows[i])
		for strings.HasSuffix(text, `\`) && i+1 < len(rows) { // goes on in the next line
			i++
			text = strings.TrimSuffix(text, `\`) + " " + strings.TrimSpace(rows[i])
		}
		top := open[len(open)-1]
		switch {
		case text == "" || text[0] == '#':
		case strings.HasPrefix(text, "</"):
			name := strings.TrimSuffix(strings.TrimSpace(text[2:]), ">")
			if len(open) == 1 || !strings.EqualFold(top.name(), strings.TrimSpace(name)) {
				return nil, fmt.Errorf("%v: %s without its beginning", at, text)
			}
			open = open[:len(open)-1]
		case text[0] == '<':
			n := directive(strings.TrimSpace(strings.TrimSuffix(text[1:], ">")), at)
			if n.open = true; len(open) > maxDepth {
				return nil, fmt.Errorf("%v: more than %d sections stand within each other", at, maxDepth)
			}
			top.body = append(top.body, n)
			open = append(open, n)
		default:
			top.body = append(top.body, directive(text, at))
		}
	}
	if len(open) > 1 {
		n := open[len(open)-1]
		return nil, fmt.Errorf("%v: <%s> is not closed", n.at, n.name())
	}
	return all.body, nil
}

// directive splits a line into its words, which may be quoted.
func directive(text string, at Place) *node {
	n := &node{text: text, at: at}
	for rest := text; rest != ""; rest = strings.TrimLeft(rest, " \t") {
		raw, word := apacheWord(rest)
		n.raws, n.words = append(n.raws, raw), append(n.words, word)
		rest = rest[len(raw):]
	}
	return n
}

func apacheWord(text string) (raw, word string) {
	if quote := text[0]; quote == '"' || quote == '\'' {
		for i := 1; i < len(text); i++ {
			if text[i] == '\\' && i+1 < len(text) {
				i++
			} else if text[i] == quote {
				return text[:i+1], strings.NewReplacer(`\`+string(quote), string(quote), `\\`, `\`).Replace(text[1:i])
			}
		}
	}
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i], text[:i]
	}
	return text, text
}

func (n *node) is(names ...string) bool {
	for _, name := range names {
		if strings.EqualFold(n.name(), name) {
			return true
		}
	}
	return false
}

func (s *apacheSyntax) include(n *node) (pattern string, optional, ok bool) {
	switch {
	case n.is("Define") && len(n.words) > 1:
		s.defined[n.words[1]] = s.expand(n.arg(2))
	case n.is("UnDefine"):
		delete(s.defined, n.arg(1))
	case n.is("ServerRoot") && len(n.words) == 2:
		root := s.expand(n.words[1])
		s.reader.folders = append([]string{root}, s.reader.folders...)
	case !n.open && n.is("Include", "IncludeOptional") && len(n.words) == 2:
		return s.expand(n.words[1]), n.is("IncludeOptional"), true
	}
	s.expand(n.text) // takes note of what is used
	return "", false, false
}

// apacheName matches ${NAME}.
var apacheName = regexp.MustCompile(`\$\{([^}{$:]+)\}`)

// expand replaces ${NAME}; what nobody says stays.
func (s *apacheSyntax) expand(text string) string {
	return apacheName.ReplaceAllStringFunc(text, func(m string) string {
		name := m[2 : len(m)-1]
		if v, ok := s.defined[name]; ok {
			return v
		}
		if v, ok := s.environ[name]; ok {
			s.asked[name] = v
			return v
		}
		if v, ok := os.LookupEnv(name); ok {
			return v
		}
		if strings.HasPrefix(name, "APACHE_") {
			s.asked[name] = ""
		}
		return m
	})
}

func (s *apacheSyntax) write(to *lines, nodes []*node) {
	for _, n := range nodes {
		if !n.open {
			to.add(n.text, n.at)
			continue
		}
		to.add("<"+n.text+">", n.at)
		to.depth++
		s.write(to, n.body)
		to.depth--
		to.add("</"+n.name()+">", Place{})
	}
}
