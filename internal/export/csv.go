package export

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"matrix/internal/table"
)

// CSV writes the tidy sheet as RFC 4180 has it: each line ends in CR LF, and what
// stands within a field is kept byte for byte.
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
		row[i] = inert(name)
	}
	out.write(row)
	for _, fields := range s.Rows {
		for i, f := range fields {
			row[i] = f.Text
			if !f.Number {
				row[i] = inert(f.Text)
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
