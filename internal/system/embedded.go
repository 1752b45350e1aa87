package system

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"matrix/internal/bench"
)

// checkEmbedded: the server is this program.
func checkEmbedded(context.Context) (string, error) {
	return "matrix (" + runtime.Version() + ")", nil
}

func startEmbedded(ctx context.Context, s bench.System, site Site) (*Running, error) {
	site, err := prepare(s, site)
	if err != nil {
		return nil, err
	}
	if len(site.Self) == 0 {
		return nil, fmt.Errorf("no way to run the embedded server: Site.Self is empty")
	}
	version, err := checkEmbedded(ctx)
	if err != nil {
		return nil, err
	}
	return onPort(ctx, s.Server.Port, func(port int) (*Running, error) {
		addr := fmt.Sprintf("%s:%d", host, port)
		argv := append(site.Self[:len(site.Self):len(site.Self)], "serve", "--root", site.Docroot, "--addr", addr)
		if s.Server.KeepAlive != nil && !*s.Server.KeepAlive {
			argv = append(argv, "--no-keep-alive")
		}
		for _, name := range slices.Sorted(maps.Keys(s.Server.Delay)) {
			argv = append(argv, "--delay", name+"="+s.Server.Delay[name].String())
		}
		l := launch{
			name: "embedded", version: version, argv: argv, config: strings.Join(argv[len(site.Self):], " "),
			logs: []string{filepath.Join(site.Dir, "output.log")}, port: port, base: "http://" + addr,
		}
		return l.start(ctx, s, site)
	})
}
