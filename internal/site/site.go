package site

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"matrix/internal/export"
	"matrix/internal/results"
	"matrix/internal/table"
)

// Options say what to make a site of.
type Options struct {
	Results string // folder that runs are kept in; it must exist
	Dir     string // folder of the site; made where it is missing
	Title   string // of the front page; "" for "Benchmark runs"

	// URL is where the site will stand, "https://example.org/bench/": the feed's
	// links are then whole, and its IDs of that host. "" is not known.
	URL string

	// Hosts are names by which browsers may ask for a live site, beside addresses
	// and localhost; the name in URL is one, too.
	Hosts []string

	NoRaw   bool   // leave out what external tools printed
	All     bool   // make every page anew
	Program string // version of matrix; what another made is made anew

	// Report makes the report of a run as it stands elsewhere, too.
	Report func(*results.Run) *table.Report
}

// Made is what a pass did.
type Made struct {
	Runs       int
	Pages      int      // written anew
	Removed    int      // files
	Changed    []string // written or removed: from the site's folder, with slashes, in order
	Unreadable []string // a line for each run that could not be read
}

// saveEvery is how long a pass works before it writes down what it made.
const saveEvery = 5 * time.Second

// pass is one making of a site. Several goroutines make pages of runs.
type pass struct {
	o     Options
	old   *manifest
	roots []string // the results folder, as said and from the root of the file system
	anew  bool     // nothing of an earlier pass holds

	mu      sync.Mutex // guards what follows
	now     *manifest
	saved   time.Time
	changed []string
}

// Make brings the site in o.Dir up to date with the runs in o.Results. A run
// that cannot be read has a page that says so, and stands in Made.Unreadable. When
// ctx ends, what was made by then is kept, and its error returned. The error
// wraps ErrNotSite where o.Dir holds something else.
func Make(ctx context.Context, o Options) (*Made, error) {
	p, err := begin(&o)
	if err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(o.Dir, lockName))
	if ok, err := lock.TryLock(); err != nil {
		return nil, fmt.Errorf("locking the site: %w", err)
	} else if !ok {
		return nil, fmt.Errorf("locking the site: another matrix is making %s; wait for it", o.Dir)
	}
	defer lock.Close()
	if p.old, err = readManifest(o.Dir); err != nil {
		return nil, err
	}
	return p.make(ctx)
}

func begin(o *Options) (*pass, error) {
	if o.Title == "" {
		o.Title = "Benchmark runs"
	}
	if err := checkURL(o); err != nil {
		return nil, err
	}
	if a, err := os.Stat(o.Results); err == nil {
		if b, err := os.Stat(o.Dir); err == nil && os.SameFile(a, b) {
			return nil, fmt.Errorf("opening the folder of the site: %s is the results folder, and %w", o.Dir, ErrNotSite)
		}
	}
	if _, err := readManifest(o.Dir); err != nil { // before a lock is put there
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of the site: %w", err)
	}
	p := &pass{o: *o, roots: []string{filepath.Clean(o.Results)}, saved: time.Now()}
	if abs, err := filepath.Abs(o.Results); err == nil {
		p.roots = []string{abs, p.roots[0]}
	}
	return p, nil
}

// ErrURL is wrapped by the error of a pass whose Options.URL is none of the web.
var ErrURL = errors.New("it must be an address such as https://example.org/bench/")

func checkURL(o *Options) error {
	if o.URL == "" {
		return nil
	}
	u, err := url.Parse(o.URL)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("reading the address of the site: %q: %w", o.URL, ErrURL)
	}
	o.URL = u.String() // what an address cannot have is escaped
	if !strings.HasSuffix(o.URL, "/") {
		o.URL += "/"
	}
	return nil
}

func (p *pass) make(ctx context.Context) (*Made, error) {
	sources, err := found(p.o.Results)
	if err != nil {
		return nil, err
	}
	settings := p.settings()
	p.anew = p.o.All || p.old.Settings != settings
	p.now = &manifest{Version: manifestVersion, Settings: settings, Runs: map[string]run{}, Scenarios: map[string]scenario{}}
	if !p.there([]string{manifestName}) { // a pass that is killed leaves a folder that the next one knows as its own
		if err := p.save(); err != nil {
			return nil, err
		}
	}
	if err := p.runs(ctx, sources); err != nil {
		return nil, errors.Join(err, p.save())
	}
	for _, place := range slices.Sorted(maps.Keys(sources)) {
		if err := p.scenario(place, sources[place]); err != nil {
			return nil, errors.Join(err, p.save())
		}
	}
	if err := p.front(sources); err != nil {
		return nil, err
	}
	gone, err := sweep(p.o.Dir, p.old.all(), p.now.all())
	if err != nil {
		return nil, err
	}
	if _, err := p.now.write(p.o.Dir); err != nil {
		return nil, err
	}
	return p.made(gone), nil
}

// settings is all that changes every page.
func (p *pass) settings() string {
	var beside []string
	for _, f := range pageFiles {
		beside = append(beside, f.name)
	}
	text, err := json.Marshal([]any{p.o.Program, p.o.Title, p.o.URL, p.o.NoRaw, pageText, export.Style(), beside})
	if err != nil { // strings and truths only
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// runs makes the pages of runs that changed, as many at once as there are cores.
func (p *pass) runs(ctx context.Context, sources map[string][]*source) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	stale := p.stale(sources)
	work := make(chan []*source)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for stretch := range work {
				if err := p.stretch(ctx, stretch); err != nil {
					stop(err)
				}
			}
		})
	}
	for _, stretch := range stale {
		select {
		case work <- stretch:
		case <-ctx.Done():
		}
	}
	close(work)
	all.Wait()
	return context.Cause(ctx)
}

// stale keeps the runs whose pages hold, and returns the others in stretches.
func (p *pass) stale(sources map[string][]*source) (stretches [][]*source) {
	for _, place := range slices.Sorted(maps.Keys(sources)) {
		var list []*source
		for _, s := range sources[place] {
			if p.fresh(s) {
				p.now.Runs[s.id] = p.old.Runs[s.id]
				continue
			}
			list = append(list, s)
		}
		stretches = slices.AppendSeq(stretches, slices.Chunk(list, longestStretch))
	}
	return stretches
}

// longestStretch is how many runs one goroutine makes the pages of at a time: in
// a row, so that most are read once and not a second time to compare the next.
const longestStretch = 16

func (p *pass) stretch(ctx context.Context, list []*source) error {
	var last opened
	for _, s := range list {
		if ctx.Err() != nil {
			return nil
		}
		made, err := p.page(s, &last)
		if err != nil {
			return err
		}
		if err := p.keep(s.id, made); err != nil {
			return err
		}
	}
	return nil
}

// keep takes note of a run, and now and then writes all notes down.
func (p *pass) keep(id string, r run) error {
	p.mu.Lock()
	p.now.Runs[id] = r
	due := time.Since(p.saved) > saveEvery
	p.mu.Unlock()
	if due {
		return p.save()
	}
	return nil
}

// save writes down what was made by now, so that a pass that is broken off need
// not be done again; what an earlier pass made stays listed.
func (p *pass) save() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := *p.old
	m.Settings = p.now.Settings
	m.Runs = maps.Clone(p.old.Runs)
	if p.anew {
		for id, r := range m.Runs {
			r.Stamp = "" // of other settings: to be made anew
			m.Runs[id] = r
		}
	}
	maps.Copy(m.Runs, p.now.Runs)
	p.saved = time.Now()
	_, err := m.write(p.o.Dir)
	return err
}

// there reports whether files of the site are where the manifest says.
func (p *pass) there(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		s, err := os.Lstat(filepath.Join(p.o.Dir, filepath.FromSlash(name)))
		return err != nil || !s.Mode().IsRegular()
	})
}

// put writes a file of the site and takes note where that changed it.
func (p *pass) put(name string, text []byte) error {
	changed, err := put(p.o.Dir, name, text)
	if changed {
		p.mu.Lock()
		p.changed = append(p.changed, name)
		p.mu.Unlock()
	}
	return err
}

func (p *pass) made(gone []string) *Made {
	m := &Made{Runs: len(p.now.Runs), Removed: len(gone)}
	for _, name := range p.changed {
		if strings.HasSuffix(name, ".html") {
			m.Pages++
		}
	}
	m.Changed = append(slices.Clone(p.changed), gone...)
	slices.Sort(m.Changed)
	for _, id := range slices.Sorted(maps.Keys(p.now.Runs)) {
		if why := p.now.Runs[id].Problem; why != "" {
			m.Unreadable = append(m.Unreadable, id+": "+why)
		}
	}
	return m
}
