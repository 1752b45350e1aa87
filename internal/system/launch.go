package system

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"matrix/internal/bench"
	"matrix/internal/scenario"
)

// readyTime is how long a server may take to answer for the first time, unless
// its launch gives it longer.
const readyTime = 10 * time.Second

//go:embed conf/*.tmpl
var confFS embed.FS

// settings is what the templates of configurations know.
type settings struct {
	Dir, Docroot string
	Host         string
	Port         int
	Workers      int    // 0: the kind's default
	OpenFiles    int    // as asked for, or what the machine allows
	Limited      bool   // OpenFiles was asked for
	KeepAlive    string // "on", "off" or "" for the kind's default
	User, Group  string // to drop to; "" when not root
	Extra        string // lines of the author
	Modules      []module
	Connector    string // of Apache: "http", "ajp" or "jk"; of Tomcat: "http", or "ajp" and "jk" for AJP; "" for none
	Backend      int    // port of the server behind a connector
}

type module struct{ Name, Path string }

// defaultOpenFiles is the descriptor limit that a server takes where nothing is
// said and the machine allows as much: enough for any concurrency of a plan.
const defaultOpenFiles = 1 << 16

func settingsOf(s bench.System, site Site, port int) (settings, error) {
	srv := s.Server
	c := settings{
		Dir: site.Dir, Docroot: site.Docroot, Host: host, Port: port,
		Workers: srv.Workers, OpenFiles: srv.OpenFiles, Limited: srv.OpenFiles > 0, Extra: srv.Config,
	}
	if !c.Limited {
		c.OpenFiles = openFilesAllowed()
	}
	if srv.KeepAlive != nil {
		c.KeepAlive = map[bool]string{true: "on", false: "off"}[*srv.KeepAlive]
	}
	var err error
	docroot := site.Docroot
	if site.checked {
		docroot = "/" // which everybody may enter
	}
	c.User, c.Group, err = dropTo(docroot)
	return c, err
}

// render fills in the template conf/<kind>.conf.tmpl and writes it into the
// site's directory.
func (c settings) render(kind string) (path, text string, err error) {
	t, err := template.ParseFS(confFS, "conf/"+kind+".conf.tmpl")
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, c); err != nil {
		return "", "", err
	}
	path = filepath.Join(c.Dir, kind+".conf")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		return "", "", fmt.Errorf("writing the server's configuration: %w", err)
	}
	return path, b.String(), nil
}

// launch is what it takes to start a server and to know that it is up.
type launch struct {
	name      string
	version   string
	argv      []string
	config    string
	dir       string // to start it in; "" is the current directory
	openFiles int
	user      string   // "uid:gid" that the guard starts it as; "" is our own
	logs      []string // file names; the first takes what the server prints
	port      int      // that it will listen on; 0: unknown
	base      string   // URL the files lie under

	patience time.Duration                   // until it answers for the first time; 0 is readyTime
	probe    func(ctx context.Context) error // asks whether it is up; nil: a request for the first file
}

func (l launch) start(ctx context.Context, s bench.System, site Site) (*Running, error) {
	// What a run before left would read as this one's last words.
	for _, log := range l.logs {
		os.Remove(log)
	}
	nice := 0
	if s.Server != nil {
		nice = s.Server.Nice
	}
	g, err := startGuarded(site.Self, l.dir, terms{l.openFiles, nice, l.user}, l.logs, l.argv)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", l.name, err)
	}
	r := &Running{
		name:  l.name,
		base:  strings.TrimRight(l.base, "/"),
		info:  bench.ServerInfo{System: s.ID(), Version: l.version, Config: scenario.Mask(l.config)},
		guard: g,
	}
	if err := l.awaitReady(ctx, r, site.Files); err != nil {
		g.stop(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("starting %s: %w", l.name, err)
	}
	return r, nil
}

// awaitReady returns once the server gives any answer at all to a request for
// the first file, and is the one who gave it. Whether the answer is right is
// the business of Verify.
func (l launch) awaitReady(ctx context.Context, r *Running, files []bench.File) error {
	asked, patience := ctx, cmp.Or(l.patience, readyTime)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ask := l.probe
	if ask == nil {
		url := r.base + "/"
		if len(files) > 0 && files[0].Name != "" {
			url = r.base + files[0].Paths()[0]
		}
		client := newClient()
		defer client.CloseIdleConnections()
		ask = func(ctx context.Context) error { return probe(ctx, client, url) }
	}
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := ask(ctx)
		if alive := r.Alive(); alive != nil {
			return alive
		}
		if err == nil {
			ready, err := r.ownsPort(ctx, l.port)
			if ready || err != nil {
				return err
			}
		}
		select {
		case <-again.C:
		case <-r.guard.ended:
		case <-ctx.Done():
			if asked.Err() != nil {
				return asked.Err()
			}
			return fmt.Errorf("no answer of its own within %v: %w%s", patience, cmp.Or(err, ctx.Err()), r.guard.lastWords())
		}
	}
}

func probe(ctx context.Context, client *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	answer, err := get(ctx, client, url)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// ownsPort tells whether the server itself listens on the port. It catches the
// one that is still trying to get its port while another answers there. Where
// nothing can be seen of the port, the answer has to do.
func (r *Running) ownsPort(ctx context.Context, port int) (bool, error) {
	holders := listeners(ctx, port)
	if port == 0 || len(holders) == 0 {
		return true, nil
	}
	ours := r.PIDs()
	for _, h := range holders {
		if h == 0 || slices.Contains(ours, h) {
			return true, nil
		}
	}
	if len(ours) == 0 {
		return false, nil // not even started
	}
	return false, fmt.Errorf("%w: it is %s that answers on port %d", errTaken, who(holders[0]), port)
}

// apacheThreads is ThreadsPerChild in Apache's template.
const apacheThreads = 64

// MaxThreads is how many threads Workers processes of Apache have.
func (c settings) MaxThreads() int { return c.Workers * apacheThreads }

// MaxConnections is how many connections lighttpd accepts with its descriptors.
func (c settings) MaxConnections() int { return max(c.OpenFiles/2, 1) }
