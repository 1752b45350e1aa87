package driver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
)

func load10(url string) bench.Load {
	return bench.Load{URLs: []string{url}, Protocol: bench.HTTP10, Conns: 2, Requests: 10, Timeout: 5 * time.Second}
}

func trialOf(l bench.Load) bench.Trial {
	return bench.Trial{Cell: bench.Cell{Key: "c", Driver: "ab", Load: l}, Round: 1}
}

func TestArgsAB(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*bench.Load)
		want   string
	}{
		{"plain", func(*bench.Load) {}, "-n 10 -q -c 2 -s 5 http://h/"},
		{"timeout rounded up", func(l *bench.Load) { l.Timeout = 1500 * time.Millisecond }, "-n 10 -q -c 2 -s 2 http://h/"},
		{"default timeout", func(l *bench.Load) { l.Timeout = 0 }, "-n 10 -q -c 2 -s 30 http://h/"},
		{"keep-alive", func(l *bench.Load) { l.KeepAlive = true }, "-n 10 -q -c 2 -s 5 -k http://h/"},
		{"duration", func(l *bench.Load) { l.Requests, l.Duration = 0, 3*time.Second }, "-t 3 -n 600000 -q -c 2 -s 5 http://h/"},
		{"long duration", func(l *bench.Load) { l.Requests, l.Duration = 0, time.Hour }, "-t 3600 -n 20000000 -q -c 2 -s 5 http://h/"},
		{"headers", func(l *bench.Load) {
			l.Header = []bench.Header{{Name: "Accept", Value: "a b"}, {Name: "X", Value: "1"}}
		},
			"-n 10 -q -c 2 -s 5 -H Accept: a b -H X: 1 http://h/"},
		{"post", func(l *bench.Load) {
			l.Method, l.Body, l.Header = "POST", []byte("x"), []bench.Header{{Name: "content-type", Value: "text/css"}}
		},
			"-n 10 -q -c 2 -s 5 -p SCRATCH/body -T text/css http://h/"},
		{"put", func(l *bench.Load) { l.Method, l.Body = "PUT", []byte("x") }, "-n 10 -q -c 2 -s 5 -u SCRATCH/body http://h/"},
		{"head", func(l *bench.Load) { l.Method = "HEAD" }, "-n 10 -q -c 2 -s 5 -i http://h/"},
		{"delete", func(l *bench.Load) { l.Method = "DELETE" }, "-n 10 -q -c 2 -s 5 -m DELETE http://h/"},
		{"password", func(l *bench.Load) { l.URLs[0] = "http://me:secret@h/x?q#f" }, "-n 10 -q -c 2 -s 5 -A me:secret http://h/x?q"},
		{"source, window", func(l *bench.Load) { l.Sources, l.ReceiveBuffer = []string{"127.0.0.2"}, 4096 }, "-n 10 -q -c 2 -s 5 -B 127.0.0.2 -b 4096 http://h/"},
	} {
		l := load10("http://h")
		c.change(&l)
		scratch := t.TempDir()
		args, err := argsAB(l, scratch)
		if got := strings.ReplaceAll(strings.Join(args, " "), scratch, "SCRATCH"); err != nil || got != c.want {
			t.Errorf("%s: %s, %v, not %s", c.name, got, err, c.want)
		}
	}
}

func TestRefuseAB(t *testing.T) {
	for _, c := range []struct {
		change func(*bench.Load)
		want   string
	}{
		{func(*bench.Load) {}, ""},
		{func(l *bench.Load) { l.Protocol = "" }, "it speaks HTTP/1.0 only (set protocol: HTTP/1.0)"},
		{func(l *bench.Load) { l.Protocol = bench.H2C }, "it speaks HTTP/1.0 only (set protocol: HTTP/1.0)"},
		{func(l *bench.Load) { l.URLs = append(l.URLs, "http://h/2") }, "it asks for one URL only, not for a set of files"},
		{func(l *bench.Load) { l.Rate = 100 }, "it has no fixed rate"},
		{func(l *bench.Load) { l.Conns, l.Requests = 20001, 50000 }, "it makes at most 20000 connections at a time, not 20001"},
		{func(l *bench.Load) { l.Conns = 100 }, "it refuses more connections (100) than requests (10)"},
		{func(l *bench.Load) { l.Requests, l.Duration = 0, 1500*time.Millisecond }, "its time limit is in whole seconds, not 1.5s"},
		{func(l *bench.Load) { l.Think = 1 }, "it has no warm-up, think time or ramp"},
		{func(l *bench.Load) { l.Streams = 4 }, "it has no streams or threads"},
		{func(l *bench.Load) { l.Unix = "/s" }, "it has no unix sockets"},
		{func(l *bench.Load) { l.Sources = []string{"127.0.0.1", "127.0.0.2"} }, "it connects from one address"},
		{func(l *bench.Load) { l.ReceiveLowWater = true }, "it does not set SO_RCVLOWAT"},
		{func(l *bench.Load) { l.Body, l.Method = []byte("x"), "PATCH" }, "it sends a body with POST and PUT only, not with PATCH"},
		{func(l *bench.Load) { l.URLs[0] = "https://h/" }, "it never checks certificates (say insecure: true)"},
		{func(l *bench.Load) { l.Rate, l.Think = 1, 1 }, "it has no fixed rate; it has no warm-up, think time or ramp"},
	} {
		l := load10("http://h/")
		c.change(&l)
		got := ""
		if err := refuseAB(l); err != nil {
			got = strings.TrimPrefix(err.Error(), "ab cannot make this load: ")
		}
		if got != c.want {
			t.Errorf("refused with %q, not %q", got, c.want)
		}
	}
}

// needAB skips where ab is not installed, unless nothing may be skipped.
func needAB(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("ab"); err == nil {
		return
	}
	if os.Getenv("MATRIX_NO_SKIP") != "" {
		t.Fatal("ab is not installed")
	}
	t.Skip("ab is not installed (Debian: apache2-utils)")
}

func runAB(t *testing.T, l bench.Load) (bench.Measurement, string, error) {
	t.Helper()
	var raw bytes.Buffer
	m, err := ab.Run(t.Context(), trialOf(l), &raw)
	if cerr := m.Check(); cerr != nil {
		t.Error(cerr)
	}
	return m, raw.String(), err
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// accept gives each connection to a function, raw.
func accept(t *testing.T, each func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			each(c)
		}
	}()
	return "http://" + l.Addr().String() + "/"
}

func TestCheckAB(t *testing.T) {
	needAB(t)
	if v, err := ab.Check(t.Context()); err != nil || v != "2.3" {
		t.Errorf("%q, %v", v, err)
	}
}

func TestRunAB(t *testing.T) {
	needAB(t)
	body := strings.Repeat("x", 1500)
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })
	l := load10(url + "/small.html")
	l.Expect.Length = map[string]int64{"/small.html": 1500}
	m, raw, err := runAB(t, l)
	if err != nil || m.Issued != 10 || m.OK != 10 || m.BodyBytes != 15000 || m.Elapsed <= 0 || m.WireBytes <= 15000 {
		t.Errorf("%+v, %v", m, err)
	}
	if m.Printed == nil || m.Printed.Version != "2.3" || m.Printed.RequestsPerSecond == nil || len(m.Printed.Quantiles) != 9 {
		t.Errorf("printed: %+v", m.Printed)
	}
	if m.Client == nil || m.Client.MaxRSS <= 0 || m.Client.MaxRSS > 100<<20 {
		t.Errorf("client: %+v", m.Client)
	}
	if !strings.Contains(raw, "Complete requests:      10") {
		t.Errorf("raw: %s", raw)
	}
}

func TestFailuresAB(t *testing.T) {
	needAB(t)
	reset := accept(t, func(c net.Conn) {
		c.(*net.TCPConn).SetLinger(0)
		io.ReadFull(c, make([]byte, 10))
		c.Close()
	})
	closed := accept(t, func(c net.Conn) {
		io.ReadFull(c, make([]byte, 10))
		c.(*net.TCPConn).CloseWrite()
		go func() { io.Copy(io.Discard, c); c.Close() }()
	})
	wrong := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "short") })
	busy := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := "http://" + nobody.Addr().String() + "/"
	nobody.Close()
	for _, c := range []struct {
		name, url string
		class     bench.Failure
		failed    int64
		reason    string
	}{
		{"refused", refused, bench.Connect, 1, "apr_socket_recv: Connection refused (111) (1 of 1)"},
		{"reset", reset, bench.Reset, 1, "apr_socket_recv: Connection reset by peer (104) (1 of 1)"},
		{"closed", closed, bench.Reset, 10, "the connection ended without an answer (10 of 10)"},
		{"503", busy + "/", bench.Non2xx, 10, "the answer's status was not 2xx (10 of 10)"},
		{"another length", wrong + "/", bench.Length, 10, "the body of the first answer had 5 bytes, not 1500 (10 of 10)"},
	} {
		l := load10(c.url)
		l.Expect.Length = map[string]int64{"/": 1500}
		m, _, err := runAB(t, l)
		state, reason := m.State()
		if err != nil || state != bench.StateFailed || reason != c.reason || m.Failed[c.class] != c.failed || m.OK != 0 {
			t.Errorf("%s: %s, %q, %v, %v", c.name, state, reason, m.Failed, err)
		}
	}
}

// The published comparison's c = 1025 under a limit of 1024, scaled down.
func TestOpenFilesAB(t *testing.T) {
	needAB(t)
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") })
	l := load10(url + "/")
	l.Conns, l.Requests, l.OpenFiles = 50, 50, 20
	m, raw, err := runAB(t, l)
	state, reason := m.State()
	if err != nil || state != bench.StateFailed || reason != "socket: Too many open files (24) (1 of 1)" || m.Failed[bench.Client] != 1 {
		t.Errorf("%s: %q, %v, %v\n%s", state, reason, m.Failed, err, raw)
	}
}

// When its time is up ab is asked for what it has counted.
func TestStopAB(t *testing.T) {
	needAB(t)
	ctx, cancel := context.WithCancel(t.Context())
	served := 0
	url := accept(t, func(c net.Conn) {
		if served++; served <= 3 {
			io.ReadFull(c, make([]byte, 10))
			io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\nx")
			c.(*net.TCPConn).CloseWrite()
			go func() { io.Copy(io.Discard, c); c.Close() }()
			return
		}
		t.Cleanup(func() { c.Close() })
		cancel()
	})
	l := load10(url)
	l.Conns = 1
	m, err := ab.Run(ctx, trialOf(l), io.Discard)
	if !errors.Is(err, context.Canceled) || m.OK != 3 {
		t.Errorf("%v, ok %d", err, m.OK)
	}
}

func TestPostAB(t *testing.T) {
	needAB(t)
	got := make(chan string, 20)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- r.Method + " " + r.Header.Get("Content-Type") + " " + r.Header.Get("Authorization") + " " + string(b)
	})
	l := load10(url + "/?token=hush-hush")
	l.Method, l.Body = "POST", []byte("hello")
	l.Header = []bench.Header{{Name: "Content-Type", Value: "text/css"}, {Name: "Authorization", Value: "Bearer hush"}}
	m, raw, err := runAB(t, l)
	if err != nil || m.OK != 10 {
		t.Fatalf("%v, %+v", err, m)
	}
	if request := <-got; request != "POST text/css Bearer hush hello" {
		t.Errorf("the server got %q", request)
	}
	if strings.Contains(raw, "hush") {
		t.Errorf("a secret is in the raw output:\n%s", raw)
	}
	if !slices.Contains(strings.Fields(raw), "/?***") {
		t.Errorf("the path is not in the raw output:\n%s", raw)
	}
}
