package export

import (
	"strconv"
	"strings"
	"unicode"
)

// Visible makes every character of a text one that shows: line ends and tabs
// become spaces, control characters, bytes that are not UTF-8 and characters
// that turn the direction of writing are spelled out, \x1b. Joiners stay, for
// emoji are made with them.
func Visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case hidden(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	return r == unicode.ReplacementChar || (!unicode.IsPrint(r) && r != '\u200d')
}
