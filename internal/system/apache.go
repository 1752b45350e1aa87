package system

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"matrix/internal/bench"
)

var apache = tool{
	name: "Apache httpd", bins: []string{"apache2", "httpd"}, debian: "apache2",
	ask: "-v", version: regexp.MustCompile(`Apache/[0-9.]+`),
}

// moduleDirs is where distributions keep Apache's modules.
var moduleDirs = []string{
	"/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/lib/httpd/modules", "/usr/lib64/apache2",
	"/usr/libexec/apache2", "/usr/local/libexec/apache24", "/opt/homebrew/lib/httpd/modules",
}

// wantedModules is the least that serves files. Those that a distribution has
// built in have no file of their own.
var wantedModules = []string{"mpm_event", "unixd", "authz_core", "mime"}

func startApache(ctx context.Context, s bench.System, site Site) (*Running, error) {
	site, err := prepare(s, site)
	if err != nil {
		return nil, err
	}
	bin, version, err := apache.find(ctx)
	if err != nil {
		return nil, err
	}
	modules, err := apacheModules()
	if err != nil {
		return nil, err
	}
	return onPort(ctx, s.Server.Port, func(port int) (*Running, error) {
		return startDaemon(ctx, s, site, port, "apache", version, modules, func(conf string) []string {
			return []string{bin, "-d", site.Dir, "-f", conf, "-DFOREGROUND"}
		})
	})
}

func apacheModules() ([]module, error) {
	for _, dir := range moduleDirs {
		var found []module
		for _, name := range wantedModules {
			path := filepath.Join(dir, "mod_"+name+".so")
			if _, err := os.Stat(path); err == nil {
				found = append(found, module{name + "_module", path})
			}
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return nil, fmt.Errorf("the modules of Apache httpd are in none of %v", moduleDirs)
}
