// Package published makes runs of comparisons that others published. A folder
// comes in that holds their figures as plain data files, a table as CSV or the
// logs of a tool, and mapping.json, which says what each column means; the
// header and the records of an ordinary run go out.
//
// Figures are kept as they were printed, slips included, with the first number
// of each beside it. Nothing is corrected, completed or judged here (package
// audit judges), and what was not printed stays not measured.
package published

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"matrix/internal/bench"
)

// MappingName is the name of the mapping in a folder.
const MappingName = "mapping.json"

const longest = 4 << 20 // bytes of a mapping or a table

// Mapping says how the data files of a folder become a run. It is JSON with the
// names of its own fields and of bench's.
type Mapping struct {
	// Plan is the title, the source, the labels and files, the tables to lay out
	// and what else of a plan is known. Axes, systems and cells follow from the
	// data.
	Plan      bench.Plan        `json:"plan"`
	Host      bench.HostInfo    `json:"host"`
	Generator bench.HostInfo    `json:"generator"`
	Tools     map[string]string `json:"tools"`
	Notes     []bench.Note      `json:"notes"`
	Driver    string            `json:"driver"` // what made the load, in all cells
	Load      bench.Load        `json:"load"`   // what is known of it, in all cells
	Table     *Table            `json:"table"`
	Logs      []Log             `json:"logs"`
}

// Table is a CSV file with a header line.
type Table struct {
	File    string   `json:"file"`
	Columns []Column `json:"columns"` // in the order of the file
}

// Column says what a column of the CSV is: exactly one of its meanings is set.
type Column struct {
	Name string `json:"column"` // in the header line

	Label   string            `json:"label,omitempty"`   // the label whose value it holds
	Axis    string            `json:"axis,omitempty"`    // the axis whose value it holds
	Metric  string            `json:"metric,omitempty"`  // the metric whose figure it holds
	Metrics map[string]string `json:"metrics,omitempty"` // it names the metric of the line: the name there to the metric
	Cell    map[string]string `json:"cell,omitempty"`    // it holds figures of the cell with these labels and axes
	Skip    bool              `json:"skip,omitempty"`

	Values map[string]string `json:"values,omitempty"` // of a label or an axis: as printed to as meant
	As     string            `json:"as,omitempty"`     // of an axis: the column of the tables that shows it as printed
	Factor float64           `json:"factor,omitempty"` // what is printed, times this, is in the metric's unit; 0 is 1
}

// Log is what a tool printed of one trial, a file under raw/.
type Log struct {
	File   string       `json:"file"`
	As     string       `json:"as"` // the name of one of transcript.Formats
	Labels []bench.Pair `json:"labels"`
	Served string       `json:"served"` // the name of the file that was asked for
}

// readMapping reads mapping.json. Unknown keys are errors.
func readMapping(dir fs.FS) (m Mapping, err error) {
	text, err := readFile(dir, MappingName)
	if err != nil {
		return m, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return m, fmt.Errorf("reading %s: %w", MappingName, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return m, fmt.Errorf("reading %s: there is more behind its object", MappingName)
	}
	if (m.Table == nil) == (len(m.Logs) == 0) {
		return m, fmt.Errorf("reading %s: it must have either a table or logs", MappingName)
	}
	return m, nil
}

func readFile(dir fs.FS, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longest+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if len(text) > longest {
		return nil, fmt.Errorf("reading %s: it is longer than %d MiB", name, longest>>20)
	}
	return text, nil
}

// Read makes the run of a folder called name. The same files give the same run.
func Read(dir fs.FS, name string) (bench.RunInfo, []bench.Record, error) {
	m, err := readMapping(dir)
	if err != nil {
		return bench.RunInfo{}, nil, err
	}
	s := sheet{mapping: m, points: map[bench.Key]int{}, byKey: map[bench.Key]int{}}
	if m.Table != nil {
		err = s.readTable(dir)
	} else {
		err = s.readLogs(dir)
	}
	if err == nil && len(s.records) == 0 {
		err = errors.New("the data files hold no figures")
	}
	if err != nil {
		return bench.RunInfo{}, nil, fmt.Errorf("reading the published run %s: %w", name, err)
	}
	return s.info(name), s.finished(), nil
}
