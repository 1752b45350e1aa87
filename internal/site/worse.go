package site

import (
	"bytes"
	"fmt"
	"strconv"

	"matrix/internal/compare"
	"matrix/internal/export"
	"matrix/internal/results"
	"matrix/internal/table"
)

// What is compared, and how surely: as `matrix compare` does without flags.
const comparedMetric = "requests_per_second"

var comparing = compare.Options{Threshold: 0.05, Alpha: 0.05}

// comparisonOf compares two runs; nil where there is nothing to compare.
func comparisonOf(before, now *results.Run) *compare.Comparison {
	m, known := table.Lookup(comparedMetric)
	if !known {
		return nil
	}
	base := []compare.Run{{Info: before.Info(), Records: before.Records()}}
	c, err := compare.Runs(base, compare.Run{Info: now.Info(), Records: now.Records()}, []table.Metric{m}, nil, comparing)
	if err != nil { // no cell is in both
		return nil
	}
	return c
}

// weigh tells what became worse in a run since the one before it, where both can
// be read and have cells in common. A run that goes on is not weighed yet.
func (p *pass) weigh(made *run, s *source, last *opened) {
	if s.prev == nil {
		made.Unlike = "first run"
		return
	}
	if was := p.old.Runs[s.id]; !p.anew && was.Compared && was.Stamp == made.Stamp && was.Against == made.Against {
		made.Compared, made.Told, made.Untold, made.Worse, made.Findings = true, was.Told, was.Untold, was.Worse, was.Findings
		return
	}
	base, err := last.open(s.prev)
	if err != nil {
		made.Unlike = "the run before cannot be read"
		return
	}
	now, err := last.open(s)
	switch {
	case err != nil: // its page says so
		return
	case s.next == nil && now.Info().Finished == nil:
		made.Unlike = "unfinished"
		return
	}
	c := comparisonOf(base, now)
	if c == nil {
		made.Unlike = "no cell in common"
		return
	}
	made.Compared = true
	made.Untold = c.Untold()
	made.Told = len(c.Cells) - made.Untold
	made.Worse, _ = c.Regressions()
	made.Findings = c.Worse(false)
}

// WorseText is how many cells became worse, as a list of runs has it: of what
// cannot be told there is no zero.
func (r run) WorseText() string {
	switch {
	case !r.Compared:
		return r.Unlike
	case r.Told == 0:
		return "cannot be told"
	case r.Untold > 0:
		return fmt.Sprintf("%d of %d, %d not told", r.Worse, r.Told, r.Untold)
	}
	return strconv.Itoa(r.Worse)
}

// FailedText is how many cells failed; "" where none was tried.
func (r run) FailedText() string {
	if r.Measured == 0 {
		return ""
	}
	return strconv.Itoa(r.Failed)
}

// comparison makes the page that compares the last two runs of a scenario; false
// where there are no two that can be compared.
func (p *pass) comparison(place string, of []*source) (bool, error) {
	now, before := p.lastTwo(of)
	if before == nil {
		return false, nil
	}
	a, err := results.Open(before.Dir)
	if err != nil {
		return false, nil // its own page says why
	}
	b, err := results.Open(now.Dir)
	if err != nil {
		return false, nil
	}
	c := comparisonOf(a, b)
	if c == nil {
		return false, nil
	}
	var text bytes.Buffer
	ways := []table.Link{{Text: "All runs of this scenario", Address: indexName}}
	if err := export.HTMLAmong(ways)(&text, c.Report(false)); err != nil {
		return false, fmt.Errorf("making %s: %w", place+"/"+compareName, err)
	}
	return true, p.put(place+"/"+compareName, text.Bytes())
}

// lastTwo are the newest runs of a scenario that have anything to compare; one
// that goes on is left out where there are two before it.
func (p *pass) lastTwo(of []*source) (now, before *source) {
	var sound []*source
	for _, s := range of {
		if r := p.now.Runs[s.id]; r.Problem == "" && r.Measured > 0 {
			sound = append(sound, s)
		}
	}
	n := len(sound)
	if n > 2 && p.now.Runs[sound[n-1].id].Unfinished {
		n--
	}
	if n < 2 {
		return nil, nil
	}
	return sound[n-1], sound[n-2]
}
