package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// Live shows a site to browsers and reloads its pages as its runs go on.
type Live struct {
	o    Options
	root *os.Root

	streams chan struct{} // holds one for each page that listens

	mu      sync.Mutex
	changed chan struct{} // closed when pages changed, and replaced
}

// eventsPath is no name of a scenario's folder.
const eventsPath = "/-/events"

// NewLive makes the site of o. Close it to free the folder, which stays.
func NewLive(ctx context.Context, o Options) (*Live, *Made, error) {
	made, err := Make(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the site: %w", err)
	}
	if u, err := url.Parse(o.URL); err == nil && u.Hostname() != "" {
		o.Hosts = append(slices.Clip(o.Hosts), u.Hostname())
	}
	return &Live{o: o, root: root, changed: make(chan struct{}), streams: make(chan struct{}, mostStreams)}, made, nil
}

// Close frees the folder of the site.
func (l *Live) Close() error { return l.root.Close() }

// Watch makes anew what changed each time that pause lets it, until ctx ends.
// pause is given how long the last look took, so that pages of a long sweep do
// not take the machine from what is measured. What a making did, or why there was
// none, is told to tell.
func (l *Live) Watch(ctx context.Context, pause func(took time.Duration) <-chan time.Time, tell func(*Made, error)) {
	var took time.Duration
	seen, said := l.state(), ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause(took):
		}
		began := time.Now()
		if now := l.state(); now != seen {
			made, err := Make(ctx, l.o)
			if ctx.Err() != nil {
				return
			}
			var problem string
			if err == nil {
				seen = now // a journal that grew meanwhile has another state by then
			} else {
				problem = err.Error()
			}
			if problem != said || err == nil && len(made.Changed) > 0 { // what stays wrong is told once
				l.announce()
				tell(made, err)
			}
			said = problem
		}
		took = time.Since(began)
	}
}

// state tells one condition of the results folder from another.
func (l *Live) state() string {
	sources, err := found(l.o.Results)
	if err != nil {
		return err.Error()
	}
	var parts []string
	for _, of := range sources {
		for _, s := range of {
			parts = append(parts, s.id+" "+s.stamp)
		}
	}
	slices.Sort(parts)
	return version([]byte(strings.Join(parts, "\n")))
}

func (l *Live) announce() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *Live) next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// ServeHTTP hands out the site to GET and HEAD. What lies outside of it, and names
// that begin with a dot, are not found.
func (l *Live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", closed)
	if !named(r.Host, l.o.Hosts) {
		http.Error(w, "this server does not go by that name: matrix serve --site --host NAME lets it", http.StatusMisdirectedRequest)
		return
	}
	w, r = newTimed(w), r.Clone(r.Context())
	oneRange(r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == eventsPath {
		l.events(w, r)
		return
	}
	l.file(w, r)
}

func (l *Live) file(w http.ResponseWriter, r *http.Request) {
	f, name, err := l.open(r.URL.Path)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	at, err := f.Stat()
	if err != nil || at.IsDir() {
		if err == nil && !strings.HasSuffix(r.URL.Path, "/") {
			http.Redirect(w, r, path.Base(name)+"/", http.StatusFound)
			return
		}
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mediaType(name))
	if path.Ext(name) != ".html" {
		http.ServeContent(w, r, "", at.ModTime(), f)
		return
	}
	page, err := io.ReadAll(f)
	if err != nil {
		http.Error(w, "the page cannot be read", http.StatusInternalServerError)
		return
	}
	page, policy := lively(page)
	w.Header().Set("Content-Security-Policy", policy)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(page))
}

// open opens what an address of the site names.
func (l *Live) open(address string) (*os.File, string, error) {
	name := strings.TrimPrefix(address, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += indexName
	}
	if !fs.ValidPath(name) {
		return nil, "", fs.ErrNotExist
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return nil, "", fs.ErrNotExist
		}
	}
	f, err := l.root.Open(name)
	return f, name, err
}

var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".csv": "text/csv; charset=utf-8", ".txt": "text/plain; charset=utf-8",
	".json": "application/json", ".jsonl": "text/plain; charset=utf-8", ".xml": "application/atom+xml",
}

func mediaType(name string) string {
	if t, known := mediaTypes[path.Ext(name)]; known {
		return t
	}
	return "application/octet-stream"
}

// events tells a page which version of it there is, now and each time that it
// changes, as server-sent events.
func (l *Live) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	select {
	case l.streams <- struct{}{}:
		defer func() { <-l.streams }()
	default:
		http.Error(w, "too many pages listen already: reload this one to see it anew", http.StatusServiceUnavailable)
		return
	}
	out := http.NewResponseController(w)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	told := "-"
	for {
		next := l.next() // before the look: a change between the two is not missed
		if now := l.versionOf(r.URL.Query().Get("of")); now != told {
			if _, err := fmt.Fprintf(w, "data: %s\n\n", now); err != nil {
				return
			}
			told = now
		}
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case <-next:
		case <-beat.C:
			if _, err := io.WriteString(w, ":\n\n"); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// versionOf is the version of the page at an address; "" where there is none.
func (l *Live) versionOf(address string) string {
	f, _, err := l.open(address)
	if err != nil {
		return ""
	}
	defer f.Close()
	page, err := io.ReadAll(f)
	if err != nil {
		return ""
	}
	return version(page)
}

// Serve hands out the site to those who connect to a listener until ctx ends,
// which is no error.
func (l *Live) Serve(ctx context.Context, at net.Listener) error {
	server := &http.Server{Handler: l, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx }} // ends the events, too
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		err := server.Shutdown(end)
		if errors.Is(err, context.DeadlineExceeded) { // browsers open connections ahead of need, and hold them
			err = server.Close()
		}
		stopped <- err
	})
	defer stop()
	if err := server.Serve(at); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving the site: %w", err)
	}
	return <-stopped
}
