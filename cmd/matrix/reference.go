package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/published"
	"matrix/internal/results"
	"matrix/internal/scenario"
	"matrix/internal/table"
)

// findReference opens the published run that a plan names: by its folder, or by
// its name among the published ones.
func findReference(ref *bench.Reference, root string) (*results.Run, error) {
	run, err := results.Open(ref.Run)
	if err == nil {
		return run, nil
	}
	if _, absent := os.Stat(filepath.Join(ref.Run, "run.json")); !errors.Is(absent, fs.ErrNotExist) {
		return nil, err // it is there and cannot be read
	}
	if run, err = openPublished(root, ref.Run); run != nil || err != nil {
		return run, err
	}
	return nil, fmt.Errorf("%q is neither the folder of a run nor a published run; those are %s", ref.Run, strings.Join(published.Names(), ", "))
}

// setBeside adds the published figures to a report whose plan names some.
func setBeside(r *table.Report, root string) {
	ref := r.Info.Plan.Reference
	if ref == nil {
		return
	}
	run, err := findReference(ref, root)
	if err != nil {
		r.Notes = append(r.Notes, table.Footnote{Code: "reference", Text: err.Error()})
		return
	}
	r.Beside(run.Info(), run.Records())
}

// refuseReference is the problem of a scenario whose published run is not there:
// the comparison that it asks for could not be made.
func refuseReference(path string, ref *bench.Reference, root string) error {
	if ref == nil {
		return nil
	}
	if _, err := findReference(ref, root); err != nil {
		return scenario.Problems{{File: path, Line: ref.Line, Col: ref.Col, Message: "reference: " + err.Error()}}
	}
	return nil
}
