package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"matrix/internal/export"
	"matrix/internal/history"
	"matrix/internal/table"
	"matrix/internal/unit"
)

type historyFlags struct {
	metrics                 []string
	where, since, threshold string
	format, out, root       string
	width                   int
	color                   colorMode
}

func historyCommand() *cobra.Command {
	var f historyFlags
	c := &cobra.Command{
		Use:   "history [SCENARIO]",
		Short: "Follow each cell over the runs of a scenario, and find where its level moved",
		Long: "Show each cell of a scenario over its runs: a line of marks, the last value, the level, and the run since which the level\n" +
			"is another. A level has moved when the values since then differ in rank from those before, by more than chance would make\n" +
			"them in any of the cells, so that one bad night is none.\n" +
			"What was read of a run is kept in history.index in its folder, which may be deleted at any time.",
		Example: "  matrix history\n  matrix history nightly --metric latency_p99_ms --where 'file=small concurrency=10' --since 90d\n" +
			"  matrix history nightly --format html -o history.html",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return failure{exitAuthor, errors.New("history takes one scenario, or none where there is only one (see 'matrix history --help')")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, strings.Join(args, "")) },
	}
	c.Flags().StringArrayVar(&f.metrics, "metric", []string{"requests_per_second"}, "what to follow; may be given again for more")
	c.Flags().StringVar(&f.where, "where", "", "only these cells: 'file=small concurrency=10,150'")
	c.Flags().StringVar(&f.since, "since", "", "only runs of this age or younger: 30d, 12w")
	c.Flags().StringVar(&f.threshold, "threshold", "2%", "steps up to this are none")
	c.Flags().StringVar(&f.format, "format", "text", strings.Join(historyFormats(), ", "))
	c.Flags().StringVarP(&f.out, "output", "o", "", "file to write to instead of the standard output")
	c.Flags().StringVar(&f.root, "results", defaultResults, "folder that runs are kept in")
	countFlag(c.Flags(), &f.width, "width", "", 0, "columns that text may take (default: the terminal's, or as many as it needs)")
	colorFlag(c, &f.color)
	return c
}

func (f historyFlags) run(c *cobra.Command, name string) error {
	format, options, err := f.checked(time.Now())
	if err != nil {
		return failure{exitAuthor, err}
	}
	options.Scenario = name
	h, err := history.Load(f.root, options)
	if errors.As(err, new(history.Mistake)) {
		return failure{exitAuthor, err}
	}
	if err != nil {
		return err
	}
	report := h.Report()
	report.Width = textWidth(f.width)
	report.Color = f.color.onOutput(f.out)
	var page bytes.Buffer
	if err := format.Export(&page, report); err != nil {
		return fmt.Errorf("writing the history: %w", err)
	}
	return deliver(c.OutOrStdout(), f.format, f.out, page.Bytes())
}

// checked reads the flags; every problem with them at once.
func (f historyFlags) checked(now time.Time) (format export.Format, o history.Options, err error) {
	var problems []error
	format, known := export.Lookup(f.format)
	if !known {
		problems = append(problems, fmt.Errorf("--format %q is not one of %s", f.format, strings.Join(historyFormats(), ", ")))
	}
	if format.Records {
		problems = append(problems, fmt.Errorf("--format %s is of the trials of one run, and a history has none; matrix report writes it", f.format))
	}
	for i, name := range f.metrics {
		if slices.Index(f.metrics, name) < i {
			problems = append(problems, fmt.Errorf("--metric %s is given twice", name))
		}
		if m, known := table.Lookup(name); !known || m.Of == nil {
			problems = append(problems, fmt.Errorf("--metric %q is no metric with numbers; `matrix schema --columns` lists them", name))
		}
	}
	threshold, err := readThreshold(f.threshold, "2%")
	if err != nil {
		problems = append(problems, err)
	}
	o = history.Options{Metrics: f.metrics, Where: f.where, Least: threshold}
	if f.since != "" {
		age, err := readAge(f.since)
		if err != nil {
			problems = append(problems, fmt.Errorf("--since %w", err))
		}
		o.Since = now.Add(-age)
	}
	return format, o, errors.Join(problems...)
}

// historyFormats names those that a report without records has something in.
func historyFormats() (names []string) {
	for _, f := range export.Formats {
		if !f.Records {
			names = append(names, f.Name)
		}
	}
	return names
}

// readAge reads the age of a run: a whole number of hours, days or weeks, up to
// a hundred years.
func readAge(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	units := map[string]time.Duration{"h": time.Hour, "d": day, "w": 7 * day}
	digits := strings.TrimRight(text, "hdw")
	n, err := unit.ParseCount(digits)
	one := units[strings.TrimPrefix(text, digits)]
	if err != nil || one == 0 || n == 0 || n > int64(36525*day/one) {
		return 0, fmt.Errorf("%q is not an age such as 90d, 12w or 36h", text)
	}
	return time.Duration(n) * one, nil
}
