package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"matrix/internal/export"
	"matrix/internal/results"
	"matrix/internal/unit"
)

func pruneCommand() *cobra.Command {
	var keep, root string
	var o results.PruneOptions
	c := &cobra.Command{
		Use:   "prune --keep AGE|COUNT",
		Short: "Remove the folders of old runs",
		Long: "Remove the folders of runs that are older than an age, or of all but so many of the newest runs of each scenario.\n" +
			"The newest run of a scenario stays whatever its age, and so do a run that is being written and one whose folder holds\n" +
			"a file called keep. What is not the folder of a run is left alone.",
		Example: "  matrix prune --keep 90d --dry-run\n  matrix prune --keep 30 --scenario nightly",
		Args:    exactArgs(0, "no arguments but --keep"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := readKeep(keep, time.Now(), &o); err != nil {
				return failure{exitAuthor, err}
			}
			if o.Scenario != "" {
				if _, err := results.Latest(root, o.Scenario); err != nil {
					return failure{exitAuthor, fmt.Errorf("--scenario: %w", err)}
				}
			}
			list, err := results.Prune(root, o)
			tellPruned(c.OutOrStdout(), list, o.DryRun)
			return err
		},
	}
	c.Flags().StringVar(&keep, "keep", "", "what stays: runs of this age or younger (90d, 12w, 36h), or so many of each scenario (30)")
	c.Flags().StringVar(&o.Scenario, "scenario", "", "only runs of this scenario")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "remove nothing, only tell what would be")
	c.Flags().StringVar(&root, "results", defaultResults, "folder that runs are kept in")
	return c
}

func readKeep(text string, now time.Time, o *results.PruneOptions) error {
	if text == "" {
		return fmt.Errorf("prune takes --keep: an age such as 90d, or a number of runs such as 30")
	}
	if n, err := unit.ParseCount(text); err == nil && n > 0 && n <= math.MaxInt32 {
		o.Runs = int(n)
		return nil
	}
	age, err := readAge(text)
	if err != nil {
		return fmt.Errorf("--keep %q is neither an age such as 90d, 12w or 36h nor a number of runs such as 30", text)
	}
	o.Before = now.Add(-age)
	return nil
}

func tellPruned(w io.Writer, list []results.Pruned, dry bool) {
	verb, n, bytes := "removed", 0, 0.0
	if dry {
		verb = "would remove"
	}
	for _, p := range list {
		if p.Kept != "" {
			fmt.Fprintf(w, "kept %s: %s\n", export.Visible(p.Dir), export.Visible(p.Kept))
			continue
		}
		fmt.Fprintf(w, "%s %s (%s)\n", verb, export.Visible(p.Dir), sizeText(float64(p.Bytes)))
		n++
		bytes += float64(p.Bytes)
	}
	fmt.Fprintf(w, "%s%s %s, %s\n", strings.ToUpper(verb[:1]), verb[1:], unit.Counted(n, "run"), sizeText(bytes))
}

func sizeText(bytes float64) string {
	scale := unit.Pick([]float64{bytes}, unit.Bytes)
	if scale.Factor == 1 {
		return strconv.FormatFloat(bytes, 'f', 0, 64) + " " + scale.Label
	}
	return scale.Format(bytes) + " " + scale.Label
}
