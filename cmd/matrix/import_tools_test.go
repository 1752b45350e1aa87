package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matrix/internal/audit"
	"matrix/internal/bench"
	"matrix/internal/fixtures"
	"matrix/internal/system"
)

// modes are how each tool is called; H1 and H2 stand for servers that speak
// HTTP/1.1 and HTTP/2, BODY for a file to send. No two are one load.
var modes = map[string][]string{
	"ab": {
		"-n 2000 -c 1 H1/small.html",
		"-n 2000 -c 20 H1/small.html",
		"-n 100 -c 100 H1/small.html",
		"-n 1 H1/small.html",
		"-k -n 5000 -c 20 H1/small.html",
		"-k -t 1 -n 1000000 -c 10 H1/small.html",
		"-t 1 -c 10 H1/small.html",
		"-i -n 500 -c 5 H1/small.html",
		"-p BODY -n 500 -c 5 H1/small.html",
		"-n 500 -c 5 H1/none.html",
		"-l -n 600 -c 5 H1/small.html",
		"-d -S -q -n 700 -c 5 H1/small.html",
		"-w -n 800 -c 5 H1/small.html",
		"-r -s 5 -n 900 -c 5 H1/small.html",
		"-n 1000 -c 10 H1/large.html",
		"-k -n 1000 -c 10 -H Accept-Encoding:gzip H1/large.html",
	},
	"wrk": {
		"-t1 -c1 -d1s H1/small.html",
		"-t2 -c10 -d1s --latency H1/small.html",
		"-t2 -c10 -d1s -H Connection:close H1/small.html",
		"-t2 -c5 -d1s --timeout 1 H1/small.html",
		"-t2 -c200 -d1s --latency H1/small.html",
		"-t1 -c10 -d1s H1/none.html",
		"-t1 -c10 -d1s H1/large.html",
	},
	"h2load": {
		"--h1 -n 2000 -c 1 H1/small.html",
		"--h1 -n 2000 -c 10 -t 2 H1/small.html",
		"--h1 -n 2000 -c 10 -m 10 H1/small.html",
		"--h1 -D 1s -c 10 H1/small.html",
		"--h1 -D 1s -c 10 -m 10 H1/small.html",
		"--h1 -n 500 -c 10 H1/none.html",
		"--h1 -n 500 -c 10 H1/large.html",
		"-n 1 H2/small.html",
		"-n 100 -c 4 -m 1 H2/small.html",
		"-n 1000 -c 4 -m 20 H2/small.html",
		"-n 1000 -c 4 -m 100 H2/small.html",
		"-n 5000 -c 50 -m 100 -t 2 H2/small.html",
		"-D 1s -c 4 -m 20 H2/small.html",
		"-D 1s -c 500 -m 100 H2/small.html",
		"-D 1s --warm-up-time=1s -c 300 -m 100 H2/small.html",
		"-D 1s -c 4 --rps 50 H2/small.html",
		"-n 200 -c 4 --rps 100 H2/small.html",
		"-n 100 -c 10 -r 5 --rate-period=100ms H2/small.html",
		"-n 500 -c 5 -m 10 H2/none.html",
		"-n 200 -c 5 -m 10 H2/large.html",
		"-n 200 -c 5 -m 10 -d BODY H2/small.html",
		"-n 300 -c 5 -m 10 -w 16 H2/small.html",
	},
}

// needTool skips where a tool is absent, unless nothing may be skipped.
func needTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("MATRIX_NO_SKIP") != "" {
		t.Fatalf("%s is not installed", name)
	}
	t.Skipf("%s is not installed", name)
}

// served starts a server of a kind and returns its URL.
func served(t *testing.T, dir string, files []bench.File, server bench.Server) string {
	t.Helper()
	s := bench.System{Labels: []bench.Pair{{Name: "Server", Value: server.Kind}}, Server: &server}
	kind, err := system.KindOf(s)
	if err != nil {
		t.Fatal(err)
	}
	self, err := exec.LookPath("matrix")
	if err != nil {
		t.Fatal(err)
	}
	running, err := kind.Start(t.Context(), s, system.Site{Dir: filepath.Join(dir, server.Kind), Docroot: filepath.Join(dir, "files"), Files: files, Self: []string{self}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return running.BaseURL()
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// An audit of what real tools print of real servers finds nothing, whether the
// log shows the command or not; and no mode of a tool is a round of another.
func TestAuditOfRealTools(t *testing.T) {
	needTool(t, "nginx")
	dir := openDir(t)
	files := []bench.File{{Name: "small", Size: 1500}, {Name: "large", Size: 150_000}}
	if _, err := fixtures.Make(t.Context(), filepath.Join(dir, "files"), files, 1); err != nil {
		t.Fatal(err)
	}
	h2 := freePort(t)
	nginx := served(t, dir, files, bench.Server{Kind: "nginx", Config: "listen " + h2 + " http2;"})
	urls := map[string]*strings.Replacer{
		"embedded": strings.NewReplacer("H1", served(t, dir, files, bench.Server{Kind: "embedded"}), "H2", "http://"+h2, "BODY", filepath.Join(dir, "body")),
		"nginx":    strings.NewReplacer("H1", nginx, "H2", "http://"+h2, "BODY", filepath.Join(dir, "body")),
	}
	if err := os.WriteFile(filepath.Join(dir, "body"), []byte("hello=world"), 0o600); err != nil {
		t.Fatal(err)
	}
	for tool, calls := range modes {
		for server, replacer := range urls {
			calls := slices.DeleteFunc(slices.Clone(calls), func(call string) bool { // nginx alone speaks HTTP/2
				return server != "nginx" && strings.Contains(call, "H2/")
			})
			t.Run(tool+" of "+server, func(t *testing.T) {
				t.Parallel()
				needTool(t, tool)
				told, bare := logsOf(t, tool, calls, replacer)
				for _, r := range audited(t, tool, told, len(calls)) {
					if r.Round != 1 {
						t.Errorf("%s is a round of another load", r.ID())
					}
				}
				audited(t, tool, bare, len(calls))
			})
		}
	}
}

// logsOf runs a tool in each of its modes, and keeps what it printed with the
// command line before it and without.
func logsOf(t *testing.T, tool string, calls []string, replacer *strings.Replacer) (told, bare []string) {
	t.Helper()
	dir := t.TempDir()
	for i, call := range calls {
		args := strings.Fields(replacer.Replace(call))
		out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", tool, call, err, out)
		}
		for name, text := range map[string]string{
			"told": fmt.Sprintf("$ %s %s\n%s", tool, strings.Join(args, " "), out), "bare": string(out)} {
			path := filepath.Join(dir, fmt.Sprintf("%s-%02d.txt", name, i))
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if name == "told" {
				told = append(told, path)
			} else {
				bare = append(bare, path)
			}
		}
	}
	return told, bare
}

// audited imports logs as one run, of which an audit is to find nothing.
func audited(t *testing.T, tool string, logs []string, n int) []bench.Record {
	t.Helper()
	r := imported(t, t.TempDir(), append([]string{"--as", tool, "--label", "S=x"}, logs...)...)
	if len(r.Records()) != n {
		t.Fatalf("%d records of %d logs", len(r.Records()), n)
	}
	for _, f := range audit.Run(r.Records()) {
		t.Errorf("%s#%d: %s: %s", f.Key, f.Round, f.Rule, f.Text)
	}
	return r.Records()
}
