package system

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

var nginx = daemon{
	kind: "nginx",
	tool: tool{
		name: "nginx", bins: []string{"nginx"}, debian: "nginx",
		ask: "-v", version: regexp.MustCompile(`nginx/[0-9.]+`),
	},
	argv: func(version string, site Site, conf string, own bool) []string {
		argv := []string{"-c", conf}
		if !own { // an author's file may have paths that lie under the compiled-in prefix
			argv = append(argv, "-p", site.Dir)
		}
		if hasErrorLogFlag(version) {
			argv = append(argv, "-e", filepath.Join(site.Dir, "error.log"))
		}
		return argv
	},
	test: []string{"-t"},
}

func startNginx(ctx context.Context, s bench.System, site Site) (*Running, error) {
	return nginx.start(ctx, s, site, nil)
}

// hasErrorLogFlag: nginx knows -e since 1.19.5. Without it, nginx tries its
// packaged error log first and warns when it may not.
func hasErrorLogFlag(version string) bool {
	number, ok := strings.CutPrefix(version, "nginx/")
	number, _, _ = strings.Cut(number, " ") // of who built it
	n, is := unit.ParseCounts(strings.ReplaceAll(number, ".", " "), 3)
	return ok && is && slices.Compare(n, []int64{1, 19, 5}) >= 0
}
