package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/scenario"
)

// refuseFiles names what the cells of a plan and its systems need on this machine
// and lack: certificates, and programs of kind command. Without this, each of
// their trials would fail for it.
func refuseFiles(path string, p *bench.Plan) error {
	var all scenario.Problems
	seen := map[scenario.Problem]bool{}
	add := func(line, col int, format string, args ...any) {
		problem := scenario.Problem{File: path, Line: line, Col: col, Message: fmt.Sprintf(format, args...)}
		if !seen[problem] {
			seen[problem] = true
			all = append(all, problem)
		}
	}
	for _, c := range p.Cells {
		if tls := c.Load.TLS; tls != nil && c.Skip == "" {
			for _, f := range []struct{ key, path string }{{"ca_file", tls.CAFile}, {"cert_file", tls.CertFile}, {"key_file", tls.KeyFile}} {
				if err := readable(f.path); err != nil {
					add(c.Line, c.Col, "%s: %v", f.key, err)
				}
			}
		}
		sys := p.Systems[c.System]
		if srv := sys.Server; srv != nil && len(srv.Argv) > 0 && c.Skip == "" && !strings.Contains(srv.Argv[0], "{") {
			if _, err := exec.LookPath(srv.Argv[0]); err != nil {
				add(c.Line, c.Col, "the server of %s cannot be started: %v", sys.ID(), err)
			}
		}
	}
	if len(all) > 0 {
		return all
	}
	return nil
}

// readable is why a file cannot be read; "" is none that is asked for.
func readable(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}
