package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"matrix/internal/bench"
	"matrix/internal/export"
	"matrix/internal/scenario"
	"matrix/internal/system"
)

// askServers has each server of a plan whose configuration is the author's check
// it, and returns what they have against it. What serves, and that a server could
// not be asked, is told on stderr.
func askServers(ctx context.Context, stderr io.Writer, path string, p *bench.Plan) error {
	var all scenario.Problems
	for _, sys := range p.Systems {
		if sys.Server == nil || sys.Server.Config == "" && sys.Server.ConfigFile == "" {
			continue
		}
		notice := func(format string, args ...any) {
			fmt.Fprintf(stderr, "notice: %s:%d:%d: %s\n", path, sys.Server.Line, sys.Server.Col, export.Visible(fmt.Sprintf(format, args...)))
		}
		if text := system.Serves(ctx, sys.Server); text != "" {
			notice("%s", text)
		}
		switch err := askServer(ctx, sys); {
		case err == nil:
		case errors.As(err, new(system.Unasked)):
			notice("the configuration of %s was not checked by the server: %v", sys.ID(), err)
		default:
			all = append(all, scenario.Problem{File: path, Line: sys.Server.Line, Col: sys.Server.Col, Message: export.Visible(err.Error())})
		}
	}
	if len(all) > 0 {
		return all
	}
	return nil
}

// askServer puts the configuration of a system into a folder that is removed
// afterwards.
func askServer(ctx context.Context, sys bench.System) error {
	kind, err := system.KindOf(sys)
	if err != nil {
		return err
	}
	if kind.Ask == nil {
		return system.Unasked{Why: fmt.Errorf("a server of kind %s has no check of its own", kind.Name)}
	}
	dir, err := os.MkdirTemp("", "matrix-validate-*")
	if err != nil {
		return system.Unasked{Why: err}
	}
	defer os.RemoveAll(dir)
	site := system.Site{Dir: filepath.Join(dir, "server"), Docroot: filepath.Join(dir, "files")}
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(site.Docroot, 0o755)); err != nil { // for a server that leaves root
		return system.Unasked{Why: err}
	}
	return kind.Ask(ctx, sys, site)
}
