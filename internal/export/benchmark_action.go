package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"matrix/internal/table"
	"matrix/internal/unit"
)

// benchmarkEntry is one figure as github-action-benchmark reads it: the fields
// that its tools customBiggerIsBetter and customSmallerIsBetter share.
type benchmarkEntry struct {
	Name  string  `json:"name"` // of one line in its charts: the same from night to night
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"` // "[9871, 10224]", as in tables
	Extra string  `json:"extra,omitempty"` // shown with the point
}

// BiggerIsBetter writes the requests per second of each cell for
// github-action-benchmark. A cell without is left out, and so a gap in the chart
// rather than a zero.
func BiggerIsBetter(w io.Writer, r *table.Report) error {
	return writeEntries(w, r, "requests_per_second")
}

// SmallerIsBetter writes the latencies of each cell likewise. They stand in
// another file, for the action takes one direction a file.
func SmallerIsBetter(w io.Writer, r *table.Report) error {
	return writeEntries(w, r, "latency_p50_ms", "latency_p99_ms")
}

func writeEntries(w io.Writer, r *table.Report, metrics ...string) error {
	entries := []benchmarkEntry{}
	runs := runNames(r)
	for i, part := range r.Each() {
		for _, cell := range part.Tried() {
			for _, name := range metrics {
				m, _ := table.Lookup(name)
				v, ok := cell.Value(m)
				if !ok {
					continue
				}
				e := benchmarkEntry{
					Name: Visible(strings.TrimPrefix(runs[i]+"/"+string(cell.Cell.Key), "/")) + ": " + name,
					Unit: unitOf(m), Value: v.Number, Range: m.Span(v, fourDigits), Extra: roundsText(cell),
				}
				entries = append(entries, e)
			}
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(entries); err != nil {
		return fmt.Errorf("writing json: %w", err)
	}
	return nil
}

// runNames are the IDs of the parts where there are several, else "": names should
// stay the same from night to night. An ID that several parts have, such as runs of
// two results folders, is numbered, for those who read these formats refuse or mix
// up what has the same name.
func runNames(r *table.Report) []string {
	parts := r.Each()
	list := make([]string, len(parts))
	if len(r.Parts) == 0 {
		return list
	}
	var names uniqueNames
	for i, part := range parts {
		list[i] = names.of(oneLine(part.Info.ID))
	}
	return list
}

// fourDigits writes a number as tables do, without a unit.
func fourDigits(v float64) string { return unit.Scale{Factor: 1}.Format(v) }

func unitOf(m table.Metric) string {
	if m.Name == "requests_per_second" {
		return "req/s"
	}
	return string(m.Unit)
}

func roundsText(c table.Tried) string {
	text := fmt.Sprintf("%d rounds, %s", len(c.Rounds), c.State)
	if len(c.Rounds) == 1 {
		text = fmt.Sprintf("1 round, %s", c.State)
	}
	if c.Reason != "" {
		text += ": " + oneLine(c.Reason)
	}
	return text
}
