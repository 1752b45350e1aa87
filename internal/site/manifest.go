package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"matrix/internal/file"
)

const (
	manifestName    = "site.json"
	manifestVersion = 1
	longestManifest = 256 << 20 // bytes
)

// ErrNotSite is wrapped by the error of a pass that was pointed at a folder
// that holds something else.
var ErrNotSite = errors.New("it is no site made by matrix")

// manifest is what the folder of a site holds, and what it was made of.
type manifest struct {
	Version   int                 `json:"matrix_site"`
	Settings  string              `json:"settings"`  // the program and the options that show on every page
	Runs      map[string]run      `json:"runs"`      // by ID
	Scenarios map[string]scenario `json:"scenarios"` // by their folder in the site
	Files     []string            `json:"files"`     // of the site as a whole, as are those of run and scenario: from its folder, with slashes
}

// run is what the site remembers of a run. Its ID is its folder in the site,
// "<scenario>/<time>".
type run struct {
	Stamp   string `json:"stamp"`          // of its header and journal
	Prev    string `json:"prev,omitempty"` // ID of the run before it, that its page links to
	Next    string `json:"next,omitempty"`
	Against string `json:"against,omitempty"` // stamp of the run before it

	Scenario   string    `json:"scenario"` // its name
	Title      string    `json:"title"`
	Started    time.Time `json:"started"`
	Unfinished bool      `json:"unfinished,omitempty"`
	Verdict    string    `json:"verdict"`
	Cells      int       `json:"cells"`              // that the plan has
	Measured   int       `json:"measured"`           // that were tried: a cell skipped or interrupted was not
	Failed     int       `json:"failed,omitempty"`   // of Measured, those with no round that is ranked
	Compared   bool      `json:"compared,omitempty"` // with the run before it
	Unlike     string    `json:"unlike,omitempty"`   // why it is not, in words
	Told       int       `json:"told,omitempty"`     // cells of which it is told whether they became worse since then
	Untold     int       `json:"untold,omitempty"`   // cells of which it cannot be
	Worse      int       `json:"worse,omitempty"`    // of Told, those that did
	Findings   []string  `json:"findings,omitempty"` // these, the first of them
	Problem    string    `json:"problem,omitempty"`  // why it cannot be read; the rest is then what its folder tells
	Files      []string  `json:"files"`
}

// scenario is what the site remembers of the pages of a scenario.
type scenario struct {
	Digest string              `json:"digest"`          // of all that its pages are made of
	Steps  map[string][]string `json:"steps,omitempty"` // by the ID of the run where a median moved, for the worse
	Files  []string            `json:"files"`
}

// readManifest reads the manifest of the site in dir. A folder that is missing
// or empty is a site without pages; any other without a manifest is refused.
func readManifest(dir string) (*manifest, error) {
	none := &manifest{Version: manifestVersion, Runs: map[string]run{}, Scenarios: map[string]scenario{}}
	f, err := os.Open(filepath.Join(dir, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return none, vacant(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("opening manifest: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longestManifest))
	if err != nil {
		return nil, fmt.Errorf("reading manifest: %w", err)
	}
	m, err := parseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", filepath.Join(dir, manifestName), err)
	}
	return m, nil
}

func parseManifest(text []byte) (*manifest, error) {
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotSite, err)
	}
	if m.Version != manifestVersion {
		return nil, fmt.Errorf("%w of version %d, but of %d", ErrNotSite, manifestVersion, m.Version)
	}
	for _, name := range m.all() {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("%w: it lists %q, which is outside of the site", ErrNotSite, name)
		}
	}
	if m.Runs == nil {
		m.Runs = map[string]run{}
	}
	if m.Scenarios == nil {
		m.Scenarios = map[string]scenario{}
	}
	return &m, nil
}

// vacant refuses a folder with anything in it, but for the .git of a checkout
// that pages are published from.
func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening the folder of the site: %w", err)
	}
	for _, e := range entries {
		if e.Name() != ".git" && e.Name() != lockName {
			return fmt.Errorf("%s is not empty, and %w: it holds %s but no %s; name a new folder", dir, ErrNotSite, e.Name(), manifestName)
		}
	}
	return nil
}

func (m *manifest) write(dir string) (changed bool, err error) {
	text, err := json.Marshal(m)
	if err != nil {
		return false, fmt.Errorf("writing manifest: %w", err)
	}
	return put(dir, manifestName, append(text, '\n'))
}

// all is every file that the manifest lists, in order.
func (m *manifest) all() []string {
	files := slices.Clone(m.Files)
	for _, r := range m.Runs {
		files = append(files, r.Files...)
	}
	for _, s := range m.Scenarios {
		files = append(files, s.Files...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// put writes a file of the site, whole or not at all, unless it holds these
// very bytes.
func put(dir, name string, text []byte) (changed bool, err error) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if same(path, text) {
		return false, nil
	}
	if err := makeWay(dir, name); err != nil {
		return false, fmt.Errorf("writing %s: %w", name, err)
	}
	if err := file.Write(path, text); err != nil {
		return false, fmt.Errorf("writing %s: %w", name, err)
	}
	return true, nil
}

// makeWay makes the folders that lead to a file of the site. One that is a link
// which leads out of the site is an error, as it is for sweep.
func makeWay(dir, name string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o755)
}

func same(path string, text []byte) bool {
	if s, err := os.Lstat(path); err != nil || !s.Mode().IsRegular() || s.Size() != int64(len(text)) {
		return false
	}
	held, err := os.ReadFile(path)
	return err == nil && string(held) == string(text)
}

// sweep removes what an earlier pass made and this one did not, and folders that
// are empty then. It returns what is gone.
func sweep(dir string, before, after []string) (gone []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("removing pages: %w", err)
	}
	defer root.Close()
	for _, name := range before {
		if _, kept := slices.BinarySearch(after, name); kept {
			continue
		}
		if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return gone, fmt.Errorf("removing pages: %w", err)
		}
		gone = append(gone, name)
		for up := filepath.Dir(filepath.FromSlash(name)); up != "."; up = filepath.Dir(up) {
			if root.Remove(up) != nil { // not empty
				break
			}
		}
	}
	return gone, nil
}
