package driver

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
)

func loadWrk(url string) bench.Load {
	return bench.Load{URLs: []string{url}, Protocol: bench.HTTP11, KeepAlive: true, Conns: 4, Duration: time.Second, Timeout: 5 * time.Second, Threads: 2}
}

func TestRefuseWrk(t *testing.T) {
	refusals(t, "wrk", refuseWrk, loadWrk("http://h/"), []refusalCase{
		{func(*bench.Load) {}, ""},
		{func(l *bench.Load) { l.Protocol = "" }, ""},
		{func(l *bench.Load) { l.KeepAlive = false }, ""},
		{func(l *bench.Load) { l.Protocol = bench.HTTP10 }, "it speaks HTTP/1.1 only (set protocol: HTTP/1.1)"},
		{func(l *bench.Load) { l.Protocol = bench.H2 }, "it speaks HTTP/1.1 only (set protocol: HTTP/1.1)"},
		{func(l *bench.Load) { l.Requests, l.Duration = 10, 0 }, "it has a time limit only, no number of requests (set duration)"},
		{func(l *bench.Load) { l.Duration = 100 * time.Millisecond }, "its time limit is in whole seconds, not 100ms"},
		{func(l *bench.Load) { l.URLs = append(l.URLs, "http://h/2") }, "it asks for one URL only, not for a set of files"},
		{func(l *bench.Load) { l.Rate = 5 }, "it has no fixed rate"},
		{func(l *bench.Load) { l.Threads = 3 }, "its threads take as many connections each: 3 threads do not divide 4"},
		{func(l *bench.Load) { l.Threads = 8 }, "its threads take as many connections each: 8 threads do not divide 4"},
		{func(l *bench.Load) { l.Streams = 3 }, "it has no streams"},
		{func(l *bench.Load) { l.Method = "PUT" }, "it has no method but GET (another would take a script)"},
		{func(l *bench.Load) { l.URLs[0] = "https://h/" }, "it never checks certificates (say insecure: true)"},
		{func(l *bench.Load) { l.Backend = "epoll" }, "it has no back ends"},
	})
}

func TestArgsWrk(t *testing.T) {
	for _, c := range []struct {
		change func(*bench.Load)
		want   string
	}{
		{func(*bench.Load) {}, "-t 2 -c 4 -d 1s --timeout 5s --latency http://h/"},
		{func(l *bench.Load) { l.Threads, l.Conns = 0, 1 }, "-t 1 -c 1 -d 1s --timeout 5s --latency http://h/"},
		{func(l *bench.Load) { l.KeepAlive = false }, "-t 2 -c 4 -d 1s --timeout 5s --latency -H Connection: close http://h/"},
		{func(l *bench.Load) {
			l.URLs[0], l.Header = "http://me:pw@h#x", []bench.Header{{Name: "Accept", Value: "a b"}}
		},
			"-t 2 -c 4 -d 1s --timeout 5s --latency -H Authorization: Basic bWU6cHc= -H Accept: a b http://h/"},
	} {
		l := loadWrk("http://h")
		c.change(&l)
		args, err := argsWrk(l, t.TempDir())
		if got := strings.Join(args, " "); err != nil || got != c.want {
			t.Errorf("%s, %v, not %s", got, err, c.want)
		}
	}
}

func TestThreadsDivide(t *testing.T) {
	for conns := 1; conns <= 64; conns++ {
		if n := threads(bench.Load{Conns: conns}); n < 1 || conns%n != 0 {
			t.Errorf("%d threads for %d connections", n, conns)
		}
	}
}

func TestRunWrk(t *testing.T) {
	needTool(t, wrk)
	if v, err := wrk.Check(t.Context()); err != nil || v == "" {
		t.Errorf("version %q, %v", v, err)
	}
	body := strings.Repeat("x", 1500)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) })
	busy := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	silent := accept(t, func(c net.Conn) { // closes as asked, but never says so
		go func() {
			defer c.Close()
			if _, err := c.Read(make([]byte, 4096)); err == nil {
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
			}
		}()
	})
	for _, c := range []struct {
		name   string
		url    string
		change func(*bench.Load)
		state  bench.State
		class  bench.Failure
		note   string
	}{
		{"kept", url + "/small.html", func(l *bench.Load) { l.Expect.Length = map[string]int64{"/small.html": 1500} }, bench.StateOK, "", ""},
		{"closed", url + "/small.html", func(l *bench.Load) { l.KeepAlive = false }, bench.StateOK, "", ""},
		{"closed without saying so", silent, func(l *bench.Load) { l.KeepAlive = false }, bench.StateOK, "", "closed-unannounced"},
		{"503", busy + "/", func(*bench.Load) {}, bench.StateFailed, bench.Non2xx, ""},
		{"short", url + "/small.html", func(l *bench.Load) { l.Expect.Length = map[string]int64{"/small.html": 15000} }, bench.StateFailed, bench.Length, ""},
		{"refused", "http://127.0.0.1:1/", func(*bench.Load) {}, bench.StateFailed, bench.Connect, ""},
	} {
		l := loadWrk(c.url)
		c.change(&l)
		m, raw, err := measure(t, wrk, l)
		state, reason := m.State()
		if err != nil || state != c.state || (c.class != "" && m.Failed[c.class] == 0) {
			t.Errorf("%s: %s, %q, %v\n%s", c.name, state, reason, err, raw)
		}
		if c.state == bench.StateOK && (m.Elapsed < time.Second || m.WireBytes == 0 || len(m.Printed.Quantiles) != 4 || m.Printed.Latency == nil || m.Client == nil) {
			t.Errorf("%s: %+v", c.name, m)
		}
		if found := slices.ContainsFunc(m.Notes, func(n bench.Note) bool { return n.Code == c.note }); found != (c.note != "") {
			t.Errorf("%s: notes %v\n%s", c.name, m.Notes, raw)
		}
	}
}
