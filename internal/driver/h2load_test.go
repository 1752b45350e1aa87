package driver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"matrix/internal/bench"
)

func loadH2(urls ...string) bench.Load {
	return bench.Load{URLs: urls, Protocol: bench.HTTP11, KeepAlive: true, Conns: 2, Requests: 20, Timeout: 5 * time.Second, Threads: 1}
}

func TestRefuseH2Load(t *testing.T) {
	refusals(t, "h2load", refuseH2Load, loadH2("http://h/"), []refusalCase{
		{func(*bench.Load) {}, ""},
		{func(l *bench.Load) { l.URLs = nil }, ""},
		{func(l *bench.Load) { l.Protocol = bench.H2C; l.Streams = 10 }, ""},
		{func(l *bench.Load) {
			l.Protocol, l.URLs[0], l.TLS = bench.H2, "https://h/", &bench.TLS{Insecure: true}
		}, ""},
		{func(l *bench.Load) { l.Protocol = bench.HTTP10 }, "it speaks HTTP/1.1 and HTTP/2, not HTTP/1.0 (set protocol: HTTP/1.1, h2 or h2c)"},
		{func(l *bench.Load) { l.KeepAlive = false }, "it keeps its connections (set keep_alive: true)"},
		{func(l *bench.Load) { l.Protocol = bench.H2 }, "h2 is spoken over https only (set protocol: h2c)"},
		{func(l *bench.Load) {
			l.Protocol, l.URLs[0], l.TLS = bench.H2C, "https://h/", &bench.TLS{Insecure: true}
		}, "h2c is spoken over http only (set protocol: h2)"},
		{func(l *bench.Load) { l.Streams = 10 }, "streams are of HTTP/2: with HTTP/1.1 it would send requests without waiting for answers"},
		{func(l *bench.Load) { l.URLs = append(l.URLs, "http://h/2") }, "it takes several URLs in turn (set pick: in turn), not at random"},
		{func(l *bench.Load) { l.URLs, l.Pick = append(l.URLs, "http://h/2"), bench.PickInTurn }, ""},
		{func(l *bench.Load) { l.Rate = 5 }, "it has no rate of all connections together"},
		{func(l *bench.Load) { l.Conns = 21 }, "it refuses more connections (21) than requests (20)"},
		{func(l *bench.Load) { l.Threads = 3 }, "it refuses more threads (3) than connections (2)"},
		{func(l *bench.Load) { l.Method = "HEAD" }, "it has no method but GET, and POST with a body"},
		{func(l *bench.Load) { l.Method, l.Body = "POST", []byte("x") }, ""},
		{func(l *bench.Load) { l.Method, l.Body = "PUT", []byte("x") }, "it has no method but GET, and POST with a body"},
	})
}

func TestArgsH2Load(t *testing.T) {
	for _, c := range []struct {
		change     func(*bench.Load)
		want, urls string
	}{
		{func(*bench.Load) {}, "-c 2 -t 1 -m 1 -N 5s -n 20 --h1 -i SCRATCH/urls", "http://h/\n"},
		{func(l *bench.Load) { l.Requests, l.Duration = 0, 3*time.Second }, "-c 2 -t 1 -m 1 -N 5s -D 3s --h1 -i SCRATCH/urls", "http://h/\n"},
		{func(l *bench.Load) { l.Protocol, l.Streams = bench.H2C, 8 }, "-c 2 -t 1 -m 8 -N 5s -n 20 -i SCRATCH/urls", "http://h/\n"},
		{func(l *bench.Load) { l.Method, l.Body = "POST", []byte("x") }, "-c 2 -t 1 -m 1 -N 5s -n 20 --h1 -d SCRATCH/body -i SCRATCH/urls", "http://h/\n"},
		{func(l *bench.Load) {
			l.URLs, l.Pick = []string{"http://me:pw@h/1?q", "http://me:pw@h/2#f"}, bench.PickInTurn
		},
			"-c 2 -t 1 -m 1 -N 5s -n 20 --h1 -H Authorization: Basic bWU6cHc= -i SCRATCH/urls", "http://h/1?q\nhttp://h/2\n"},
	} {
		l := loadH2("http://h")
		c.change(&l)
		scratch := t.TempDir()
		args, err := argsH2Load(l, scratch)
		if err != nil {
			t.Error(err)
			continue
		}
		urls, err := os.ReadFile(filepath.Join(scratch, "urls"))
		if got := strings.ReplaceAll(strings.Join(args, " "), scratch, "SCRATCH"); err != nil || got != c.want || string(urls) != c.urls {
			t.Errorf("%s, %v, %q, not %s", got, err, urls, c.want)
		}
	}
}

func TestRunH2Load(t *testing.T) {
	needTool(t, h2load)
	if v, err := h2load.Check(t.Context()); err != nil || !strings.HasPrefix(v, "1.") {
		t.Errorf("version %q, %v", v, err)
	}
	var mu sync.Mutex
	seen := map[string]int{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Proto+" "+r.URL.Path]++
		mu.Unlock()
		if r.URL.Path == "/busy" {
			w.WriteHeader(503)
			return
		}
		io.WriteString(w, strings.Repeat("x", 1500))
	}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	length := map[string]int64{"/a": 1500, "/b": 1500}
	for _, c := range []struct {
		name   string
		load   bench.Load
		change func(*bench.Load)
		state  bench.State
		reason string
		seen   map[string]int
	}{
		{"HTTP/1.1", loadH2(s.URL + "/a"), func(*bench.Load) {}, bench.StateOK, "", map[string]int{"HTTP/1.1 /a": 20}},
		{"h2c, streams", loadH2(s.URL + "/a"), func(l *bench.Load) { l.Protocol, l.Streams = bench.H2C, 5 }, bench.StateOK, "", map[string]int{"HTTP/2.0 /a": 20}},
		{"in turn", loadH2(s.URL+"/a", s.URL+"/b"), func(l *bench.Load) { l.Pick = bench.PickInTurn }, bench.StateOK, "", map[string]int{"HTTP/1.1 /a": 10, "HTTP/1.1 /b": 10}},
		{"503", loadH2(s.URL + "/busy"), func(*bench.Load) {}, bench.StateFailed, "the answer's status was 400 or above (20 of 20)", map[string]int{"HTTP/1.1 /busy": 20}},
		{"short", loadH2(s.URL + "/a"), func(l *bench.Load) { l.Expect.Length = map[string]int64{"/a": 1501} }, bench.StateFailed,
			"the bodies were not all of 1501 bytes: 30000 came for 20 answers (20 of 20)", map[string]int{"HTTP/1.1 /a": 20}},
		{"refused", loadH2("http://127.0.0.1:1/"), func(*bench.Load) {}, bench.StateFailed, "the connection could not be made (20 of 20)", map[string]int{}},
	} {
		l := c.load
		l.Expect.Length = length
		c.change(&l)
		clear(seen)
		m, raw, err := measure(t, h2load, l)
		state, reason := m.State()
		if err != nil || state != c.state || reason != c.reason || m.Issued != 20 {
			t.Errorf("%s: %s, %q, %v\n%s", c.name, state, reason, err, raw)
		}
		if c.state == bench.StateOK && (m.BodyBytes != 30000 || m.Elapsed <= 0 || m.Printed.Latency == nil || m.Printed.Latency.Max == nil) {
			t.Errorf("%s: %+v", c.name, m)
		}
		for what, n := range c.seen {
			if seen[what] != n {
				t.Errorf("%s: the server saw %v", c.name, seen)
			}
		}
	}
}
