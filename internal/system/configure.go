package system

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/config"
)

// configured is the configuration that a server is started with.
type configured struct {
	path, text string
	own        bool // it was made of the author's file
	fitted     config.Fitted
}

func (c configured) base(port int) string {
	scheme := "http"
	if c.fitted.TLS {
		scheme = "https"
	}
	return fmt.Sprintf("%s://%s:%d", scheme, host, port)
}

// inPlace is an error in which lines of the fitted configuration are those of the
// author's files.
func (c configured) inPlace(err error) error {
	if err == nil {
		return nil
	}
	said := err.Error()
	if text := c.fitted.Translate(said, c.path); text != said {
		return replacedError{text, err}
	}
	return err
}

// replacedError is an error in other words.
type replacedError struct {
	text string
	err  error
}

func (e replacedError) Error() string { return e.text }
func (e replacedError) Unwrap() error { return e.err }

// configure writes the configuration of a server into its folder: the kind's own
// or, where the author has one, that.
func (c settings) configure(ctx context.Context, kind string, s bench.System) (configured, error) {
	srv := s.Server
	if srv.ConfigFile == "" {
		path, text, err := c.render(kind)
		return configured{path: path, text: text, fitted: config.With(text, strings.TrimRight(c.Extra, "\n"))}, err
	}
	f, err := readConfig(ctx, srv)
	if err != nil {
		return configured{}, err
	}
	if srv.ConfigDigest != "" && f.Digest() != srv.ConfigDigest {
		return configured{}, fmt.Errorf("%s, or what it includes, was changed after this run had begun", srv.ConfigFile)
	}
	site := config.Site{Dir: c.Dir, Docroot: c.Docroot, Host: host, Port: c.Port, User: c.User, Group: c.Group, Extra: c.Extra}
	if c.Limited {
		site.OpenFiles = c.OpenFiles
	}
	out := configured{own: true}
	if out.fitted, err = f.Fit(site); err != nil {
		return out, err
	}
	out.text = out.fitted.Text
	if err := give(c.Dir, out.fitted.Own, c.User); err != nil {
		return out, err
	}
	out.path, err = f.Put(out.fitted, filepath.Join(c.Dir, configFolder))
	return out, err
}

// configFolder is where, in a server's folder, the author's configuration is put.
const configFolder = "config"

// readConfig reads the author's configuration file of a server.
func readConfig(ctx context.Context, srv *bench.Server) (*config.File, error) {
	var others []string
	if srv.Kind == "apache" {
		others = apacheRoot(ctx)
	}
	return config.Read(srv.Kind, cmp.Or(srv.ConfigPath, srv.ConfigFile), others...)
}

// compiledIn matches the folder that Apache's relative paths lie under.
var compiledIn = regexp.MustCompile(`HTTPD_ROOT="([^"]+)"`)

// apacheRoot is that folder; none where Apache is not installed.
func apacheRoot(ctx context.Context) []string {
	bin, err := apache.tool.path()
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	out, _ := exec.CommandContext(ctx, bin, "-V").Output() // it ends badly where its own configuration is not whole
	if m := compiledIn.FindSubmatch(out); m != nil {
		return []string{string(m[1])}
	}
	return nil
}

// ReadConfig reads the author's configuration file of a server and sets its
// digest. folders are where a relative path may lie, in this order.
func ReadConfig(ctx context.Context, srv *bench.Server, folders ...string) error {
	srv.ConfigPath = srv.ConfigFile
	if below, ok := strings.CutPrefix(srv.ConfigFile, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return fmt.Errorf("finding ~: %w", err)
		}
		srv.ConfigPath, folders = filepath.Join(home, below), nil
	}
	for _, dir := range folders {
		path := filepath.Join(dir, srv.ConfigFile)
		if _, err := os.Stat(path); err == nil && !filepath.IsAbs(srv.ConfigFile) {
			srv.ConfigPath = path
			break
		}
	}
	abs, err := filepath.Abs(srv.ConfigPath)
	if err != nil {
		return err
	}
	srv.ConfigPath = abs
	f, err := readConfig(ctx, srv)
	if err != nil {
		return err
	}
	if _, err := f.Fit(config.Site{Host: host, Port: 1}); err != nil {
		return err
	}
	srv.ConfigDigest = f.Digest()
	return nil
}

// Serves tells which part of the author's configuration serves the files, where
// one was chosen; "" elsewhere.
func Serves(ctx context.Context, srv *bench.Server) string {
	f, err := readConfig(ctx, srv)
	if err != nil {
		return ""
	}
	fitted, err := f.Fit(config.Site{Host: host, Port: 1})
	if err != nil {
		return ""
	}
	return fitted.Serves
}

// give makes files and folders, whose names end in a slash, and gives them to the
// user that the server runs as; "" is our own.
func give(dir string, names []string, name string) error {
	uid, gid := -1, -1
	if name != "" {
		u, err := user.Lookup(name)
		if err != nil {
			return fmt.Errorf("looking for the server's user: %w", err)
		}
		uid, _ = strconv.Atoi(u.Uid)
		gid, _ = strconv.Atoi(u.Gid)
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		var err error
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, nil, 0o644)
		}
		if err := errors.Join(err, os.Chown(path, uid, gid)); err != nil {
			return fmt.Errorf("making what the server writes to: %w", err)
		}
	}
	return nil
}
