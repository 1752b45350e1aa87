package scenario

import "unicode/utf8"

// line is where a line of a source begins and ends, in bytes, without its line
// break.
type line struct{ start, end int }

func (l line) text(src []byte) string { return string(src[l.start:l.end]) }

// splitLines finds the lines of src as YAML counts them: CR, LF, CRLF, NEL, LS
// and PS end one.
func splitLines(src []byte) []line {
	var lines []line
	start := 0
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == '\r' && i+1 < len(src) && src[i+1] == '\n' {
			size = 2
		}
		switch r {
		case '\r', '\n', '\u0085', '\u2028', '\u2029':
			lines = append(lines, line{start, i})
			start = i + size
		}
		i += size
	}
	return append(lines, line{start, len(src)})
}

// offset is the place in bytes of a line and column that count from 1.
func offset(src []byte, lines []line, lineNo, col int) int {
	if lineNo < 1 || lineNo > len(lines) {
		return len(src)
	}
	i := lines[lineNo-1].start
	for ; col > 1 && i < lines[lineNo-1].end; col-- {
		_, size := utf8.DecodeRune(src[i:])
		i += size
	}
	return i
}
