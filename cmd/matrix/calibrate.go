package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"matrix/internal/bench"
	"matrix/internal/file"
	"matrix/internal/fixtures"
	"matrix/internal/load"
	"matrix/internal/observe"
	"matrix/internal/system"
)

func calibrateCommand() *cobra.Command {
	var each time.Duration
	c := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure what the built-in engine can do at most on this machine",
		Long: "Measure the engine's ceiling against the embedded server and keep it under the user's cache folder.\n" +
			"'matrix run' holds every trial of the native driver against it and notes rates that come near.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			minds.Store(true)
			tellWork(c.ErrOrStderr(), observe.LookAround(c.Context(), beforehand)) // or the ceiling is kept too low
			ceiling, err := calibrate(c.Context(), each)
			if err != nil {
				return err
			}
			path, err := saveCeiling(ceiling)
			if err != nil {
				return err
			}
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintln(t, "keep_alive\tsize_bytes\tconcurrency\trequests_per_second\trequests_per_cpu_second\tceiling\t")
			for _, p := range ceiling.Points {
				fmt.Fprintf(t, "%t\t%d\t%d\t%.0f\t%.0f\t%.0f\t\n", p.KeepAlive, p.SizeBytes, p.Concurrency, p.RequestsPerSecond, p.RequestsPerCPUSecond, p.Most)
			}
			if err := t.Flush(); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "kept in %s\n", path)
			return err
		},
	}
	durationFlag(c.Flags(), &each, "each", 2*time.Second, "time for each of the six loads")
	return c
}

// calibrated lists the loads that a ceiling is measured for.
var calibrated = []bench.CeilingPoint{
	{KeepAlive: true, SizeBytes: 1500, Concurrency: 150}, {SizeBytes: 1500, Concurrency: 150},
	{KeepAlive: true, SizeBytes: 143_000, Concurrency: 50}, {SizeBytes: 143_000, Concurrency: 50},
	{KeepAlive: true, SizeBytes: 658_000, Concurrency: 50}, {SizeBytes: 658_000, Concurrency: 50},
}

func calibrate(ctx context.Context, each time.Duration) (c bench.Ceiling, err error) {
	dir, err := os.MkdirTemp("", "matrix-calibrate-")
	if err != nil {
		return c, fmt.Errorf("making a folder for the null server: %w", err)
	}
	defer os.RemoveAll(dir)
	c = bench.Ceiling{Host: ceilingHost(), Measured: time.Now().UTC()}
	server, err := nullServer(ctx, dir)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	for _, p := range calibrated {
		l := bench.Load{URLs: sizedFile(p.SizeBytes).URLs(server.BaseURL()), Protocol: bench.HTTP11, Conns: p.Concurrency, KeepAlive: p.KeepAlive,
			Duration: each, Warmup: each / 10, Timeout: 10 * time.Second}
		m, err := load.Run(ctx, l)
		if err != nil {
			return c, fmt.Errorf("measuring the ceiling: %w", err)
		}
		if state, reason := m.State(); state != bench.StateOK || m.Client == nil {
			return c, fmt.Errorf("measuring the ceiling: %s: %s", state, reason)
		}
		cpu := m.Client.CPUUser + m.Client.CPUSystem
		p.RequestsPerSecond = float64(m.OK) / m.Elapsed.Seconds()
		p.RequestsPerCPUSecond = float64(m.OK) / cpu
		p.EngineThreads = max(m.Client.Threads, 1)
		p.Most = p.RequestsPerCPUSecond * float64(p.EngineThreads)
		c.Points = append(c.Points, p)
	}
	return c, ctx.Err()
}

func sizedFile(size int64) bench.File { return bench.File{Name: fmt.Sprint(size), Size: size} }

// nullServer starts the embedded server on files of the calibrated sizes.
func nullServer(ctx context.Context, dir string) (*system.Running, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program's own file: %w", err)
	}
	var files []bench.File
	for _, p := range calibrated {
		if p.KeepAlive {
			files = append(files, sizedFile(p.SizeBytes))
		}
	}
	root := filepath.Join(dir, "files")
	if _, err := fixtures.Make(ctx, root, files, 1); err != nil {
		return nil, fmt.Errorf("making the files of the null server: %w", err)
	}
	null := bench.System{Server: &bench.Server{Kind: "embedded"}}
	kind, err := system.KindOf(null)
	if err != nil {
		return nil, err
	}
	return kind.Start(ctx, null, system.Site{Dir: filepath.Join(dir, "server"), Docroot: root, Files: files, Self: []string{self}})
}

// ceilingHost names the machine and the program that a ceiling holds for.
func ceilingHost() string {
	h := observe.HostInfo()
	return fmt.Sprintf("%s, %d cores, %s, matrix %s", h.CPU, h.Cores, h.Kernel, version())
}

func ceilingPath() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w", err)
	}
	return filepath.Join(dir, "matrix", "ceiling.json"), nil
}

func saveCeiling(c bench.Ceiling) (string, error) {
	path, err := ceilingPath()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("keeping the ceiling: %w", err)
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return "", fmt.Errorf("keeping the ceiling: %w", err)
	}
	if err := file.Write(path, append(text, '\n')); err != nil {
		return "", fmt.Errorf("keeping the ceiling: %w", err)
	}
	return path, nil
}

// readCeiling returns the ceiling of this machine and program; the zero Ceiling
// when none was measured, or only one of another.
func readCeiling() (c bench.Ceiling, err error) {
	path, err := ceilingPath()
	if err != nil {
		return bench.Ceiling{}, nil // no home, no cache: nothing to hold against
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return bench.Ceiling{}, nil
	}
	if err != nil {
		return bench.Ceiling{}, fmt.Errorf("reading the ceiling: %w", err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return bench.Ceiling{}, fmt.Errorf("reading the ceiling in %s: %w ('matrix calibrate' writes it anew)", path, err)
	}
	if c.Host != ceilingHost() {
		return bench.Ceiling{}, nil
	}
	return c, nil
}
