package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"matrix/internal/export"
	"matrix/internal/fixtures"
	"matrix/internal/site"
)

func serveCommand() *cobra.Command {
	var o fixtures.Options
	var delays []string
	var s site.Options
	var pages bool
	c := &cobra.Command{
		Use:   "serve [--site [RESULTS]]",
		Short: "Serve a folder with the embedded file server, or the site of all runs",
		Long: "Serve a folder with the embedded file server or, with --site, the site that 'matrix site' makes of a results\n" +
			"folder; its pages follow a sweep as it goes on. Looking costs at most a tenth of the time of one core.",
		Example: "  matrix serve --root files\n  matrix serve --site results",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && !pages {
				return failure{exitAuthor, errors.New("serve takes the folder to serve as --root, or a results folder with --site")}
			}
			return atMostOne("the results folder")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if pages {
				s.Results = resultsFolder(args)
				if host, _, err := net.SplitHostPort(o.Addr); err == nil && host != "" {
					s.Hosts = append(s.Hosts, host)
				}
				return serveSite(c, o.Addr, siteOptions(s))
			}
			o.Delay = map[string]time.Duration{}
			for _, d := range delays {
				if err := fixtures.ReadDelay(d, o.Delay); err != nil {
					return failure{exitAuthor, fmt.Errorf("--%w", err)}
				}
			}
			o.OnReady = func(url string) { fmt.Fprintf(c.OutOrStdout(), "listening on %s\n", url) }
			minds.Store(true)
			return fixtures.Serve(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.Root, "root", ".", "folder to serve")
	c.Flags().StringVar(&o.Addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 takes a free one")
	c.Flags().BoolVar(&o.NoKeepAlive, "no-keep-alive", false, "close the connection after each answer")
	c.Flags().StringArrayVar(&delays, "delay", nil, "wait so long before each answer: 2ms, or only of one file: small=2ms; may be given again")
	c.Flags().BoolVar(&pages, "site", false, "serve the site of all runs")
	c.Flags().StringVarP(&s.Dir, "output", "o", "", "with --site: folder to make it in, and leave it (default: one that is gone at the end)")
	c.Flags().StringSliceVar(&s.Hosts, "host", nil, "with --site: name by which browsers may ask for it, beside its address and localhost")
	siteFlags(c, &s)
	c.MarkFlagsMutuallyExclusive("site", "root")
	c.MarkFlagsMutuallyExclusive("site", "no-keep-alive")
	c.MarkFlagsMutuallyExclusive("site", "delay")
	return c
}

func serveSite(c *cobra.Command, addr string, o site.Options) error {
	minds.Store(true)
	ctx := c.Context()
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "matrix-site-")
		if err != nil {
			return fmt.Errorf("making a folder for the site: %w", err)
		}
		defer os.RemoveAll(dir)
		o.Dir = dir
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", loopback(addr))
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	live, made, err := site.NewLive(ctx, o)
	if err != nil {
		return errors.Join(siteFailure(c, err), listener.Close())
	}
	defer live.Close()
	tell := func(made *site.Made, err error) {
		if err == nil {
			err = tellSite(c.OutOrStdout(), o.Dir, made)
		}
		if err != nil {
			fmt.Fprintln(c.ErrOrStderr(), "notice:", export.Visible(err.Error()))
		}
	}
	tell(made, nil)
	fmt.Fprintf(c.OutOrStdout(), "listening on http://%s\n", listener.Addr())
	ctx, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		live.Watch(ctx, patience, tell)
	}()
	err = live.Serve(ctx, listener)
	stop()
	<-watched // it writes to the folder that goes away
	return err
}

// patience looks each second, or less often where a look takes long.
func patience(took time.Duration) <-chan time.Time {
	const share = 9 // of idle time to each of work
	return time.After(max(time.Second, share*took))
}

// loopback puts this machine before a port alone: others are let in by name.
func loopback(addr string) string {
	if host, port, err := net.SplitHostPort(addr); err == nil && host == "" {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}
