package scenario

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// yamlPlace is where yaml.v3 says that an error is. For many errors that is the
// beginning of the mapping around it, one line off: it is not used.
var yamlPlace = regexp.MustCompile(`^yaml: (line \d+: )?`)

// syntax reports what is not YAML at the first line from which on no beginning
// of the file is YAML either. The column is that of the first word there, or of
// the tab that is the most frequent cause.
func (p *parser) syntax(src []byte, err error) {
	message := yamlPlace.ReplaceAllString(err.Error(), "")
	lines := splitLines(src)
	at := brokenLine(src, lines)
	for i := at; i < min(at+2, len(lines)); i++ {
		text := lines[i].text(src)
		indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
		if tab := strings.IndexByte(indent, '\t'); tab >= 0 {
			p.at(i+1, tab+1, "a tab indents this line: YAML takes only spaces there; replace it")
			return
		}
	}
	text := lines[at].text(src)
	hint := ""
	if strings.Contains(text, "${") && strings.Contains(text, ": {") {
		hint = "; inside { } a value with ${NAME} needs quotes"
	}
	p.at(at+1, len(text)-len(strings.TrimLeft(text, " "))+1, "this is not YAML near here: %s%s", clip(message), hint)
}

// maxWork bounds the bytes that are read again to find the broken line; in a
// long file only its end is searched.
const maxWork = 64 << 20

// brokenLine is the index of the line after the longest beginning of src, in
// whole lines, that is YAML.
func brokenLine(src []byte, lines []line) int {
	last := len(lines) - 1
	for last > 0 && strings.TrimSpace(lines[last].text(src)) == "" {
		last--
	}
	least := max(0, last-maxWork/(len(src)+1))
	for at := last; at > least; at-- {
		if isYAML(src[:lines[at].start]) {
			return at
		}
	}
	return least
}

func isYAML(src []byte) bool {
	dec := yaml.NewDecoder(bytes.NewReader(src))
	for {
		var n yaml.Node
		if err := dec.Decode(&n); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}
