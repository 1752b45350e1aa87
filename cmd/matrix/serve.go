package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"matrix/internal/fixtures"
)

func serveCommand() *cobra.Command {
	var o fixtures.Options
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve a folder with the embedded file server",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.OnReady = func(url string) { fmt.Fprintf(c.OutOrStdout(), "listening on %s\n", url) }
			return fixtures.Serve(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.Root, "root", ".", "folder to serve")
	c.Flags().StringVar(&o.Addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 takes a free one")
	c.Flags().BoolVar(&o.NoKeepAlive, "no-keep-alive", false, "close the connection after each answer")
	return c
}
