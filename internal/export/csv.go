package export

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"matrix/internal/table"
)

// CSV writes the tidy sheet as RFC 4180 has it: each line ends in CR LF. In fields
// that are text, control characters are spelled out: see spelled.
func CSV(w io.Writer, r *table.Report) error { return writeSheet(w, r.Sheet) }

// WideCSV writes the wide sheet like CSV. A report without one gives no lines.
func WideCSV(w io.Writer, r *table.Report) error { return writeSheet(w, r.Wide) }

func writeSheet(w io.Writer, made func() table.Sheet) error {
	var s table.Sheet
	if made != nil {
		s = made()
	}
	if len(s.Header) == 0 {
		return nil
	}
	out := newLines(w)
	row := make([]string, len(s.Header))
	for i, name := range s.Header {
		row[i] = inert(spelled(name))
	}
	out.write(row)
	for _, fields := range s.Rows {
		for i, f := range fields {
			row[i] = f.Text
			if !f.Number {
				row[i] = inert(spelled(f.Text))
			}
		}
		out.write(row)
	}
	if err := out.to.Flush(); err != nil { // the first of all writes
		return fmt.Errorf("writing csv: %w", err)
	}
	return nil
}

// lines ends each line in CR LF. The library's own way to do so changes the ends
// of lines within fields, too.
type lines struct {
	to    *bufio.Writer
	line  bytes.Buffer
	quote *csv.Writer // into line
}

func newLines(w io.Writer) *lines {
	l := &lines{to: bufio.NewWriter(w)}
	l.quote = csv.NewWriter(&l.line)
	return l
}

func (l *lines) write(row []string) {
	l.line.Reset()
	_ = l.quote.Write(row) // a buffer takes all
	l.quote.Flush()
	l.to.Write(bytes.TrimSuffix(l.line.Bytes(), []byte{'\n'}))
	l.to.WriteString("\r\n")
}

// spelled writes control characters, which a terminal would obey, and bytes that
// are no UTF-8 as \x1b, and a backslash as two, so that reading back can undo it.
// Ends of lines and tabs stay.
func spelled(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == '\\' || control(r) || r == utf8.RuneError }) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == utf8.RuneError && n == 1, control(r):
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// control tells the characters of C0 and C1, and DEL, but for ends of lines and
// tabs.
func control(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }

// Harmless makes a text of many lines one that a terminal may be given: see
// spelled, but for backslashes, which stay single.
func Harmless(text []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		b.WriteString(strings.ReplaceAll(spelled(string(line)), `\\`, `\`))
	}
	return b.Bytes()
}

// inert puts an apostrophe before a text that a spreadsheet would run as a
// formula: one that starts with = + - @ (or their full-width forms), a tab or the
// end of a line. A negative number is no formula.
func inert(s string) string {
	if s == "" || !strings.ContainsAny(firstRune(s), "=+-@＝＋－＠\t\r\n") || negativeNumber(s) {
		return s
	}
	return "'" + s
}

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

func negativeNumber(s string) bool {
	digits, minus := strings.CutPrefix(s, "-")
	if !minus {
		return false
	}
	whole, fraction, point := strings.Cut(digits, ".")
	return allDigits(whole) && (!point || allDigits(fraction))
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
