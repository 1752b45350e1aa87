package published

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"matrix/internal/bench"
	"matrix/internal/transcript"
)

// readLogs makes a record of each log, by the parser of its tool.
func (s *sheet) readLogs(dir fs.FS) error {
	for _, l := range s.mapping.Logs {
		text, err := readFile(dir, path.Join("raw", l.File))
		if err != nil {
			return err
		}
		i := slices.IndexFunc(transcript.Formats, func(f transcript.Format) bool { return f.Name == l.As })
		if i < 0 {
			return fmt.Errorf("%s: there is no transcript of kind %q", l.File, l.As)
		}
		reports, err := transcript.Formats[i].Parse(bytes.NewReader(text))
		if err != nil {
			return fmt.Errorf("%s: %w", l.File, err)
		}
		if len(reports) != 1 {
			return fmt.Errorf("%s: it holds %d runs of the tool, not one", l.File, len(reports))
		}
		if err := s.log(l, reports[0]); err != nil {
			return fmt.Errorf("%s: %w", l.File, err)
		}
	}
	return nil
}

func (s *sheet) log(l Log, report transcript.Report) error {
	r, err := s.record(l.Labels, []bench.Pair{
		{Name: "file", Value: l.Served},
		{Name: "concurrency", Value: strconv.Itoa(report.Concurrency)},
		{Name: "requests", Value: strconv.FormatInt(report.Issued, 10)},
	})
	if err != nil {
		return err
	}
	r.Measurement, r.Raw = report.Measurement, l.File
	if report.Cut != "" {
		r.Measurement.Notes = append(r.Measurement.Notes, report.CutNote())
	}
	r.State, r.Reason = report.State()
	if report.Abort != "" {
		r.State, r.Reason = bench.StateFailed, report.Abort
	}
	if report.Document != nil {
		r.Cell.File.Size = *report.Document
	}
	return nil
}
