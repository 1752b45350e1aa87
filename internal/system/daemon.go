package system

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"matrix/internal/bench"
)

// daemon is a kind of server that is told everything by one configuration file.
type daemon struct {
	kind string
	tool tool
	// argv is what every call of the program has; own tells that the configuration
	// is the author's.
	argv func(version string, site Site, conf string, own bool) []string
	run  []string // arguments besides, to serve in the foreground
	test []string // arguments besides, to check the configuration and end
}

// start starts the server at the port wanted, or a free one. What only its kind
// knows is put into the settings by tune; nil has none.
func (d daemon) start(ctx context.Context, s bench.System, site Site, tune func(*settings)) (*Running, error) {
	site, err := prepare(s, site)
	if err != nil {
		return nil, err
	}
	bin, version, err := d.tool.find(ctx)
	if err != nil {
		return nil, err
	}
	return onPort(ctx, s.Server.Port, func(port int) (*Running, error) {
		c, err := d.configure(ctx, s, site, port, tune)
		if err != nil {
			return nil, err
		}
		l := launch{
			name: d.kind, version: version, argv: slices.Concat([]string{bin}, d.argv(version, site, c.path, c.own), d.run),
			config: c.text, dir: site.Dir, openFiles: s.Server.OpenFiles,
			logs: []string{filepath.Join(site.Dir, "output.log"), filepath.Join(site.Dir, "error.log")},
			port: port, base: c.base(port),
		}
		if c.own { // relative paths that are no includes
			l.dir = filepath.Dir(cmp.Or(s.Server.ConfigPath, s.Server.ConfigFile))
		}
		r, err := l.start(ctx, s, site)
		return r, c.inPlace(err)
	})
}

func (d daemon) configure(ctx context.Context, s bench.System, site Site, port int, tune func(*settings)) (configured, error) {
	c, err := settingsOf(s, site, port)
	if err != nil {
		return configured{}, Unasked{err} // of the machine, not of the configuration
	}
	if tune != nil {
		tune(&c)
	}
	return c.configure(ctx, d.kind, s)
}

// ask has the server check its configuration.
func (d daemon) ask(ctx context.Context, s bench.System, site Site, tune func(*settings)) error {
	site, err := prepare(s, site)
	if err != nil {
		return Unasked{err}
	}
	site.checked = true
	bin, version, err := d.tool.find(ctx)
	if err != nil {
		return Unasked{err}
	}
	port, err := freePort()
	if err != nil {
		return Unasked{err}
	}
	c, err := d.configure(ctx, s, site, port, tune)
	if err != nil {
		return err
	}
	argv := slices.Concat([]string{bin}, d.argv(version, site, c.path, c.own), d.test)
	err = verdictOf(ctx, fmt.Sprintf("%s %s", filepath.Base(bin), d.test[0]), site.Dir, argv, askTime)
	return c.inPlace(err)
}
