package table

import (
	"strings"
	"testing"

	"matrix/internal/bench"
)

// TestRepeatedErrorIsToldOnce: item 18: a reason that many rows have is told once
// beneath them, and whether the system was given up makes it no other reason.
func TestRepeatedErrorIsToldOnce(t *testing.T) {
	why := "GET /small.html on http://192.0.2.1/: status 404 (1 of 1): the test files are not there; `matrix fixtures` writes them"
	var records []bench.Record
	for i, n := range []string{"1", "2", "3", "4"} {
		for round := 1; round <= 2; round++ {
			r := bench.Record{State: bench.StateFailed, Reason: why}
			r.Round = round
			if i > 0 {
				r.Reason = bench.GivenUp(why, 3)
			}
			r.Cell = bench.Cell{
				Labels: []bench.Pair{{Name: "n", Value: "a"}}, Axes: []bench.Pair{{Name: "file", Value: "small"}, {Name: "concurrency", Value: n}},
				File: bench.File{Name: "small", Size: 1}, Driver: "native",
			}
			r.Cell.Key = bench.KeyOf(append(r.Cell.Labels, r.Cell.Axes...))
			records = append(records, r)
		}
	}
	report := Build(bench.RunInfo{Plan: bench.Plan{Rounds: 2, Labels: []string{"n"}}}, records)
	var text strings.Builder
	for _, row := range report.Tables[0].Rows {
		for _, c := range row.Cells {
			text.WriteString(c.Text + "\n")
		}
	}
	if strings.Contains(text.String(), "404") || strings.Count(text.String(), "see note error-1") != 4 {
		t.Errorf("rows:\n%s", text.String())
	}
	told := map[string]Footnote{}
	for _, n := range report.Notes {
		told[n.Code] = n
	}
	if want := "all 2 rounds failed: " + why + " (4 rows)"; told["error-1"].Text != want || told["given-up"].Trials != 6 {
		t.Errorf("%+v", told)
	}
	if want := "a failed at all 4 cells: " + why + "."; len(report.Verdict) < 2 || report.Verdict[1] != want {
		t.Errorf("%q, want %q", report.Verdict, want)
	}
	if csv := report.Sheet(); !strings.Contains(csv.Rows[7][fieldOf(csv, "reason")].Text, "404") {
		t.Errorf("the sheet lacks the words: %v", csv.Rows[7])
	}
}

func fieldOf(s Sheet, name string) int {
	for i, h := range s.Header {
		if h == name {
			return i
		}
	}
	return 0
}
