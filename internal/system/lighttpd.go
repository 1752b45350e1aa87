package system

import (
	"context"
	"regexp"

	"matrix/internal/bench"
)

var lighttpd = tool{
	name: "lighttpd", bins: []string{"lighttpd"}, debian: "lighttpd",
	ask: "-v", version: regexp.MustCompile(`lighttpd/[0-9.]+`),
}

func startLighttpd(ctx context.Context, s bench.System, site Site) (*Running, error) {
	site, err := prepare(s, site)
	if err != nil {
		return nil, err
	}
	bin, version, err := lighttpd.find(ctx)
	if err != nil {
		return nil, err
	}
	return onPort(ctx, s.Server.Port, func(port int) (*Running, error) {
		return startDaemon(ctx, s, site, port, "lighttpd", version, nil, func(conf string) []string {
			return []string{bin, "-D", "-f", conf}
		})
	})
}
