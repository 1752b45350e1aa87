package system

import (
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	tailBytes = 16 << 10
	tailLines = 10

	longestLine = 300 // bytes of a line
)

// isFrame tells the lines of a Java stack trace, of which there are dozens below
// the line that says what went wrong.
func isFrame(line string) bool {
	return strings.HasPrefix(line, "\tat ") || strings.HasPrefix(line, "\t... ")
}

// tail returns the last lines of a log for a message, each indented on a line
// of its own: ten at most, none too long, and nothing in them that a terminal
// would obey. A log that cannot be read has none.
func tail(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		f.Seek(-tailBytes, io.SeekEnd)
	}
	data, err := io.ReadAll(io.LimitReader(f, tailBytes))
	if err != nil {
		return ""
	}
	return lastLines(string(data))
}

func lastLines(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	lines = slices.DeleteFunc(lines, isFrame)
	var b strings.Builder
	for _, line := range lines[max(0, len(lines)-tailLines):] {
		b.WriteString("\n\t" + plain(line, longestLine))
	}
	return b.String()
}

// plain makes a stranger's text fit to print: at most about limit bytes, with
// what is not printable escaped as in Go.
func plain(s string, limit int) string {
	if len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) { // half a character would read as several
			limit--
		}
		s = s[:limit] + "..."
	}
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
