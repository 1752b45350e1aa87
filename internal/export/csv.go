package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"matrix/internal/table"
)

// CSV writes the tidy sheet as RFC 4180, with lines that end in a line feed.
func CSV(w io.Writer, r *table.Report) error {
	out := csv.NewWriter(w)
	row := make([]string, len(r.Sheet.Header))
	for i, name := range r.Sheet.Header {
		row[i] = inert(name)
	}
	if err := out.Write(row); err != nil {
		return fmt.Errorf("writing csv: %w", err)
	}
	for _, fields := range r.Sheet.Rows {
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
// formula: one that starts with = + - @ (or their full-width forms), a tab or a
// carriage return. A negative number is no formula.
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
