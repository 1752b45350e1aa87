package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"matrix/internal/fixtures"
)

func fixturesCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:     "fixtures SCENARIO",
		Short:   "Write the test files of a scenario, to copy to a server",
		Example: "  matrix fixtures scenarios/freebsd-vs-redhat.yaml --dir /var/www/html",
		Args:    exactArgs(1, "one scenario file"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := readScenario(args[0])
			if err != nil {
				return err
			}
			files, seed := s.Files()
			minds.Store(true)
			manifest, err := fixtures.Make(c.Context(), dir, files, seed)
			if err != nil {
				return fmt.Errorf("making the test files: %w", err)
			}
			for _, f := range files {
				what := "1 file"
				if f.Count > 0 {
					what = fmt.Sprintf("%d files", f.Count)
				}
				fmt.Fprintf(c.OutOrStdout(), "%s: %s of %d bytes, served as %s\n", f.Name, what, f.Size, f.Paths()[0])
			}
			fmt.Fprintf(c.OutOrStdout(), "%d files in %s\n", len(manifest.Files), dir)
			return nil
		},
	}
	c.Flags().StringVar(&dir, "dir", "files", "folder to write them to")
	return c
}
