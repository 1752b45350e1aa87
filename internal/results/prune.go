package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	keepName = "keep"     // a file of this name in a run's folder saves it from Prune
	goneName = ".pruned-" // before the name of a folder that is being removed
)

// PruneOptions say which runs go. Exactly one of Before and Runs is set.
type PruneOptions struct {
	Before   time.Time // runs that started earlier
	Runs     int       // all but so many of the newest runs of each scenario
	Scenario string    // of this one alone; "": of each
	DryRun   bool      // remove nothing, only tell
}

// Pruned is a run that was to go.
type Pruned struct {
	Entry
	Bytes int64  // of its files
	Kept  string // why it stayed after all; "" when it went
}

// Prune removes the folders of old runs under root and returns them, oldest
// first. The newest run of each scenario always stays, and so do one that is
// being written and one with a file called keep in it. What is no folder of a
// run is not touched. One that cannot be removed keeps no other from going: what
// went is returned beside the errors.
func Prune(root string, o PruneOptions) ([]Pruned, error) {
	all, err := List(root)
	if err != nil {
		return nil, err
	}
	if o.Scenario != "" {
		if _, err := nth(root, o.Scenario, 0); err != nil {
			return nil, err
		}
	}
	var old []Entry
	seen := map[string]int{}
	for _, e := range all {
		n := seen[e.Scenario]
		seen[e.Scenario]++
		goes := e.Started.Before(o.Before)
		if o.Runs > 0 {
			goes = n >= o.Runs
		}
		if n > 0 && goes && (o.Scenario == "" || e.Of(o.Scenario)) {
			old = append([]Entry{e}, old...)
		}
	}
	var list []Pruned
	var problems []error
	for _, e := range old {
		p, err := prune(e, o.DryRun)
		if err != nil {
			problems = append(problems, fmt.Errorf("removing %s: %w", e.Dir, err))
			continue
		}
		list = append(list, p)
	}
	if !o.DryRun {
		problems = append(problems, removeRest(root)...)
	}
	return list, errors.Join(problems...)
}

func prune(e Entry, dry bool) (Pruned, error) {
	p := Pruned{Entry: e, Bytes: sizeOf(e.Dir)}
	if _, err := os.Lstat(filepath.Join(e.Dir, keepName)); err == nil {
		p.Kept = "it has a file called " + keepName
		return p, nil
	}
	path := filepath.Join(e.Dir, lockName)
	if _, err := os.Lstat(path); dry && err != nil { // nobody ever locked it, nor is it to be locked now
		return p, nil
	}
	lock := flock.New(path)
	free, err := lock.TryLock()
	if err != nil {
		return p, err
	}
	defer lock.Close()
	if !free || written(e.Dir) {
		free = false
		p.Kept = "it is being written" + holder(path)
	}
	if dry || !free {
		return p, nil
	}
	// Under another name it is no run any more, whatever ends the removal midway.
	gone := filepath.Join(filepath.Dir(e.Dir), goneName+filepath.Base(e.Dir))
	if err := os.RemoveAll(gone); err != nil {
		return p, err
	}
	if err := os.Rename(e.Dir, gone); err != nil {
		return p, err
	}
	return p, os.RemoveAll(gone)
}

// written tells whether another process holds the journal of a run, whatever has
// become of the file of the name lock.
func written(dir string) bool {
	f, err := openRegular(filepath.Join(dir, journalName))
	if err != nil {
		return false
	}
	defer f.Close()
	return lockFile(f) != nil
}

// removeRest removes what an earlier Prune was kept from removing whole.
func removeRest(root string) (problems []error) {
	of, err := scenarios(root)
	if err != nil {
		return []error{fmt.Errorf("listing runs: %w", err)}
	}
	for _, scenario := range of {
		names, err := folders(filepath.Join(root, scenario))
		if err != nil {
			problems = append(problems, fmt.Errorf("listing runs: %w", err))
		}
		for _, name := range names {
			run, ours := strings.CutPrefix(name, goneName)
			if _, _, ok := parseFolder(run); ours && ok {
				if err := os.RemoveAll(filepath.Join(root, scenario, name)); err != nil {
					problems = append(problems, fmt.Errorf("removing what was left of a run: %w", err))
				}
			}
		}
	}
	return problems
}

// sizeOf adds up the regular files below dir, without following links; what
// cannot be read has no say.
func sizeOf(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
