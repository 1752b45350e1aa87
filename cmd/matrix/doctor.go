package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"matrix/internal/bench"
	"matrix/internal/driver"
	"matrix/internal/observe"
	"matrix/internal/system"
	"matrix/internal/unit"
)

func doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Tell which drivers and servers this machine has, its limits, and what would spoil a measurement",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return doctor(c.Context(), c.OutOrStdout()) },
	}
}

func doctor(ctx context.Context, w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(what, name, version string, err error) {
		if err != nil {
			version = "missing: " + err.Error()
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", what, name, version)
	}
	for _, k := range driver.Kinds {
		v, err := k.New().Check(ctx)
		row("driver", k.Name, v, err)
	}
	for _, k := range system.Kinds {
		v, err := k.Check(ctx)
		row("server", k.Name, v, err)
	}
	h := observe.HostInfo()
	row("host", "system", h.OS+", "+h.Kernel, nil)
	row("host", "cpu", fmt.Sprintf("%s, %d cores", h.CPU, h.Cores), nil)
	row("host", "memory", fmt.Sprintf("%d MiB", h.Memory>>20), nil)
	row("limit", "open files", fmt.Sprintf("%d (hard %d)", h.OpenFiles[0], h.OpenFiles[1]), nil)
	for _, name := range []string{"net.core.somaxconn", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_congestion_control"} {
		if v := h.Sysctls[name]; v != "" {
			row("sysctl", name, v, nil)
		}
	}
	work := observe.LookAround(ctx, beforehand)
	if work.Load1 != nil {
		row("host", "load average", fmt.Sprintf("%.2f", *work.Load1), nil)
	}
	if others, ok := work.Taken[bench.Others]; ok {
		if share, ok := others.Share(); ok {
			row("host", "other processes", unit.Share(share)+" of the CPU time", nil)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, n := range observe.Advice(h) {
		fmt.Fprintf(w, "warning: %s\n", n.Text)
	}
	tellWork(w, work)
	return nil
}
