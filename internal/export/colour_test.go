package export

import (
	"regexp"
	"strings"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/table"
)

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestColoursAddNothingElse holds that a coloured report is the plain one and
// sequences in it, at any width.
func TestColoursAddNothingElse(t *testing.T) {
	for _, width := range []int{0, 80} {
		for _, build := range reports {
			r := build.build()
			r.Width = width
			plain := string(written(t, Text, r))
			r.Color = true
			coloured := string(written(t, Text, r))
			if stripped := sgr.ReplaceAllString(coloured, ""); stripped != plain {
				t.Errorf("%s at %d columns:\n%s\nis not\n%s", build.name, width, stripped, plain)
			}
			if strings.Contains(plain, "\x1b") || !strings.Contains(coloured, "\x1b[1m") {
				t.Errorf("%s: escapes in the plain text, or none in the coloured", build.name)
			}
			for line := range strings.Lines(coloured) {
				if strings.Count(line, "\x1b[0m")*2 != strings.Count(line, "\x1b[") {
					t.Errorf("a colour runs over its line: %q", line)
				}
			}
		}
	}
}

func TestColoursTell(t *testing.T) {
	r := repeated()
	r.Color = true
	text := string(written(t, Text, r))
	for _, want := range []string{"\x1b[1;32m3130\x1b[0m \x1b[2m[3037, 3222]\x1b[0m  *", "\x1b[31mall 6 rounds failed: socket: Too many open files (24) | <i>\x1b[0m"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b[31mall 6 rounds skipped") {
		t.Error("skipping is no failure")
	}
}

func TestTints(t *testing.T) {
	failed, found := table.Row{State: bench.StateFailed}, table.Row{State: bench.StateOK, Finding: "12 % slower"}
	for _, c := range []struct {
		column table.Column
		row    table.Row
		cell   table.Cell
		line   string
		want   string
	}{
		{table.Column{Name: "errors"}, failed, table.Cell{Text: "x"}, " x ", " \x1b[31mx\x1b[0m "},
		{table.Column{Name: "errors"}, table.Row{}, table.Cell{Text: "x"}, "x", "x"},
		{table.Column{Name: "driver"}, failed, table.Cell{Text: "ab"}, "ab", "ab"},
		{table.Column{Name: "verdict"}, found, table.Cell{Text: "slower"}, "slower", "\x1b[31mslower\x1b[0m"},
		{table.Column{Name: "Server", Stub: true}, found, table.Cell{Text: "a"}, "a", "a"},
		{table.Column{Name: "a", Number: true}, failed, table.Cell{Text: "timed out"}, "timed out  ", "\x1b[31mtimed out\x1b[0m  "},
		{table.Column{Name: "a", Number: true}, found, table.Cell{Text: "5", Value: "5", Best: true}, "5 *", "\x1b[1;32m5\x1b[0m *"},
		{table.Column{Name: "a", Number: true}, table.Row{}, table.Cell{Text: "5", Value: "5"}, "5", "5"},
		{table.Column{Name: "a", Number: true}, table.Row{}, table.Cell{}, "", ""},
	} {
		if got := tintOf(c.column, c.row, c.cell).paint(c.line, painted); got != c.want {
			t.Errorf("%s of %+v: got %q, want %q", c.column.Name, c.cell, got, c.want)
		}
	}
}
