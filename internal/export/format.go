// Package export writes a report in the formats that people and programs read:
// a table.Report comes in, bytes go out. Every format escapes the words of
// strangers (labels, server headers, error messages) for each place where they
// stand.
//
// Exporters decide nothing: which columns, rows, units, marks and notes there
// are is settled in package table. Only the layout is theirs, down to which
// columns fit a terminal. The same report gives the same bytes.
package export

import (
	"io"

	"matrix/internal/table"
)

// Exporter writes a report in one format. Its errors are those of the writer.
type Exporter func(w io.Writer, r *table.Report) error

// Format is a format that reports can be written in.
type Format struct {
	Name   string // as given to --format
	Ext    string // of file names, with its dot
	Doc    string
	Export Exporter
}

// Formats lists all of them, the one for the terminal first.
var Formats = []Format{
	{"text", ".txt", "tables for a terminal", Text},
	{"csv", ".csv", "tidy data: one header line, one row a trial, full precision", CSV},
	{"html", ".html", "one self-contained page, without scripts", HTML},
	{"markdown", ".md", "tables for a README, in GitHub's Markdown", Markdown},
	{"json", ".json", "the header of the run, its tables and its records", JSON},
}

// Lookup returns the format of that name.
func Lookup(name string) (Format, bool) {
	for _, f := range Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}
