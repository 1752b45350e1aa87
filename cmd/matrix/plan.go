package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"matrix/internal/bench"
	"matrix/internal/export"
	"matrix/internal/scenario"
	"matrix/internal/unit"
)

func planCommand() *cobra.Command {
	var only, root string
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
			if err := refuseReference(args[0], p.Reference, root); err != nil {
				return err
			}
			return printPlan(c.OutOrStdout(), s, p)
		},
	}
	c.Flags().StringVar(&only, "only", "", "show only the cells that match")
	c.Flags().StringVar(&root, "results", defaultResults, "folder that runs are kept in")
	setFlag(c, &sets)
	return c
}

func validateCommand() *cobra.Command {
	var root string
	c := &cobra.Command{
		Use:   "validate SCENARIO...",
		Short: "Check scenario files and name every mistake in them",
		Long: "Check scenario files and name every mistake in them. Servers with a config or config_file are asked whether they\n" +
			"take it (nginx -t, apache2 -t, lighttpd -tt, configtest of Tomcat), where they are installed.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var all scenario.Problems
			for _, path := range args {
				s, err := checkScenario(path, root)
				if err := collect(&all, err); err != nil {
					return err
				}
				if s == nil {
					continue
				}
				printNotices(c.ErrOrStderr(), s)
				if plan, err := s.Check(os.LookupEnv); err == nil { // else it was told
					if err := collect(&all, askServers(c.Context(), c.ErrOrStderr(), path, plan)); err != nil {
						return err
					}
				}
			}
			if len(all) > 0 {
				return all
			}
			fmt.Fprintf(c.OutOrStdout(), "%d valid\n", len(args))
			return nil
		},
	}
	c.Flags().StringVar(&root, "results", defaultResults, "folder that runs are kept in")
	return c
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
	_, err := fmt.Fprintf(w, "%s (%d skipped) on %s, %s: %s, %s\n%s",
		unit.Counted(len(p.Cells), "cell"), skipped, unit.Counted(len(p.Systems), "system"), upTo(p, 1, "round"), upTo(p, len(p.Cells), "trial"), p.Order, planTime(p))
	return err
}

// upTo counts what there is n of in each round: "6 rounds", or "6 to 30 rounds".
func upTo(p *bench.Plan, n int, what string) string {
	if p.Until == nil || p.Until.Min == p.Rounds {
		return unit.Counted(n*p.Rounds, what)
	}
	return fmt.Sprintf("%d to %s", n*p.Until.Min, unit.Counted(n*p.Rounds, what))
}

// planTime tells how long the load of a plan lasts, as far as that is known
// beforehand, and what bounds or lengthens a sweep.
func planTime(p *bench.Plan) string {
	var parts []string
	if text := loadTime(p); text != "" {
		parts = append(parts, text)
	}
	if p.WarmupTrials > 0 {
		parts = append(parts, unit.Counted(p.WarmupTrials, "warm-up trial")+" of each cell")
	}
	if p.CoolDown != nil {
		parts = append(parts, fmt.Sprintf("up to %s before each trial to cool down", unit.Span(p.CoolDown.Max)))
	}
	if p.Budget > 0 {
		parts = append(parts, "a budget of "+unit.Span(p.Budget))
	}
	if len(p.Limits) > 0 {
		parts = append(parts, unit.Counted(len(p.Limits), "limit"))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "\n"
}

// loadTime is how long the load of the timed cells lasts; "" where there are
// none.
func loadTime(p *bench.Plan) string {
	var round time.Duration
	untimed := 0
	for _, c := range p.Cells {
		if l := c.Load; c.Skip == "" && l.Duration > 0 {
			round += time.Duration(1+p.MultiTimes) * (l.Warmup + l.Ramp + l.Duration)
		} else if c.Skip == "" {
			untimed++
		}
	}
	if round == 0 {
		return ""
	}
	text := "load of " + unit.Span(time.Duration(p.Rounds)*round)
	if p.Until != nil && p.Until.Min < p.Rounds {
		text = fmt.Sprintf("load of %s to %s", unit.Span(time.Duration(p.Until.Min)*round), unit.Span(time.Duration(p.Rounds)*round))
	}
	if untimed > 0 {
		text += fmt.Sprintf(", and that of %s by requests", unit.Counted(untimed, "cell"))
	}
	return text
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
