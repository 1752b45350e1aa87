package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// colorMode is a flag that says when text is coloured. It is a pflag.Value.
type colorMode string

var errColor = errors.New("write auto, always or never")

// Set implements pflag.Value.
func (m *colorMode) Set(s string) error {
	switch s {
	case "auto", "always", "never":
		*m = colorMode(s)
		return nil
	}
	return errColor
}

// String implements pflag.Value.
func (m *colorMode) String() string { return string(*m) }

// Type implements pflag.Value.
func (m *colorMode) Type() string { return "auto|always|never" }

func colorFlag(c *cobra.Command, m *colorMode) {
	*m = "auto"
	c.Flags().Var(m, "color", "colour the text: auto does on a terminal unless NO_COLOR is set")
	_ = c.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
}

// wanted decides for an output that is a terminal, or none, in an environment. A
// flag counts more than NO_COLOR (no-color.org), that more than CLICOLOR_FORCE
// (bixense.com/clicolors), and that more than what the output is.
func (m colorMode) wanted(terminal bool, getenv func(string) string) bool {
	force := getenv("CLICOLOR_FORCE")
	switch {
	case m == "always":
		return true
	case m == "never" || getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return terminal && getenv("TERM") != "dumb"
}

// onStdout decides for the standard output.
func (m colorMode) onStdout() bool { return m.onOutput("") }

// onOutput decides for a file, or for the standard output where none is named.
func (m colorMode) onOutput(file string) bool {
	return m.wanted(file == "" && term.IsTerminal(int(os.Stdout.Fd())), os.Getenv)
}
