package table

import (
	"slices"

	"matrix/internal/unit"
)

// Join makes one report of those of several runs: each table says which run it
// is of, remarks and conditions follow one another, in what their hosts differ
// before them, and the sheet has the runs' IDs in a first column, "run" where no
// label or axis is called so. Verdict and charts are of all runs where these have points in common. One report is
// returned as it is.
func Join(reports []*Report) *Report {
	if len(reports) == 1 {
		return reports[0]
	}
	out := &Report{Title: unit.Counted(len(reports), "run"), Parts: reports, Notes: []Footnote{}, Conditions: []Section{}}
	for _, r := range reports {
		run := r.Info.ID
		out.Width, out.Color = r.Width, r.Color
		out.Runs = append(out.Runs, r.Info)
		out.Records = append(out.Records, r.Records...)
		for _, w := range r.Warnings {
			out.Warnings = append(out.Warnings, joined(run, w))
		}
		for _, t := range r.Tables {
			if t.Caption == r.Title {
				t.Caption = joined(run, r.Title)
			} else {
				t.Caption = joined(run, r.Title, t.Caption)
			}
			out.Tables = append(out.Tables, t)
		}
		out.Notes = mergeNotes(out.Notes, r.Notes)
		for _, s := range r.Conditions {
			s.Title = joined(run, s.Title)
			out.Conditions = append(out.Conditions, s)
		}
	}
	out.Conditions = append(betweenRuns(reports), out.Conditions...)
	out.Sheet = oneBelowTheOther(reports, func(r *Report) func() Sheet { return r.Sheet })
	out.overall(reports)
	return out
}

// joined puts a colon between what is not empty.
func joined(parts ...string) (s string) {
	for _, p := range parts {
		if p == "" {
			continue
		}
		if s != "" {
			s += ": "
		}
		s += p
	}
	return s
}

// mergeNotes adds what is not said yet.
func mergeNotes(all, more []Footnote) []Footnote {
	for _, n := range more {
		i := slices.IndexFunc(all, func(o Footnote) bool { return o.Code == n.Code && o.Text == n.Text })
		if i < 0 {
			all = append(all, n)
			continue
		}
		all[i].Trials += n.Trials
	}
	return all
}

// oneBelowTheOther is a sheet of several runs, the rows of one after those of the
// other.
func oneBelowTheOther(reports []*Report, of func(*Report) func() Sheet) func() Sheet {
	return func() (s Sheet) {
		for _, r := range reports {
			if more := of(r); more != nil {
				if len(s.Header) == 0 {
					s.Header = []string{runLabel(reports)}
				}
				s.add(r.Info.ID, more())
			}
		}
		return s
	}
}

// add appends the rows of a run's sheet under one header, the union of both, whose
// first column is the run.
func (s *Sheet) add(run string, more Sheet) {
	place := make([]int, len(more.Header))
	for i, name := range more.Header {
		place[i] = slices.Index(s.Header, name)
		if place[i] < 0 {
			place[i] = len(s.Header)
			s.Header = append(s.Header, name)
		}
	}
	for _, row := range more.Rows {
		wide := make([]Field, len(s.Header))
		wide[0] = text(run)
		for i, f := range row {
			wide[place[i]] = f
		}
		s.Rows = append(s.Rows, wide)
	}
	for i, row := range s.Rows { // those of runs before, as wide as the header is now
		s.Rows[i] = append(row, make([]Field, len(s.Header)-len(row))...)
	}
}
