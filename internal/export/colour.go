package export

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"matrix/internal/table"
)

// The colours of a terminal, as SGR sequences (ECMA-48, 8.3.117). What they tell
// is told by words and signs, too.
const (
	sgrBold = "\x1b[1m"
	sgrSoft = "\x1b[2m"
	sgrBad  = "\x1b[31m"
	sgrBest = "\x1b[1;32m"
	sgrEnd  = "\x1b[0m"
)

// painted puts a colour around a text and leaves the spaces at its ends out.
func painted(colour, s string) string {
	core := strings.TrimSpace(s)
	if core == "" {
		return s
	}
	i := strings.Index(s, core)
	return s[:i] + colour + core + sgrEnd + s[i+len(core):]
}

// tint is what the colours of a cell tell.
type tint struct {
	text, spread string // of a number, as it stands in the cell
	best, bad    bool
}

// tintOf finds a cell bad when its words tell of a failure or of a finding.
func tintOf(c table.Column, row table.Row, cell table.Cell) tint {
	m := tint{best: cell.Best}
	if c.Number && !c.Stub {
		m.text, m.spread = cell.Text, cell.Spread
		first, _ := utf8.DecodeRuneInString(cell.Text)
		m.bad = cell.Value == "" && unicode.IsLetter(first) // "failed" in the place of a figure
		return m
	}
	if c.Stub {
		return m
	}
	switch c.Name {
	case "state", "errors", "reason", "multi_time_error":
		m.bad = row.State.Failed() || row.Finding != ""
	default:
		m.bad = row.Finding != ""
	}
	return m
}

// paint colours one line of a cell, with painted or what stands in for it.
func (m tint) paint(line string, painted func(colour, s string) string) string {
	if m.bad {
		return painted(sgrBad, line)
	}
	figure, isFigure := strings.CutPrefix(line, m.text)
	if m.text == "" || !isFigure {
		return line
	}
	text := m.text
	if m.best {
		text = painted(sgrBest, text)
	}
	if m.spread != "" {
		figure = strings.Replace(figure, m.spread, painted(sgrSoft, m.spread), 1)
	}
	return text + figure
}
