package table

import (
	"encoding/json"

	"matrix/internal/bench"
)

// Report is a run as people read it, ready to be written in any format. All of
// its texts are as the records have them: strangers' words, escaped by nobody.
type Report struct {
	Title string `json:"title"`
	About string `json:"about,omitempty"`

	// Warnings are sentences to read before any figure: why the figures may not mean
	// what they seem to. Exporters put them above all else.
	Warnings []string `json:"warnings,omitempty"`

	Source  *bench.Source `json:"source,omitempty"`  // what is being reproduced
	Summary string        `json:"summary"`           // one sentence: how much was measured, and how much failed
	Verdict []string      `json:"verdict,omitempty"` // a few sentences: who is faster, by how much and where, and where each failed; the first stands alone in a list of runs
	Charts  []ChartGroup  `json:"charts,omitempty"`  // pictures of the whole run, those that a table asks for aside
	Tables  []Table       `json:"tables"`
	Notes   []Footnote    `json:"notes"`
	Limits  []Checked     `json:"limits,omitempty"` // that the scenario sets, and what breaks them

	Where      string          `json:"where,omitempty"` // one sentence: when and on what it was measured
	Conditions []Section       `json:"conditions"`      // where and with what it was measured
	Scenario   string          `json:"-"`               // text of the scenario, without secrets; it stands in Info, too
	Sheet      func() Sheet    `json:"-"`               // every trial, tidy; made each time it is asked for, since few formats do; not safe for concurrent use
	Wide       func() Sheet    `json:"-"`               // every point, its systems side by side, likewise
	Info       bench.RunInfo   `json:"info,omitzero"`
	Runs       []bench.RunInfo `json:"runs,omitempty"`  // of a joined report, which has no Info: its runs
	Records    []bench.Record  `json:"records"`         // that the tables are made of, in the order of their rows, then by round
	Links      []Link          `json:"links,omitempty"` // what stands beside the report: its data and raw output; Build leaves it nil
	Parts      []*Report       `json:"-"`               // of a joined report: those that it joins

	// Width is how many columns of a terminal a text may take; 0 is any number.
	// Build leaves it 0.
	Width int `json:"-"`

	Color bool `json:"-"` // a text may use colours; Build leaves it false
}

// Table is a list of rows that share columns.
type Table struct {
	Caption  string       `json:"caption"`
	Constant []bench.Pair `json:"constant"` // columns lifted out because all rows agree: heading and value
	Columns  []Column     `json:"columns"`
	Rows     []Row        `json:"rows"` // one a cell, in declared order
	Charts   []Chart      `json:"charts,omitempty"`
}

// Column is how a column is headed and treated.
type Column struct {
	Name    string `json:"name"`           // of the label, axis or metric, as in YAML
	Heading string `json:"heading"`        // for people
	Unit    string `json:"unit,omitempty"` // of the texts; Cell.Value is in the unit of the metric's name
	Doc     string `json:"doc,omitempty"`

	Stub   bool `json:"stub,omitempty"` // says which cell the row is, rather than what was measured
	Number bool `json:"number"`         // set right-aligned
	Keep   int  `json:"-"`              // where room is short, columns of the least Keep go first
}

// Head is the heading with the unit behind it.
func (c Column) Head() string {
	if c.Unit == "" {
		return c.Heading
	}
	return c.Heading + " (" + c.Unit + ")"
}

// Row is one cell of the plan. Its Cells stand in the order of the Columns.
type Row struct {
	Key    bench.Key   `json:"key"`
	State  bench.State `json:"state"`
	Rounds int         `json:"rounds"` // that have a record
	Cells  []Cell      `json:"cells"`

	// Finding is why the row calls for attention beyond its state: it became
	// slower than in another run, or breaks a limit. "" for nothing.
	Finding string `json:"finding,omitempty"`

	// Untold is why nothing can be told of the row, where it is there to tell what
	// became of a cell: it is then neither well nor a finding. "" where it is told.
	Untold string `json:"untold,omitempty"`

	Raw []string `json:"raw,omitempty"` // of a cell not wholly ok: what external tools printed, as files of the run's folder
}

// Cell is what stands in one place of a table.
type Cell struct {
	Text   string      `json:"text"`             // "" is not measured
	Spread string      `json:"spread,omitempty"` // what Metric.Span tells, to stand behind Text
	Value  json.Number `json:"value,omitempty"`  // in the unit of the metric (of its name), with all digits; "" for words
	Best   bool        `json:"best,omitempty"`   // the best of the systems at this point, or one of several as good
}

// Footnote is a remark beneath the tables.
type Footnote struct {
	Code   string `json:"code"`
	Text   string `json:"text"`
	Trials int    `json:"trials,omitempty"` // that it was made on; 0 for remarks on the run
}

// Section is a titled list of facts.
type Section struct {
	Title string       `json:"title"`
	Facts []bench.Pair `json:"facts"`
}

// Sheet is tidy data: one header, one row a trial, full precision, constant
// columns kept. An empty field was not measured.
type Sheet struct {
	Header []string
	Rows   [][]Field
}

// Field is a field of a Sheet. Only a Text can be a formula.
type Field struct {
	Text   string
	Number bool
}

// Link is something that a reader of a report may want to open. Address is
// relative to the report, or of the web.
type Link struct {
	Text    string `json:"text"`
	Address string `json:"address"`
}
