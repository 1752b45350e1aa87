package system

import (
	"context"
	"regexp"

	"matrix/internal/bench"
)

var lighttpd = daemon{
	kind: "lighttpd",
	tool: tool{
		name: "lighttpd", bins: []string{"lighttpd"}, debian: "lighttpd",
		ask: "-v", version: regexp.MustCompile(`lighttpd/[0-9.]+`),
	},
	argv: func(_ string, _ Site, conf string, _ bool) []string { return []string{"-f", conf} },
	run:  []string{"-D"},
	test: []string{"-tt"},
}

func startLighttpd(ctx context.Context, s bench.System, site Site) (*Running, error) {
	return lighttpd.start(ctx, s, site, nil)
}
