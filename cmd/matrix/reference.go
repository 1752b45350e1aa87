package main

import (
	"fmt"
	"io"
	"path/filepath"

	"matrix/internal/bench"
	"matrix/internal/results"
	"matrix/internal/table"
)

// publishedRuns is where the repository keeps what others published.
const publishedRuns = "results/published"

// findReference opens the published run that a plan names: by its folder, or by
// its name among the published ones here or beside the runs under root.
func findReference(ref *bench.Reference, root string) (*results.Run, error) {
	for _, dir := range []string{ref.Run, filepath.Join(publishedRuns, ref.Run), filepath.Join(root, "published", ref.Run)} {
		if run, err := results.Open(dir); err == nil {
			return run, nil
		}
	}
	return nil, fmt.Errorf("reference: there is no run %s, neither here nor in %s", ref.Run, publishedRuns)
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

// noticeReference tells of a published run that is not there before a sweep of
// hours, and not only in its report.
func noticeReference(w io.Writer, ref *bench.Reference, root string) {
	if ref == nil {
		return
	}
	if _, err := findReference(ref, root); err != nil {
		fmt.Fprintf(w, "notice: %v\n", err)
	}
}
