// Command matrix runs a benchmark matrix of web servers that a YAML scenario
// declares, and writes comparison tables.
//
// This package is the door: flags, wiring, progress and exit codes, one file a
// subcommand. Only here is anything printed or the process ended; what a sweep
// is and how figures are made stands in internal/.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"matrix/internal/export"
	"matrix/internal/scenario"
)

// The exit codes.
const (
	exitOurs        = 1   // ours: the journal could not be written, a file not be read
	exitAuthor      = 2   // the author's: the scenario or the flags are wrong
	exitFinding     = 3   // a finding: a limit is broken, audit found figures that contradict each other, compare something that became worse
	exitFailedCells = 4   // the sweep ended, and cells failed that were not expected to
	exitInterrupted = 130 // stopped by a signal; what was measured is kept
)

// commands lists every subcommand; each stands in a file of its own.
var commands = []func() *cobra.Command{
	runCommand, planCommand, validateCommand, reportCommand, fixturesCommand, serveCommand, siteCommand,
	doctorCommand, benchCommand, calibrateCommand, auditCommand, compareCommand, historyCommand, pruneCommand, publishedCommand, importCommand, initCommand, schemaCommand, versionCommand, guardCommand, generateCommand,
}

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	unheard := context.AfterFunc(ctx, func() {
		stop() // a second signal ends the process at once
		if !minds.Load() {
			os.Exit(exitInterrupted)
		}
	})
	defer unheard() // before stop, which ends the context, too

	root := rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	code := exitCode(err)
	var problems scenario.Problems
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			fmt.Fprintln(os.Stderr, export.Visible(p.String()))
		}
	case code == exitInterrupted && err.Error() == "":
	default:
		for i, line := range strings.Split(err.Error(), "\n") { // the words may be a server's or a tool's
			if i == 0 {
				line = "matrix: " + line
			}
			fmt.Fprintln(os.Stderr, export.Visible(line))
		}
	}
	return code
}

// minds says that the command looks at its context from now on, and has something
// to put in order before it ends. Until then the first signal ends the process at
// once, whatever it is about.
var minds atomic.Bool

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "matrix",
		Short:         "Benchmark a matrix of web servers and write comparison tables",
		Long:          "matrix runs the grid that a YAML scenario declares (systems x files x concurrency x requests)\nand writes comparison tables as text, CSV, HTML, Markdown and JSON,\nand reports in the formats of benchstat, CI servers and Prometheus.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return failure{exitAuthor, fmt.Errorf("%w (see 'matrix %s --help')", err, c.Name())}
	})
	root.PersistentFlags().BoolP("version", "V", false, "print the version")
	root.SetVersionTemplate(versionLine())
	for _, c := range commands {
		root.AddCommand(c())
	}
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	versioned(root, version())
	return root
}

// versioned has a command and all below it heed --version.
func versioned(c *cobra.Command, version string) {
	c.Version = version
	for _, below := range c.Commands() {
		versioned(below, version)
	}
}

// failure is an error with the exit code it leads to.
type failure struct {
	code int
	err  error
}

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

func exitCode(err error) int {
	var f failure
	var problems scenario.Problems
	switch {
	case errors.As(err, &f):
		return f.code
	case errors.As(err, &problems):
		return exitAuthor
	case isUsage(err):
		return exitAuthor
	default:
		return exitOurs
	}
}

// exactArgs is cobra.ExactArgs with an exit code and a hint at what is missing.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return failure{exitAuthor, fmt.Errorf("%s takes %s (see 'matrix %s --help')", c.Name(), what, c.Name())}
	}
}
