package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"matrix/internal/export"
	"matrix/internal/file"
	"matrix/internal/results"
	"matrix/internal/table"
)

// writeBundle writes one zip file with the reports of runs, their headers,
// journals and raw output. Of one run it is the folder of the run; of several it
// has a folder each under runs/, and above them the reports of all.
func writeBundle(path string, runs []*results.Run) error {
	entries, err := bundled(runs)
	if err != nil {
		return err
	}
	if err := file.Replace(path, func(w io.Writer) error { return export.Bundle(w, entries) }); err != nil {
		return fmt.Errorf("writing the bundle: %w", err)
	}
	return nil
}

func bundled(runs []*results.Run) ([]export.Entry, error) {
	if len(runs) == 1 {
		return entriesOf("", runs[0], buildReport(runs[0], 0))
	}
	var below []export.Entry
	var reports []*table.Report
	var links []table.Link
	var newest time.Time
	taken := map[string]bool{}
	for _, run := range runs {
		report := buildReport(run, 0)
		folder := "runs/" + folderOf(run.Info().ID, taken) + "/"
		entries, err := entriesOf(folder, run, report)
		if err != nil {
			return nil, err
		}
		below = append(below, entries...)
		reports = append(reports, moved(report, nil))
		links = append(links, table.Link{Text: "the report of " + run.Info().ID, Address: folder + "report.html"})
		if at := ended(run); at.After(newest) {
			newest = at
		}
	}
	all := moved(table.Join(reports), append(linksTo(export.Files()), links...))
	return append(reportEntries("", all, newest), below...), nil
}

// entriesOf are the reports of a run, then its data.
func entriesOf(folder string, run *results.Run, report *table.Report) ([]export.Entry, error) {
	report.Links = append(linksTo(export.Files()), linksToData...)
	entries := reportEntries(folder, report, ended(run))
	names, err := run.Files()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		entries = append(entries, export.Entry{Name: folder + name, Modified: ended(run), Write: func(w io.Writer) error {
			f, err := run.OpenFile(name)
			if err != nil {
				return err
			}
			_, err = io.Copy(w, f)
			return errors.Join(err, f.Close())
		}})
	}
	return entries, nil
}

func reportEntries(folder string, report *table.Report, at time.Time) (entries []export.Entry) {
	for _, file := range export.Files() {
		entries = append(entries, export.Entry{Name: folder + file.Name, Modified: at, Write: func(w io.Writer) error { return file.Export(w, report) }})
	}
	return entries
}

// ended is when a run was over, or else when it began.
func ended(run *results.Run) time.Time {
	if at := run.Info().Finished; at != nil {
		return *at
	}
	return run.Info().Started
}

// folderOf is a folder's name for a run's ID, which a file of somebody else's may
// have told: of plain characters, and none twice.
func folderOf(id string, taken map[string]bool) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_':
			return r
		}
		return '-'
	}, id)
	if strings.Trim(name, ".") == "" {
		name = "run"
	}
	unique := name
	for n := 2; taken[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", name, n)
	}
	taken[unique] = true
	return unique
}
