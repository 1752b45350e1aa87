package scenario

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// extent is where the scalar n stands in src, quotes included and anchor and
// tag left out. yaml.v3 tells only where it begins.
func extent(src []byte, lines []line, n *yaml.Node) (start, end int) {
	start = afterProperties(src, offset(src, lines, n.Line, n.Column))
	if start >= len(src) {
		return len(src), len(src)
	}
	switch src[start] {
	case '"':
		return start, quotedEnd(src, start, '\\')
	case '\'':
		return start, quotedEnd(src, start, '\'')
	case '|', '>':
		return start, blockEnd(src, lines, start)
	}
	return start, plainEnd(src, start, n.Value)
}

// afterProperties skips &anchor and !tag before a scalar.
func afterProperties(src []byte, i int) int {
	for i < len(src) && (src[i] == '&' || src[i] == '!') {
		for i < len(src) && !bytes.ContainsRune([]byte(" \t\r\n"), rune(src[i])) {
			i++
		}
		for i < len(src) && bytes.ContainsRune([]byte(" \t\r\n"), rune(src[i])) {
			i++
		}
	}
	return i
}

// quotedEnd is the place after the closing quote. escape is the byte before a
// quote that does not close: a backslash, or a single quote before another.
func quotedEnd(src []byte, start int, escape byte) int {
	quote := src[start]
	for i := start + 1; i < len(src); i++ {
		switch {
		case escape == '\\' && src[i] == escape:
			i++
		case src[i] == quote && escape == quote && i+1 < len(src) && src[i+1] == quote:
			i++
		case src[i] == quote:
			return i + 1
		}
	}
	return len(src)
}

// blockEnd is the end of the last line that is blank or indented more than the
// key of the block.
func blockEnd(src []byte, lines []line, start int) int {
	at := 0
	for at < len(lines)-1 && lines[at+1].start <= start {
		at++
	}
	indent := 0
	for text := lines[at].text(src); indent < len(text) && (text[indent] == ' ' || text[indent] == '-'); {
		indent++
	}
	end := lines[at].end
	for _, l := range lines[at+1:] {
		text := src[l.start:l.end]
		lead := len(text) - len(bytes.TrimLeft(text, " "))
		if lead < len(text) && lead <= indent {
			break
		}
		end = l.end
	}
	return end
}

// plainEnd follows the text of a plain scalar, which may be folded over lines,
// through the source.
func plainEnd(src []byte, i int, value string) int {
	for _, want := range value {
		if unicode.IsSpace(want) {
			continue
		}
		for i < len(src) {
			r, size := utf8.DecodeRune(src[i:])
			i += size
			if r == want {
				break
			}
			if !unicode.IsSpace(r) {
				if end := bytes.IndexAny(src[i:], "\r\n"); end >= 0 {
					return i + end
				}
				return len(src)
			}
		}
	}
	return i
}
