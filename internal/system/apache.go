package system

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"matrix/internal/bench"
)

var apache = daemon{
	kind: "apache",
	tool: tool{
		name: "Apache httpd", bins: []string{"apache2", "httpd"}, debian: "apache2",
		ask: "-v", version: regexp.MustCompile(`Apache/[0-9.]+`),
	},
	argv: func(_ string, site Site, conf string, own bool) []string {
		if own { // it says its ServerRoot
			return []string{"-f", conf}
		}
		return []string{"-d", site.Dir, "-f", conf}
	},
	run:  []string{"-DFOREGROUND"},
	test: []string{"-t"},
}

// moduleDirs is where distributions keep Apache's modules.
var moduleDirs = []string{
	"/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/lib/httpd/modules", "/usr/lib64/apache2",
	"/usr/libexec/apache2", "/usr/local/libexec/apache24", "/opt/homebrew/lib/httpd/modules",
}

// wantedModules is the least that serves files. Those that a distribution has
// built in have no file of their own.
var wantedModules = []string{"mpm_event", "unixd", "authz_core", "mime"}

// connectorModules is what each connector to a Tomcat needs besides.
var connectorModules = map[string][]string{
	"": nil, "http": {"proxy", "proxy_http"}, "ajp": {"proxy", "proxy_ajp"}, "jk": {"jk"},
}

// startApache starts Apache to serve files or, with a connector, a Tomcat and
// Apache in front of it: a system of two servers.
func startApache(ctx context.Context, s bench.System, site Site) (*Running, error) {
	site, err := prepare(s, site)
	if err != nil {
		return nil, err
	}
	if _, err := apache.tool.path(); err != nil { // before a Tomcat is started in vain
		return nil, err
	}
	modules, err := modulesFor(s.Server)
	if err != nil {
		return nil, err
	}
	behind, err := tomcatBehind(ctx, s, site)
	if err != nil {
		return nil, err
	}
	front, err := apache.start(ctx, s, site, func(c *settings) {
		c.Modules, c.Connector = modules, s.Server.Connector
		if behind != nil {
			c.Backend = behind.port
		}
	})
	if behind == nil {
		return front, err
	}
	if err != nil {
		return nil, errors.Join(err, behind.Stop(context.WithoutCancel(ctx)))
	}
	front.behind = behind.Running
	front.info.Version += ", " + behind.info.Version
	front.info.Config += "\n" + behind.info.Config
	return front, nil
}

// askApache has Apache check its configuration. A Tomcat behind it is not asked.
func askApache(ctx context.Context, s bench.System, site Site) error {
	modules, err := modulesFor(s.Server)
	if err != nil {
		return Unasked{err}
	}
	return apache.ask(ctx, s, site, func(c *settings) {
		c.Modules, c.Connector, c.Backend = modules, s.Server.Connector, 1 // nobody asks there
	})
}

// modulesFor are the modules for the kind's own configuration; an author's file
// says which it wants.
func modulesFor(srv *bench.Server) ([]module, error) {
	if srv.ConfigFile != "" {
		return nil, nil
	}
	return apacheModules(srv.Connector)
}

// backend is a server behind another.
type backend struct {
	*Running
	port int
}

// tomcatBehind starts the Tomcat that a connector is to reach, in a folder
// within the site's; nil where there is no connector. The descriptor
// limit and nice level of the system hold for both servers; everything else is
// Apache's alone.
func tomcatBehind(ctx context.Context, s bench.System, site Site) (*backend, error) {
	connector := s.Server.Connector
	if connector == "" {
		return nil, nil
	}
	site.Dir = filepath.Join(site.Dir, "tomcat")
	srv := *s.Server
	srv.Config, srv.ConfigFile, srv.KeepAlive, srv.Workers = "", "", nil, 0
	s.Server = &srv
	b := &backend{}
	var err error
	b.Running, err = onPort(ctx, 0, func(port int) (*Running, error) {
		b.port = port
		return tomcatOn(ctx, s, site, port, connector)
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// apacheModules finds the modules that Apache needs to serve files and, where it
// is to be one, for the connector.
func apacheModules(connector string) ([]module, error) {
	extra, known := connectorModules[connector]
	if !known {
		return nil, fmt.Errorf("there is no connector %q: there are http, ajp and jk", connector)
	}
	for _, dir := range moduleDirs {
		found := modulesIn(dir, wantedModules)
		if len(found) == 0 {
			continue
		}
		more := modulesIn(dir, extra)
		if len(more) == len(extra) {
			return append(found, more...), nil
		}
		hint := ""
		if connector == "jk" {
			hint = ": apt-get install libapache2-mod-jk"
		}
		return nil, fmt.Errorf("the connector %s needs modules of Apache httpd: %s has not all of %v%s", connector, dir, extra, hint)
	}
	return nil, fmt.Errorf("the modules of Apache httpd are in none of %v", moduleDirs)
}

func modulesIn(dir string, names []string) (found []module) {
	for _, name := range names {
		path := filepath.Join(dir, "mod_"+name+".so")
		if _, err := os.Stat(path); err == nil {
			found = append(found, module{name + "_module", path})
		}
	}
	return found
}
