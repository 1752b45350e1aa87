package system

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"matrix/internal/bench"
)

// startCommand runs any program, in the current directory, so that the paths in
// argv mean what they mean to the author of the scenario.
func startCommand(ctx context.Context, s bench.System, site Site) (*Running, error) {
	site, err := prepare(s, site)
	if err != nil {
		return nil, err
	}
	srv := s.Server
	if len(srv.Argv) == 0 || srv.Ready == "" {
		return nil, errors.New("a server of kind command needs argv and ready")
	}
	names := strings.Contains(strings.Join(srv.Argv, " ")+srv.Ready, "{port}")
	if srv.ConfigFile != "" && !names {
		f, err := readConfig(ctx, srv)
		if err != nil {
			return nil, err
		}
		names = f.NamesPort()
	}
	if srv.Port == 0 && !names {
		return commandOn(ctx, s, site, 0)
	}
	return onPort(ctx, srv.Port, func(port int) (*Running, error) { return commandOn(ctx, s, site, port) })
}

// commandOn starts the program with the port filled in; 0 where the program
// knows its port and ready names it.
func commandOn(ctx context.Context, s bench.System, site Site, port int) (*Running, error) {
	c, err := configureCommand(ctx, s, site, port)
	if err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("{port}", strconv.Itoa(port), "{docroot}", site.Docroot, "{dir}", site.Dir, "{config_file}", c.path)
	argv := make([]string, len(s.Server.Argv))
	for i, a := range s.Server.Argv {
		argv[i] = fill.Replace(a)
	}
	bin, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, fmt.Errorf("looking for the command: %w", err)
	}
	base := fill.Replace(s.Server.Ready)
	u, err := checkURL(base)
	if err != nil {
		return nil, fmt.Errorf("reading the URL in ready: %w", err)
	}
	if port == 0 {
		if port, err = localPort(ctx, u); err != nil {
			return nil, err
		}
	}
	l := launch{
		name: plain(filepath.Base(bin), 100), argv: argv, config: strings.TrimSpace(strings.Join(argv, " ") + "\n" + c.text), openFiles: s.Server.OpenFiles,
		logs: []string{filepath.Join(site.Dir, "output.log")}, port: port, base: base,
	}
	r, err := l.start(ctx, s, site)
	if err == nil {
		r.info.Version = l.name
	}
	return r, err
}

// configureCommand writes the author's configuration file, if there is one, with
// its placeholders replaced.
func configureCommand(ctx context.Context, s bench.System, site Site, port int) (configured, error) {
	if s.Server.ConfigFile == "" {
		return configured{}, nil
	}
	c := settings{Dir: site.Dir, Docroot: site.Docroot, Port: port}
	return c.configure(ctx, "command", s)
}

// localPort is the port that a URL on this machine names, which must be free,
// or 0 when it names another machine.
func localPort(ctx context.Context, u *url.URL) (int, error) {
	if name := u.Hostname(); name != "localhost" && name != host {
		return 0, nil
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	}
	return port, checkPort(ctx, port)
}

func checkURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// The error of url.Parse repeats the URL, password and all.
		return nil, errors.New("it cannot be parsed")
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("it does not begin with http://host or https://host")
	}
	return u, nil
}
