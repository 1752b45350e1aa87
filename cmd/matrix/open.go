package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"matrix/internal/export"
	"matrix/internal/published"
	"matrix/internal/results"
)

// publishedFolder is where a folder of results has its published runs.
const publishedFolder = "published"

// openRun opens the run that a reference on the command line means: one on the
// disk, as results.Find resolves it, or else a published one. A run on the disk
// that hides a published one is told of on stderr.
func openRun(stderr io.Writer, root, ref string) (*results.Run, error) {
	dir, unfound := results.Find(root, ref)
	if unfound != nil {
		run, err := openPublished(root, ref)
		switch {
		case run != nil || err != nil:
			return run, err
		case filepath.Base(ref) == ref && !errors.Is(unfound, fs.ErrPermission): // it may be meant for a name
			unfound = fmt.Errorf("%w; the published runs are %s", unfound, strings.Join(published.Names(), ", "))
		}
		return nil, failure{exitAuthor, unfound}
	}
	run, err := results.Open(dir)
	if err == nil && slices.Contains(published.Names(), ref) && run.Info().ID != publishedFolder+"/"+ref {
		fmt.Fprintf(stderr, "notice: %s is the run in %s here; the published one is %s/%s\n", ref, export.Visible(dir), publishedFolder, ref)
	}
	return run, err
}

// tellNotes says what is wrong with the journal of a run.
func tellNotes(stderr io.Writer, run *results.Run) {
	for _, n := range run.Notes() {
		fmt.Fprintf(stderr, "note: %s\n", export.Visible(n.Text))
	}
}

// openPublished opens a published run by its name, "ccp14-2001" or
// "published/ccp14-2001": one on the disk, in the folder of published runs, or
// else the one that the program has built in. It returns nil and no error where
// there is neither.
func openPublished(root, ref string) (*results.Run, error) {
	folders := []string{filepath.Join(root, publishedFolder), filepath.Join(defaultResults, publishedFolder)}
	name := filepath.Base(ref)
	if in := filepath.Dir(ref); filepath.Clean(ref) != ref || in != "." && in != publishedFolder && !slices.Contains(folders, in) {
		return nil, nil // the path of something else
	}
	for _, folder := range folders {
		if run, err := results.Open(filepath.Join(folder, name)); err == nil {
			return run, nil
		}
	}
	if !slices.Contains(published.Names(), name) {
		return nil, nil
	}
	return published.Open(name)
}
