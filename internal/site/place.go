package site

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"matrix/internal/results"
)

var (
	plainFolder = regexp.MustCompile(`^[a-z0-9][a-z0-9._~-]{0,99}$`)
	notPlain    = regexp.MustCompile(`[^a-z0-9]+`)
)

// ownNames are those at the top of a site that no scenario may take.
var ownNames = []string{indexName, feedName, manifestName}

const (
	indexName   = "index.html"
	compareName = "compare.html"
	historyName = "history.html"
	feedName    = "feed.xml"
	noJekyll    = ".nojekyll"
	lockName    = ".lock"
)

// place is the folder in the site of a scenario's folder. Names that every file
// system and address takes stay; of others a readable beginning stays, with a
// digest of the whole.
func place(folder string) string {
	if plainFolder.MatchString(folder) && !slices.Contains(ownNames, folder) {
		return folder
	}
	hint := strings.Trim(notPlain.ReplaceAllString(strings.ToLower(folder), "-"), "-")
	if len(hint) > 40 {
		hint = strings.TrimRight(hint[:40], "-")
	}
	if hint == "" {
		hint = "scenario"
	}
	sum := sha256.Sum256([]byte(folder))
	return hint + "~" + hex.EncodeToString(sum[:6])
}

// source is a run to make a page of.
type source struct {
	results.Entry
	id, place  string // its folder in the site, and its scenario's
	stamp      string
	prev, next *source // of its scenario, by time; nil at the ends
}

// ErrResults is wrapped by the error of a pass without a results folder.
var ErrResults = errors.New("there is no such results folder")

// found lists the runs of a results folder by scenario, oldest first within each.
func found(root string) (map[string][]*source, error) {
	if at, err := os.Stat(root); err != nil || !at.IsDir() {
		return nil, fmt.Errorf("listing runs: %s: %w", root, ErrResults)
	}
	entries, err := results.List(root)
	if err != nil {
		return nil, err
	}
	all := map[string][]*source{}
	for _, e := range slices.Backward(entries) {
		s := &source{Entry: e, place: place(e.Scenario), stamp: stamp(e.Dir)}
		s.id = s.place + "/" + filepath.Base(e.Dir)
		if before := all[s.place]; len(before) > 0 {
			s.prev = before[len(before)-1]
			s.prev.next = s
		}
		all[s.place] = append(all[s.place], s)
	}
	return all, nil
}

// stamp tells whether the files of a run are those of an earlier pass.
func stamp(dir string) string {
	var parts []string
	for _, name := range []string{headerFile, journalFile} {
		s, err := os.Stat(filepath.Join(dir, name))
		switch {
		case err == nil:
			parts = append(parts, fmt.Sprintf("%d@%d", s.Size(), s.ModTime().UnixNano()))
		case errors.Is(err, os.ErrNotExist):
			parts = append(parts, "none")
		default:
			parts = append(parts, "unknown")
		}
	}
	return strings.Join(parts, " ")
}

func (s *source) idOf(other *source) string {
	if other == nil {
		return ""
	}
	return other.id
}
