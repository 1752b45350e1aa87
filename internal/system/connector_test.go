package system

import (
	"context"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"matrix/internal/bench"
)

// needPart skips where a part of a system is absent, unless nothing may be
// skipped.
func needPart(t testing.TB, s bench.System) {
	t.Helper()
	parts, err := Parts(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if _, err := p.Check(t.Context()); err != nil {
			if os.Getenv("MATRIX_NO_SKIP") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
}

// TestConnectors: one system, two servers, every file through both; and nothing
// of either is left.
func TestConnectors(t *testing.T) {
	for connector, config := range map[string]string{"http": `ProxyPass "/" "http://127.0.0.1:`, "ajp": `ProxyPass "/" "ajp://127.0.0.1:`, "jk": "JkMount /* tomcat"} {
		t.Run(connector, func(t *testing.T) {
			srv := bench.Server{Kind: "apache", Connector: connector, Nice: 3}
			needPart(t, bench.System{Server: &srv})
			site, m := newSite(t)
			r := start(t, site, srv)
			if err := r.Verify(t.Context(), bench.Load{}, m); err != nil {
				t.Error(err)
			}
			info := r.Info()
			if !strings.HasPrefix(info.Version, "Apache/2") || !strings.Contains(info.Version, ", Apache Tomcat/") {
				t.Errorf("version %q", info.Version)
			}
			if !strings.Contains(info.Config, config) || !strings.Contains(info.Config, "<Service") || strings.Contains(info.Config, "DocumentRoot") {
				t.Errorf("config %s", info.Config)
			}
			if len(r.PIDs()) <= len(r.behind.PIDs()) || len(r.behind.PIDs()) != 1 {
				t.Errorf("processes %v, of Tomcat %v", r.PIDs(), r.behind.PIDs())
			}
			java := r.behind.PIDs()[0]
			if os.Geteuid() == 0 && ownerOf(t, java) == 0 {
				t.Error("Tomcat serves as root")
			}
			for _, pid := range r.PIDs() {
				if n := niceOf(t, pid); n != 3 {
					t.Errorf("pid %d has nice level %d", pid, n)
				}
			}
			pids := r.PIDs()
			if err := r.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			if !gone(pids) {
				t.Error("processes are left after Stop")
			}
		})
	}
}

// niceOf is the nice level in /proc/PID/stat, its 19th field.
func niceOf(t testing.TB, pid int) int {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	n, err := strconv.Atoi(strings.Fields(after)[16])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestConnectorWithoutTomcat: when the server behind ends, so does the system.
func TestConnectorWithoutTomcat(t *testing.T) {
	srv := bench.Server{Kind: "apache", Connector: "http"}
	needPart(t, bench.System{Server: &srv})
	site, _ := newSite(t)
	r := start(t, site, srv)
	if err := r.Alive(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(r.behind.PIDs()[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the system is not alive", func() bool {
		err := r.Alive()
		return err != nil && strings.HasPrefix(err.Error(), "tomcat has ended")
	})
}

// TestTomcatWithoutItsPort: it ends rather than go on without one.
func TestTomcatWithoutItsPort(t *testing.T) {
	need(t, "tomcat")
	site, _ := newSite(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	srv := bench.Server{Kind: "tomcat"}
	_, err = tomcatOn(t.Context(), bench.System{Labels: labels("tomcat"), Server: &srv}, site, l.Addr().(*net.TCPAddr).Port, "ajp")
	if err == nil || !strings.Contains(err.Error(), "tomcat has ended") || !strings.Contains(err.Error(), "Address already in use") {
		t.Errorf("error %v", err)
	}
}

func TestNiceIsOfEveryKind(t *testing.T) {
	site, _ := newSite(t)
	r := start(t, site, bench.Server{Kind: "embedded", Nice: 7})
	for _, pid := range r.PIDs() {
		if n := niceOf(t, pid); n != 7 {
			t.Errorf("pid %d has nice level %d", pid, n)
		}
	}
}

func TestTomcatTakesConfig(t *testing.T) {
	need(t, "tomcat")
	site, m := newSite(t)
	const valve = `<Valve className="org.apache.catalina.valves.RemoteAddrValve" deny="127\.0\.0\.1" denyStatus="418"/>`
	r := start(t, site, bench.Server{Kind: "tomcat", Config: valve, Workers: 2})
	if !strings.Contains(r.Info().Config, `maxThreads="2"`) {
		t.Errorf("config %s", r.Info().Config)
	}
	err := r.Verify(t.Context(), bench.Load{}, m)
	if err == nil || !strings.Contains(err.Error(), strconv.Itoa(http.StatusTeapot)) {
		t.Errorf("verify: %v", err)
	}
}

// TestPingAJP: only a CPong is an answer.
func TestPingAJP(t *testing.T) {
	for said, want := range map[string]bool{"AB\x00\x01\x09": true, "HTTP/": false, "AB": false} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			var ping [5]byte
			c.Read(ping[:])
			if string(ping[:]) == "\x124\x00\x01\x0a" {
				c.Write([]byte(said))
			}
			c.Close()
		}()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := pingAJP(ctx, l.Addr().(*net.TCPAddr).Port); (err == nil) != want {
			t.Errorf("%q: %v", said, err)
		}
		cancel()
		l.Close()
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		srv  *bench.Server
		want string
	}{
		{nil, ""},
		{&bench.Server{Kind: "nginx"}, "nginx"},
		{&bench.Server{Kind: "apache"}, "apache"},
		{&bench.Server{Kind: "apache", Connector: "jk"}, "apache tomcat connector jk"},
	} {
		parts, err := Parts(bench.System{Server: c.srv})
		var got []string
		for _, p := range parts {
			got = append(got, p.Name)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %q, %v", c.srv, got, err)
		}
	}
}
