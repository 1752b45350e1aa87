package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"matrix/internal/table"
)

// CSV writes the tidy sheet as RFC 4180, except that lines end in a line feed
// alone: spreadsheets read both, and of grep, cut and diff each field would else
// have a carriage return at its end.
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
	out := csv.NewWriter(w)
	row := make([]string, len(s.Header))
	for i, name := range s.Header {
		row[i] = inert(name)
	}
	if err := out.Write(row); err != nil {
		return fmt.Errorf("writing csv: %w", err)
	}
	for _, fields := range s.Rows {
		for i, f := range fields {
			row[i] = f.Text
			if !f.Number {
				row[i] = inert(f.Text)
			}
		}
		if err := out.Write(row); err != nil {
			return fmt.Errorf("writing csv: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("writing csv: %w", err)
	}
	return nil
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
