package main

import (
	"github.com/spf13/cobra"

	"matrix/internal/scenario"
)

func schemaCommand() *cobra.Command {
	var reference bool
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files, for editors",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			page := scenario.Schema(known())
			if reference {
				page = scenario.Reference(known())
			}
			_, err := c.OutOrStdout().Write(page)
			return err
		},
	}
	c.Flags().BoolVar(&reference, "reference", false, "print the reference of every key as Markdown instead")
	return c
}
