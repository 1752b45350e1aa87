package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"matrix/internal/system"
)

// guardCommand is what the runner starts servers through, so that they end when
// it does; see system.Guard.
func guardCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "guard",
		Short:              "Run a server, and end it when standard input ends",
		Hidden:             true,
		DisableFlagParsing: true, // what follows is the server's
		RunE: func(c *cobra.Command, args []string) error {
			minds.Store(true) // it ends with its caller, not by a signal
			if len(args) == 1 && (args[0] == "-h" || args[0] == "--help") {
				return c.Help()
			}
			if len(args) == 1 && (args[0] == "-V" || args[0] == "--version") {
				_, err := fmt.Fprint(c.OutOrStdout(), versionLine())
				return err
			}
			return system.Guard(args, os.Stdin)
		},
	}
}
