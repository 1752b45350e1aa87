package table

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// An error that is so long, and stands in so many rows, is told once beneath the
// tables.
const (
	longError = 90 // characters
	manyRows  = 3
)

// foldErrors puts the name of a note in the places of errors that many rows have,
// and returns the notes. Rows for programs keep the words.
func foldErrors(tables []Table) (notes []Footnote) {
	rows := map[string]int{}
	var order []string
	each := func(do func(c *Cell)) {
		for _, t := range tables {
			for at, column := range t.Columns {
				if column.Name != "errors" && column.Name != "reason" {
					continue
				}
				for i := range t.Rows {
					if c := &t.Rows[i].Cells[at]; utf8.RuneCountInString(c.Text) > longError {
						do(c)
					}
				}
			}
		}
	}
	each(func(c *Cell) {
		if rows[c.Text]++; rows[c.Text] == manyRows {
			order = append(order, c.Text)
		}
	})
	codes := map[string]string{}
	for i, text := range order {
		codes[text] = fmt.Sprintf("error-%d", i+1)
		notes = append(notes, Footnote{Code: codes[text], Text: strings.Join(strings.Fields(text), " ") + " (" + unit.Counted(rows[text], "row") + ")"})
	}
	each(func(c *Cell) {
		if code := codes[c.Text]; code != "" {
			c.Text = "see note " + code
		}
	})
	return notes
}

// givenUp counts the trials whose system was given up.
func givenUp(records []bench.Record) (notes []Footnote) {
	n := 0
	for _, r := range records {
		if _, up := bench.First(r.Reason); up {
			n++
		}
	}
	if n > 0 {
		notes = append(notes, Footnote{Code: "given-up", Text: "The system could not be brought up several times on end, and was not tried again in this sweep.", Trials: n})
	}
	return notes
}
