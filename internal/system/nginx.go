package system

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"

	"matrix/internal/bench"
)

var nginx = tool{
	name: "nginx", bins: []string{"nginx"}, debian: "nginx",
	ask: "-v", version: regexp.MustCompile(`nginx/[0-9.]+`),
}

func startNginx(ctx context.Context, s bench.System, site Site) (*Running, error) {
	site, err := prepare(s, site)
	if err != nil {
		return nil, err
	}
	bin, version, err := nginx.find(ctx)
	if err != nil {
		return nil, err
	}
	return onPort(ctx, s.Server.Port, func(port int) (*Running, error) {
		return startDaemon(ctx, s, site, port, "nginx", version, nil, func(conf string) []string {
			argv := []string{bin, "-p", site.Dir, "-c", conf}
			if hasErrorLogFlag(version) {
				argv = append(argv, "-e", filepath.Join(site.Dir, "error.log"))
			}
			return argv
		})
	})
}

// hasErrorLogFlag: nginx knows -e since 1.19.5. Without it, nginx tries its
// packaged error log first and warns when it may not.
func hasErrorLogFlag(version string) bool {
	var major, minor, patch int
	if _, err := fmt.Sscanf(version, "nginx/%d.%d.%d", &major, &minor, &patch); err != nil {
		return false
	}
	return major*1_000_000+minor*1000+patch >= 1_019_005
}

// startDaemon starts a server that is told everything by one configuration file.
// What only its kind knows is put into the settings by tune; nil has none.
func startDaemon(ctx context.Context, s bench.System, site Site, port int, kind, version string, tune func(*settings), argv func(conf string) []string) (*Running, error) {
	c, err := settingsOf(s, site, port)
	if err != nil {
		return nil, err
	}
	if tune != nil {
		tune(&c)
	}
	conf, text, err := c.render(kind)
	if err != nil {
		return nil, err
	}
	l := launch{
		name: kind, version: version, argv: argv(conf), config: text, dir: site.Dir, openFiles: s.Server.OpenFiles,
		logs: []string{filepath.Join(site.Dir, "output.log"), filepath.Join(site.Dir, "error.log")},
		port: port, base: fmt.Sprintf("http://%s:%d", host, port),
	}
	return l.start(ctx, s, site)
}
