package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"matrix/internal/bench"
	"matrix/internal/export"
	"matrix/internal/scenario"
)

func planCommand() *cobra.Command {
	var only string
	var sets []string
	c := &cobra.Command{
		Use:   "plan SCENARIO",
		Short: "Show the cells of a scenario and where each setting comes from",
		Args:  exactArgs(1, "one scenario file"),
		RunE: func(c *cobra.Command, args []string) error {
			s, p, err := readPlan(args[0], only, sets...)
			if err != nil {
				return err
			}
			return printPlan(c.OutOrStdout(), s, p)
		},
	}
	c.Flags().StringVar(&only, "only", "", "show only the cells that match")
	setFlag(c, &sets)
	return c
}

func validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "validate SCENARIO...",
		Short: "Check scenario files and name every mistake in them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var all scenario.Problems
			for _, path := range args {
				s, err := checkScenario(path)
				if err := collect(&all, err); err != nil {
					return err
				}
				if s != nil {
					printNotices(c.ErrOrStderr(), s)
				}
			}
			if len(all) > 0 {
				return all
			}
			fmt.Fprintf(c.OutOrStdout(), "%d valid\n", len(args))
			return nil
		},
	}
}

func printPlan(w io.Writer, s *scenario.Scenario, p *bench.Plan) error {
	skipped := 0
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range p.Cells {
		note := ""
		if c.Skip != "" {
			skipped++
			note = "skipped: " + c.Skip
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", export.Visible(string(c.Key)), c.Driver, note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := printOrigins(w, s.Explain()); err != nil {
		return err
	}
	printNotices(w, s)
	_, err := fmt.Fprintf(w, "%s (%d skipped) on %s, %s: %s, %s\n",
		countOf(len(p.Cells), "cell"), skipped, countOf(len(p.Systems), "system"), countOf(p.Rounds, "round"), countOf(len(p.Cells)*p.Rounds, "trial"), p.Order)
	return err
}

// printOrigins tells which level each setting was taken from.
func printOrigins(w io.Writer, origins []scenario.Origin) error {
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "setting\tvalue\tfrom\tline\tcells")
	for _, o := range origins {
		line := "-"
		if o.Line > 0 {
			line = fmt.Sprint(o.Line)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\n", o.Setting, o.Value, o.Level, line, o.Cells)
	}
	fmt.Fprintln(t)
	return t.Flush()
}

func printNotices(w io.Writer, s *scenario.Scenario) {
	for _, n := range s.Notices() {
		fmt.Fprintf(w, "notice: %s\n", n)
	}
}
