package system

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// tool is a server's program as it is found on a machine.
type tool struct {
	name    string   // in messages
	bins    []string // what it may be called
	debian  string   // package that has it
	ask     string   // argument that makes it tell its version
	version *regexp.Regexp
}

// sbin lists where servers are, which need not be on the PATH of a user.
var sbin = []string{"/usr/sbin", "/usr/local/sbin", "/sbin", "/usr/local/bin", "/opt/homebrew/bin"}

// path is the absolute path of the program.
func (t tool) path() (string, error) {
	for _, bin := range t.bins {
		if p, err := exec.LookPath(bin); err == nil {
			return filepath.Abs(p)
		}
		for _, dir := range sbin {
			p := filepath.Join(dir, bin)
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return p, nil
			}
		}
	}
	return "", fmt.Errorf("%s is not installed: apt-get install %s, or put %s on the PATH", t.name, t.debian, t.bins[0])
}

// check is the Check of a Kind.
func (t tool) check(ctx context.Context) (version string, err error) {
	_, version, err = t.find(ctx)
	return version, err
}

// find returns the program and its version, such as "nginx/1.22.1". It is asked
// with the arguments given, or else as the tool says.
func (t tool) find(ctx context.Context, ask ...string) (path, version string, err error) {
	if len(ask) == 0 {
		ask = []string{t.ask}
	}
	if path, err = t.path(); err != nil {
		return "", "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, ask...).CombinedOutput()
	if err != nil {
		return "", "", fmt.Errorf("asking %s for its version: %w%s", path, err, lastLines(string(out[:min(len(out), tailBytes)])))
	}
	match := t.version.Find(bytes.ToValidUTF8(out, nil))
	if match == nil {
		return "", "", fmt.Errorf("%s %s did not tell its version:%s", path, strings.Join(ask, " "), lastLines(string(out[:min(len(out), tailBytes)])))
	}
	return path, string(match), nil
}
