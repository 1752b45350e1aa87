package main

import (
	"os"

	"github.com/spf13/cobra"

	"matrix/internal/system"
)

// guardCommand is what the runner starts servers through, so that they end when
// it does; see system.Guard.
func guardCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "guard",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			minds.Store(true) // it ends with its caller, not by a signal
			return system.Guard(args, os.Stdin)
		},
	}
}
