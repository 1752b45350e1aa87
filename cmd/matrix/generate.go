package main

import (
	"os"

	"github.com/spf13/cobra"

	"matrix/internal/driver"
)

// generateCommand is one of several generators of a load; see driver.Generate.
func generateCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "generate",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			minds.Store(true)
			return driver.Generate(c.Context(), os.Stdin, os.Stdout)
		},
	}
}
