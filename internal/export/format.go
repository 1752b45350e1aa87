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

	Beside  bool     // a report in it stands beside the journal of every run
	Records bool     // it is made of records: a report without any, as of a history, has nothing to write
	Wide    Exporter // writes the wide sheet rather than the tidy one; nil: the format has none
}

// Formats lists all of them, the one for the terminal first.
var Formats = []Format{
	{Name: "text", Ext: ".txt", Doc: "tables for a terminal", Export: Text, Beside: true},
	{Name: "csv", Ext: ".csv", Doc: "tidy data: one header line, one row a trial, full precision; with --wide one row a point, systems side by side", Export: CSV, Beside: true, Wide: WideCSV},
	{Name: "html", Ext: ".html", Doc: "one self-contained page", Export: HTML, Beside: true},
	{Name: "markdown", Ext: ".md", Doc: "tables for an issue or a README, in GitHub's Markdown", Export: Markdown, Beside: true},
	{Name: "json", Ext: ".json", Doc: "the header of the run, its tables and its records", Export: JSON, Beside: true},
	{Name: "benchfmt", Ext: ".bench", Doc: "Go's benchmark format, one line a round, for benchstat", Export: Benchfmt, Records: true},
	{Name: "junit", Ext: ".xml", Doc: "JUnit XML for a CI server: each cell a test case, failed cells and findings as failures", Export: JUnit},
	{Name: "github-action-benchmark", Ext: ".bigger.json", Doc: "requests per second for that action's tool customBiggerIsBetter", Export: BiggerIsBetter, Records: true},
	{Name: "github-action-benchmark-smaller", Ext: ".smaller.json", Doc: "latencies for that action's tool customSmallerIsBetter", Export: SmallerIsBetter, Records: true},
	{Name: "openmetrics", Ext: ".prom", Doc: "every figure as a gauge, for the textfile collector of node_exporter or a push gateway", Export: OpenMetrics, Records: true},
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

// File is a report to be written under a name of its own.
type File struct {
	Name   string
	Doc    string
	Export Exporter
}

// Files lists what stands beside the journal of a run: report.txt, report.csv,
// report-wide.csv and so on.
func Files() []File {
	var files []File
	for _, f := range Formats {
		if !f.Beside {
			continue
		}
		files = append(files, File{"report" + f.Ext, f.Doc, f.Export})
		if f.Wide != nil {
			files = append(files, File{"report-wide" + f.Ext, "one row a point, systems side by side", f.Wide})
		}
	}
	return files
}
