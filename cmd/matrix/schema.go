package main

import (
	"errors"

	"github.com/spf13/cobra"

	"matrix/internal/scenario"
	"matrix/internal/table"
)

func schemaCommand() *cobra.Command {
	var reference, columns bool
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files, for editors",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			page := scenario.Schema(known())
			switch {
			case reference && columns:
				return failure{exitAuthor, errors.New("--reference and --columns each print a page of their own: give one")}
			case reference:
				page = scenario.Reference(known())
			case columns:
				page = table.Reference()
			}
			_, err := c.OutOrStdout().Write(page)
			return err
		},
	}
	c.Flags().BoolVar(&reference, "reference", false, "print the reference of every key as Markdown instead (docs/scenario.md)")
	c.Flags().BoolVar(&columns, "columns", false, "print what every column means as Markdown instead (docs/columns.md)")
	return c
}
