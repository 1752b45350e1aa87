package system

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"matrix/internal/bench"
)

// Site is where a server is put up.
type Site struct {
	Dir     string       // its own: configuration, logs, pid file; made when missing, never wiped
	Docroot string       // the directory it serves, as fixtures.Make left it
	Files   []bench.File // what is in there; the first is asked for to see whether the server is up
	Self    []string     // how to run this binary again: the guard and the embedded server are subcommands of it

	checked bool // nothing is served: the server is only asked about its configuration
}

// Kind is a way to have a server.
type Kind struct {
	Name     string
	Doc      string   // one sentence
	Settings []string // keys of bench.Server it heeds, as a scenario spells them
	// Check tells whether this machine can start it, and its version ("" where
	// that is known only once it runs).
	Check func(ctx context.Context) (version string, err error)
	// Start returns once the server answers. Its error holds the last lines of
	// the server's log.
	Start func(ctx context.Context, s bench.System, site Site) (*Running, error)
	// Ask has the server check its configuration, and returns what it has against
	// it: Unasked where it could not be asked. Nil where a kind has no such way.
	Ask func(ctx context.Context, s bench.System, site Site) error
}

// Kinds lists all kinds. The first is for systems that have a URL.
var Kinds = []Kind{
	{"external", "something already running, reached by its url", nil, nothingToCheck, startExternal, nil},
	{"embedded", "the file server within this program, as a process of its own", []string{"port", "keep_alive", "nice", "delay"}, checkEmbedded, startEmbedded, nil},
	{"nginx", "nginx; config is put into its server block", daemonSettings, nginx.tool.check, startNginx, func(ctx context.Context, s bench.System, site Site) error { return nginx.ask(ctx, s, site, nil) }},
	{"apache", "Apache httpd 2.4 with mpm_event; config is put at the end of its configuration; with connector it serves no files but stands in front of a Tomcat of its own", append([]string{"connector"}, daemonSettings...), apache.tool.check, startApache, askApache},
	{"lighttpd", "lighttpd 1.4; config is put at the end of its configuration (:= sets a key anew)", daemonSettings, lighttpd.tool.check, startLighttpd, func(ctx context.Context, s bench.System, site Site) error { return lighttpd.ask(ctx, s, site, nil) }},
	{"tomcat", "Apache Tomcat with one HTTP connector and the files as its only application; config is put into its Host element", daemonSettings, checkTomcat, startTomcat, askTomcat},
	{"command", "any program: argv, in which {port}, {docroot}, {dir} and {config_file} are replaced, and ready, the URL that answers once it is up", []string{"argv", "ready", "port", "open_files", "config_file", "nice"}, nothingToCheck, startCommand, nil},
}

var daemonSettings = []string{"workers", "open_files", "port", "keep_alive", "config", "config_file", "nice"}

// KindOf returns the kind that a system is of.
func KindOf(s bench.System) (Kind, error) {
	name := "external"
	if s.Server != nil {
		name = s.Server.Kind
	}
	for _, k := range Kinds {
		if k.Name == name && (s.Server == nil) == (name == "external") {
			return k, nil
		}
	}
	return Kind{}, fmt.Errorf("unknown kind of server %q", name)
}

// Part is a program that a system needs on this machine, and how to see whether
// it is there.
type Part struct {
	Name  string
	Check func(ctx context.Context) (version string, err error)
}

// Parts lists what the system's server is made of: the kind itself and what a
// connector of it needs. A system with a URL needs nothing.
func Parts(s bench.System) ([]Part, error) {
	k, err := KindOf(s)
	if err != nil || s.Server == nil {
		return nil, err
	}
	parts := []Part{{k.Name, k.Check}}
	if c := s.Server.Connector; c != "" {
		modules := func(context.Context) (string, error) { _, err := apacheModules(c); return "", err }
		parts = append(parts, Part{"tomcat", checkTomcat}, Part{"connector " + c, modules})
	}
	return parts, nil
}

// minOpenFiles is the least descriptor limit under which a server, and the
// guard that starts it, can come up at all.
const minOpenFiles = 16

// prepare makes the paths of a site absolute and its directory exist, and
// refuses what no server could be given.
func prepare(s bench.System, site Site) (Site, error) {
	if srv := s.Server; srv != nil {
		if srv.Port < 0 || srv.Port > 65535 {
			return site, fmt.Errorf("port %d is not between 0 and 65535", srv.Port)
		}
		if srv.OpenFiles != 0 && srv.OpenFiles < minOpenFiles {
			return site, fmt.Errorf("open_files %d is below the %d that a server needs to start", srv.OpenFiles, minOpenFiles)
		}
		if srv.Nice < -20 || srv.Nice > 19 {
			return site, fmt.Errorf("nice %d is not between -20 and 19", srv.Nice)
		}
		if srv.Workers < 0 {
			return site, fmt.Errorf("workers %d is below 0", srv.Workers)
		}
	}
	for _, p := range []*string{&site.Dir, &site.Docroot} {
		abs, err := filepath.Abs(*p)
		if err != nil {
			return site, err
		}
		// Nginx cannot quote a dollar sign, Apache neither.
		if strings.ContainsFunc(abs, func(r rune) bool { return r < ' ' || strings.ContainsRune(`"\$%`, r) }) {
			return site, fmt.Errorf("the path %q cannot be written into a server's configuration: use one without quotes, backslashes, %% and $", abs)
		}
		*p = abs
	}
	if err := os.MkdirAll(site.Dir, 0o755); err != nil {
		return site, fmt.Errorf("making the server's directory: %w", err)
	}
	return site, nil
}

func nothingToCheck(context.Context) (string, error) { return "", nil }
