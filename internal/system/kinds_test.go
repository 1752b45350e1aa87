package system

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"matrix/internal/bench"
)

var ours = []string{"embedded", "nginx", "apache", "lighttpd", "tomcat"}

func TestKindsServeEveryFile(t *testing.T) {
	version := map[string]string{"embedded": "matrix (go", "nginx": "nginx/", "apache": "Apache/2", "lighttpd": "lighttpd/1", "tomcat": "Apache Tomcat/"}
	for _, kind := range ours {
		t.Run(kind, func(t *testing.T) {
			need(t, kind)
			site, m := newSite(t)
			r := start(t, site, bench.Server{Kind: kind})
			if err := r.Verify(t.Context(), bench.Load{}, m); err != nil {
				t.Error(err)
			}
			if err := r.Alive(); err != nil {
				t.Error(err)
			}
			info := r.Info()
			if !strings.HasPrefix(info.Version, version[kind]) || info.System != "Server="+kind || !strings.Contains(info.Config, site.Docroot) {
				t.Errorf("info %+v", info)
			}
			pids := r.PIDs()
			if len(pids) == 0 {
				t.Error("no processes")
			}
			if last := pids[len(pids)-1]; kind != "embedded" && os.Geteuid() == 0 && ownerOf(t, last) == 0 {
				t.Errorf("the worker %d serves as root", last)
			}
			low, high := ephemeral()
			if port := portOf(t, r.BaseURL()); port >= low && port <= high {
				t.Errorf("port %d is one of outgoing connections", port)
			}
			if err := r.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			if !gone(pids) {
				t.Error("processes are left after Stop")
			}
			if err := r.Alive(); err == nil || !strings.Contains(err.Error(), "has ended") {
				t.Errorf("alive after Stop: %v", err)
			}
			if _, err := net.Dial("tcp", strings.TrimPrefix(r.BaseURL(), "http://")); err == nil {
				t.Error("the port still answers")
			}
			if err := r.Stop(t.Context()); err != nil {
				t.Errorf("second Stop: %v", err)
			}
		})
	}
}

func ownerOf(t *testing.T, pid int) uint32 {
	t.Helper()
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Uid
}

// converse sends two requests that ask for the connection to be kept and counts
// the answers before it is closed.
func converse(t *testing.T, base string) (answers int) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	for answers < 2 {
		fmt.Fprint(c, "GET /small.html HTTP/1.1\r\nHost: localhost\r\n\r\n")
		a, err := http.ReadResponse(in, nil)
		if err != nil {
			return answers
		}
		if n, err := io.Copy(io.Discard, a.Body); n != 1500 || err != nil {
			t.Fatalf("%d bytes, %v", n, err)
		}
		if answers++; a.Close {
			return answers
		}
	}
	return answers
}

func TestKindsHeedKeepAlive(t *testing.T) {
	for _, kind := range ours {
		for _, c := range []struct {
			keep *bool
			want int
		}{{nil, 2}, {new(true), 2}, {new(false), 1}} {
			t.Run(fmt.Sprintf("%s/%d", kind, c.want), func(t *testing.T) {
				need(t, kind)
				site, _ := newSite(t)
				r := start(t, site, bench.Server{Kind: kind, KeepAlive: c.keep})
				if got := converse(t, r.BaseURL()); got != c.want {
					t.Errorf("%d answers on one connection, want %d", got, c.want)
				}
			})
		}
	}
}

func TestKindsHeedWorkersAndOpenFiles(t *testing.T) {
	processes := map[string]int{"nginx": 3, "apache": 3, "lighttpd": 3} // a master and two
	for kind, want := range processes {
		t.Run(kind, func(t *testing.T) {
			need(t, kind)
			site, m := newSite(t)
			r := start(t, site, bench.Server{Kind: kind, Workers: 2, OpenFiles: 64})
			if err := r.Verify(t.Context(), bench.Load{}, m); err != nil {
				t.Error(err)
			}
			eventually(t, "all workers are there", func() bool { return len(r.PIDs()) == want })
			for _, pid := range r.PIDs() {
				limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
				if err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(string(limits)) {
					if f := strings.Fields(line); strings.HasPrefix(line, "Max open files") && (f[3] != "64" || f[4] != "64") {
						t.Errorf("pid %d: %s", pid, line)
					}
				}
			}
		})
	}
}

func TestKindsTakeConfig(t *testing.T) {
	for kind, config := range map[string]string{
		"nginx":    "add_header X-Mark yes;\nlocation /none { return 418; }",
		"apache":   "ServerTokens Prod\nServerSignature Off",
		"lighttpd": `server.tag = "marked"`,
	} {
		t.Run(kind, func(t *testing.T) {
			need(t, kind)
			site, m := newSite(t)
			r := start(t, site, bench.Server{Kind: kind, Config: config})
			if err := r.Verify(t.Context(), bench.Load{}, m); err != nil {
				t.Error(err)
			}
			a, err := http.Get(r.URL("/small.html"))
			if err != nil {
				t.Fatal(err)
			}
			a.Body.Close()
			if a.Header.Get("X-Mark") != "yes" && a.Header.Get("Server") != "Apache" && a.Header.Get("Server") != "marked" {
				t.Errorf("config without effect: %v", a.Header)
			}
			if !strings.Contains(r.Info().Config, config) {
				t.Errorf("config is not told: %s", r.Info().Config)
			}
		})
	}
}

func TestKindsTellWhyTheyDoNotStart(t *testing.T) {
	for kind, want := range map[string]string{"nginx": "nonsense", "apache": "nonsense", "lighttpd": "parser failed", "tomcat": "Parse fatal error at line"} {
		t.Run(kind, func(t *testing.T) {
			need(t, kind)
			site, _ := newSite(t)
			_, err := tryStart(t.Context(), site, bench.Server{Kind: kind, Config: "nonsense \x1b[31m here;"})
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "exit status") {
				t.Errorf("error %v, want %q and its exit status in it", err, want)
			}
			if err != nil && strings.Contains(err.Error(), "\x1b") {
				t.Errorf("the terminal would obey %q", err)
			}
		})
	}
}

// Concurrency 1025 must work on every kind by default.
func TestKindsTakeManyConnections(t *testing.T) {
	for _, kind := range ours {
		t.Run(kind, func(t *testing.T) {
			need(t, kind)
			site, _ := newSite(t)
			r := start(t, site, bench.Server{Kind: kind})
			const n = 1025
			conns := make([]net.Conn, n)
			var all sync.WaitGroup
			for i := range conns {
				c, err := net.Dial("tcp", strings.TrimPrefix(r.BaseURL(), "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				conns[i] = c
			}
			for i, c := range conns {
				all.Go(func() {
					fmt.Fprint(c, "GET /small.html HTTP/1.0\r\n\r\n")
					a, err := http.ReadResponse(bufio.NewReader(c), nil)
					if err != nil {
						t.Errorf("connection %d: %v", i, err)
						return
					}
					if got, err := io.Copy(io.Discard, a.Body); got != 1500 || err != nil {
						t.Errorf("connection %d: %d bytes, %v", i, got, err)
					}
				})
			}
			all.Wait()
		})
	}
}

func TestKindsLogNoRequests(t *testing.T) {
	for _, kind := range ours {
		t.Run(kind, func(t *testing.T) {
			need(t, kind)
			site, _ := newSite(t)
			r := start(t, site, bench.Server{Kind: kind})
			for range 3 {
				converse(t, r.BaseURL())
			}
			if err := r.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			err := filepath.WalkDir(site.Dir, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() && strings.Contains(d.Name(), "access") {
					t.Errorf("%s: requests are logged", path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestKindSettings(t *testing.T) {
	for _, c := range []struct {
		srv  bench.Server
		dir  string
		want string
	}{
		{bench.Server{Kind: "iis"}, "", `unknown kind of server "iis"`},
		{bench.Server{Kind: "external"}, "", `unknown kind of server "external"`},
		{bench.Server{Kind: "embedded", Port: 70000}, "", "not between 0 and 65535"},
		{bench.Server{Kind: "nginx", OpenFiles: 4}, "", "below the 16"},
		{bench.Server{Kind: "nginx", Workers: -1}, "", "workers -1"},
		{bench.Server{Kind: "nginx", Nice: 20}, "", "nice 20 is not between"},
		{bench.Server{Kind: "apache", Connector: "fcgi"}, "", `no connector "fcgi"`},
		{bench.Server{Kind: "nginx"}, "a$b", "cannot be written into a server's configuration"},
		{bench.Server{Kind: "command"}, "", "needs argv and ready"},
		{bench.Server{Kind: "command", Argv: []string{"no-such-program"}, Ready: "http://127.0.0.1:{port}"}, "", "looking for the command"},
		{bench.Server{Kind: "command", Argv: []string{"true"}, Ready: "ftp://x"}, "", "does not begin with http://host"},
	} {
		dir := filepath.Join(t.TempDir(), c.dir)
		_, err := tryStart(t.Context(), Site{Dir: dir, Docroot: dir, Self: self()}, c.srv)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.srv, err, c.want)
		}
	}
}

func TestMissingToolNamesItsPackage(t *testing.T) {
	absent := nginx.tool
	absent.bins = []string{"no-such-nginx"}
	if _, err := absent.check(context.Background()); err == nil || err.Error() != "nginx is not installed: apt-get install nginx, or put no-such-nginx on the PATH" {
		t.Error(err)
	}
	mute := nginx.tool
	mute.bins, mute.ask = []string{"echo"}, "nothing"
	if _, err := mute.check(context.Background()); err == nil || !strings.Contains(err.Error(), "did not tell its version:\n\tnothing") {
		t.Error(err)
	}
}

// A version is read in full: what only begins like one is not known to have what
// came with it.
func TestNginxVersions(t *testing.T) {
	for version, want := range map[string]bool{
		"nginx/1.19.5": true, "nginx/1.19.4": false, "nginx/1.2.10": false, "nginx/1.28.0 (Ubuntu)": true, "nginx/2.0.0": true,
		"nginx/1.19": false, "nginx/1.28.0x": false, "nginx/1.28.0.1": false, "openresty/1.28.0": false, "": false,
	} {
		if got := hasErrorLogFlag(version); got != want {
			t.Errorf("%q: %t", version, got)
		}
	}
}

// So is a user: the beginning of a number is another user.
func TestSpawnReadsItsUserInFull(t *testing.T) {
	for _, user := range []string{"1000", "1000:", "1000:1000x", "1000:1000:1", "1,000:1000", "-1:0", "4294967296:0", "nobody:nogroup"} {
		if pid, err := spawn([]string{"/bin/true"}, user); err == nil || !strings.Contains(err.Error(), "it is not uid:gid") {
			t.Errorf("%q: process %d, %v", user, pid, err)
		}
	}
}
