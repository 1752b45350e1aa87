package export

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// The elements of JUnit's XML that CI servers agree on.
type (
	testSuites struct {
		XMLName  xml.Name    `xml:"testsuites"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Suites   []testSuite `xml:"testsuite"`
	}
	testSuite struct {
		Name       string     `xml:"name,attr"`
		Tests      int        `xml:"tests,attr"`
		Failures   int        `xml:"failures,attr"`
		Errors     int        `xml:"errors,attr"` // always 0: what matrix itself cannot do makes no report
		Skipped    int        `xml:"skipped,attr"`
		Time       string     `xml:"time,attr,omitempty"` // seconds
		Timestamp  string     `xml:"timestamp,attr,omitempty"`
		Hostname   string     `xml:"hostname,attr,omitempty"`
		Properties *[]xmlPair `xml:"properties>property,omitempty"`
		Cases      []testCase `xml:"testcase"`
	}
	xmlPair struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	testCase struct {
		Class   string   `xml:"classname,attr"` // the system
		Name    string   `xml:"name,attr"`      // the point
		Time    string   `xml:"time,attr,omitempty"`
		Skipped *verdict `xml:"skipped,omitempty"`
		Failure *verdict `xml:"failure,omitempty"`
		Out     string   `xml:"system-out,omitempty"`
	}
	verdict struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes JUnit's XML: a suite a run, a case a cell. Failed cells and those
// with a finding (a regression, a broken limit) are failures with the reason; a
// cell that its scenario expected to fail is none; what was not run, and what
// nothing can be told of, is skipped. A report without records, such as a comparison, has a case a row.
func JUnit(w io.Writer, r *table.Report) error {
	all := testSuites{Name: Visible(r.Title)}
	runs := runNames(r)
	for i, part := range r.Each() {
		s := suiteOf(part)
		if runs[i] != "" {
			s.Name = runs[i]
		}
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Skipped += s.Skipped
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("writing junit: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("writing junit: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("writing junit: %w", err)
	}
	return nil
}

func suiteOf(r *table.Report) testSuite {
	info := r.Info
	s := testSuite{Name: Visible(r.Title), Hostname: Visible(info.Host.Name), Cases: []testCase{}}
	if info.ID != "" {
		s.Name = Visible(info.ID)
		s.Properties = &[]xmlPair{{"title", Visible(r.Title)}}
		for _, warning := range r.Warnings {
			*s.Properties = append(*s.Properties, xmlPair{"warning", Visible(warning)})
		}
	}
	if !info.Started.IsZero() {
		s.Timestamp = info.Started.UTC().Format("2006-01-02T15:04:05")
	}
	seen := map[bench.Key]bool{}
	total := time.Duration(0)
	for _, c := range r.Tried() {
		seen[c.Cell.Key] = true
		took := spent(c.Rounds)
		total += took
		s.Cases = append(s.Cases, caseOf(info.Plan, c, took))
	}
	if total > 0 {
		s.Time = seconds(total)
	}
	s.Cases = append(s.Cases, rowCases(r, seen)...)
	for _, c := range s.Cases {
		s.Tests++
		if c.Failure != nil {
			s.Failures++
		}
		if c.Skipped != nil {
			s.Skipped++
		}
	}
	return s
}

func caseOf(p bench.Plan, c table.Tried, took time.Duration) testCase {
	system, point := placeOf(p, c.Cell)
	t := testCase{Class: system, Name: point, Out: figures(c)}
	if took > 0 {
		t.Time = seconds(took)
	}
	reason := Visible(c.Reason)
	switch {
	case c.Finding != "":
		t.Failure = &verdict{"finding", Visible(c.Finding), strings.TrimSpace(Visible(c.Finding) + "\n" + reason)}
	case c.State == "":
		t.Skipped = &verdict{Message: Visible(cmp.Or(c.Untold, "not run"))}
	case c.State == bench.StateSkipped || c.State == bench.StateInterrupted:
		t.Skipped = &verdict{Message: reason}
	case c.State.Failed() && !c.Expected():
		t.Failure = &verdict{string(c.State), reason, reason}
	case c.Untold != "":
		t.Skipped = &verdict{Message: Visible(c.Untold)}
	}
	return t
}

// rowCases are the rows that are no cell of the records: all rows of a report
// without records, else those with a finding or of which nothing can be told, so
// that none is lost.
func rowCases(r *table.Report, seen map[bench.Key]bool) (cases []testCase) {
	bare := len(seen) == 0
	findings, untold := r.Findings(), r.Untold()
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			if seen[row.Key] || !bare && row.Finding == "" && row.Untold == "" {
				continue
			}
			seen[row.Key] = true
			c := testCase{Class: Visible(t.Caption), Name: Visible(string(row.Key))}
			switch {
			case findings[row.Key] != "":
				c.Failure = &verdict{"finding", Visible(findings[row.Key]), Visible(findings[row.Key])}
			case row.State.Failed():
				c.Failure = &verdict{string(row.State), string(row.State), ""}
			case row.State == bench.StateSkipped || row.State == bench.StateInterrupted:
				c.Skipped = &verdict{Message: string(row.State)}
			case untold[row.Key] != "":
				c.Skipped = &verdict{Message: Visible(untold[row.Key])}
			}
			cases = append(cases, c)
		}
	}
	return cases
}

// placeOf tells a cell apart into its system and its point.
func placeOf(p bench.Plan, c bench.Cell) (system, point string) {
	labels, key := c.Labels, string(c.Key)
	if labels == nil && c.System >= 0 && c.System < len(p.Systems) {
		labels = p.Systems[c.System].Labels
	}
	system = string(bench.KeyOf(labels))
	if rest, ok := strings.CutPrefix(key, system+","); ok && system != "" {
		key = rest
	}
	if system == "" {
		system = p.Scenario
	}
	return Visible(system), Visible(key)
}

// spent is how long the rounds took, repeats included; 0 where nobody knows.
func spent(rounds []bench.Record) (sum time.Duration) {
	for _, r := range rounds {
		sum += max(r.Took, r.Elapsed)
	}
	return sum
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// figures are the carried metrics of a cell, a line each.
func figures(c table.Tried) string {
	var b strings.Builder
	for _, f := range carried {
		m, _ := table.Lookup(f.metric)
		if v, ok := c.Value(m); ok {
			fmt.Fprintf(&b, "%s\n", strings.TrimSpace(fmt.Sprintf("%s %.6g %s", m.Name, v.Number, m.Span(v, fourDigits))))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	if c.Reason != "" {
		fmt.Fprintf(&b, "%s: %s\n", c.State, Visible(c.Reason))
	}
	return b.String()
}
