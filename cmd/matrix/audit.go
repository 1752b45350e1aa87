package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"matrix/internal/audit"
	"matrix/internal/bench"
	"matrix/internal/export"
	"matrix/internal/table"
	"matrix/internal/unit"
)

func auditCommand() *cobra.Command {
	var root string
	var rules strings.Builder
	for _, r := range audit.Rules {
		fmt.Fprintf(&rules, "  %-12s %s\n", r.Name, r.Doc)
	}
	c := &cobra.Command{
		Use:   "audit RUN...",
		Short: "Ask whether the figures of a run agree with each other",
		Long: "Hold the figures of each trial against each other, within the precision they were printed with, and name\n" +
			"each contradiction with its cell, the rule, the figures and by how much. Exit status 3 when there is one.\n\nThe rules:\n" + rules.String() +
			fmt.Sprintf("  %-12s %s", audit.Copied, "Two printed cells do not share all of their times."),
		Example: "  matrix audit latest\n  matrix audit results/published/solaris-2002",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return failure{exitAuthor, errors.New("audit takes at least one run: its folder, or 'latest'")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			n := 0
			for _, ref := range args {
				found, err := auditOne(c, root, ref)
				if err != nil {
					return err
				}
				n += found
			}
			if n > 0 {
				return failure{exitFinding, fmt.Errorf("%s", unit.Counted(n, "contradiction"))}
			}
			return nil
		},
	}
	c.Flags().StringVar(&root, "results", defaultResults, "folder that runs are kept in")
	return c
}

func auditOne(c *cobra.Command, root, ref string) (int, error) {
	run, err := openRun(c.ErrOrStderr(), root, ref)
	if err != nil {
		return 0, err
	}
	tellNotes(c.ErrOrStderr(), run)
	w := c.OutOrStdout()
	found := audit.Run(run.Records())
	for _, f := range found {
		fmt.Fprintln(w, findingLine(f))
	}
	fmt.Fprintf(w, "%s: %s, %s\n", run.Dir(), unit.Counted(len(run.Records()), "trial"), unit.Counted(len(found), "contradiction"))
	if n := run.Unsealed(); n > 0 {
		fmt.Fprintf(w, "%s: unsealed: %s, of header and records, without a checksum: a change would not be noticed\n", run.Dir(), unit.Counted(n, "part"))
	}
	return len(found), nil
}

// findingLine is a finding in one line of a terminal: its words may be those of
// a stranger's journal.
func findingLine(f audit.Finding) string {
	line := fmt.Sprintf("%s#%d: %s: %s", f.Key, f.Round, f.Rule, f.Text)
	if f.Off > 0 {
		line += " (off by " + unit.Share(f.Off) + ")"
	}
	return export.Visible(line)
}

// fewFindings is how many of one rule a report shows.
const fewFindings = 3

// auditNotes are the findings as remarks beneath the tables of a report.
func auditNotes(records []bench.Record) (notes []table.Footnote) {
	byRule := map[string][]audit.Finding{}
	var order []string
	for _, f := range audit.Run(records) {
		if !slices.Contains(order, f.Rule) {
			order = append(order, f.Rule)
		}
		byRule[f.Rule] = append(byRule[f.Rule], f)
	}
	for _, rule := range order {
		found := byRule[rule]
		for _, f := range found[:min(len(found), fewFindings)] {
			notes = append(notes, table.Footnote{Code: "audit", Text: findingLine(f)})
		}
		if more := len(found) - fewFindings; more > 0 {
			notes = append(notes, table.Footnote{Code: "audit", Text: fmt.Sprintf("%d more of the rule %s; `matrix audit` lists them.", more, rule)})
		}
	}
	return notes
}
