package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"matrix/internal/export"
	"matrix/internal/results"
	"matrix/internal/site"
	"matrix/internal/table"
	"matrix/internal/unit"
)

func siteCommand() *cobra.Command {
	var o site.Options
	c := &cobra.Command{
		Use:   "site [RESULTS] -o DIR",
		Short: "Make a static site of all runs: pages, histories, comparisons, a feed",
		Long: "Make a site of a results folder that any web server can hand out: a front page, a page for each run with its\n" +
			"data beside it, the history of each scenario, its last two runs compared, and an Atom feed of what became worse.\n" +
			"Called again, it makes only what changed, and removes the pages of runs that are gone. A run that cannot be\n" +
			"read gets a page that says why; the rest is made, and the exit status is 1.",
		Example: "  matrix site -o public\n  matrix site results -o public --url https://example.org/bench/",
		Args:    atMostOne("the results folder"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Results = resultsFolder(args)
			if o.Dir == "" {
				return failure{exitAuthor, errors.New("site takes a folder to make: -o DIR")}
			}
			minds.Store(true)
			made, err := site.Make(c.Context(), siteOptions(o))
			if err != nil {
				return siteFailure(c, err)
			}
			return tellSite(c.OutOrStdout(), o.Dir, made)
		},
	}
	c.Flags().StringVarP(&o.Dir, "output", "o", "", "folder of the site: a new one, an empty one, or one made before")
	c.Flags().StringVar(&o.URL, "url", "", "address that the site will have, which a feed needs: https://example.org/bench/")
	siteFlags(c, &o)
	c.Flags().BoolVar(&o.All, "all", false, "make every page anew")
	return c
}

// siteFlags are those of what a site shows.
func siteFlags(c *cobra.Command, o *site.Options) {
	c.Flags().StringVar(&o.Title, "title", "", "title of the front page (default: Benchmark runs)")
	c.Flags().BoolVar(&o.NoRaw, "no-raw", false, "leave out what external tools printed")
}

func siteOptions(o site.Options) site.Options {
	o.Program = version()
	o.Report = func(run *results.Run) *table.Report { return buildReport(run, 0) }
	return o
}

func resultsFolder(args []string) string {
	if len(args) == 0 {
		return defaultResults
	}
	return args[0]
}

// siteFailure gives the author's errors of a site their exit status, and an
// interruption its.
func siteFailure(c *cobra.Command, err error) error {
	switch {
	case c.Context().Err() != nil:
		return failure{exitInterrupted, errors.New("interrupted; the pages made by then are kept")}
	case errors.Is(err, site.ErrNotSite), errors.Is(err, site.ErrURL), errors.Is(err, site.ErrResults):
		return failure{exitAuthor, err}
	default:
		return err
	}
}

func tellSite(w io.Writer, dir string, made *site.Made) error {
	fmt.Fprintf(w, "%s: %s, %s made", dir, unit.Counted(made.Runs, "run"), unit.Counted(made.Pages, "page"))
	if made.Removed > 0 {
		fmt.Fprintf(w, ", %s removed", unit.Counted(made.Removed, "file"))
	}
	fmt.Fprintln(w)
	if len(made.Unreadable) == 0 {
		return nil
	}
	for _, line := range made.Unreadable {
		fmt.Fprintln(w, export.Visible(line))
	}
	return fmt.Errorf("%s could not be read", unit.Counted(len(made.Unreadable), "run"))
}

// atMostOne is cobra.MaximumNArgs(1) with an exit code and a word for what it is.
func atMostOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) <= 1 {
			return nil
		}
		return failure{exitAuthor, fmt.Errorf("%s takes at most %s (see 'matrix %s --help')", c.Name(), what, c.Name())}
	}
}
