package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

func duration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// The test program serves when it is started as a server, as the program does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "serve-") {
		complain(serve(os.Args[1:]))
		return
	}
	os.Exit(m.Run())
}

// started is a server of a kind, or a skipped test where io_uring is not permitted.
func started(t *testing.T, kind string) *site {
	t.Helper()
	if _, err := newRing(8, 8); err != nil {
		if os.Getenv("MATRIX_NO_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	p := ports{next: 21100}
	port, err := p.take()
	if err != nil {
		t.Fatal(err)
	}
	s, err := startSite(t.Context(), kind, port, stalls{time.Hour, time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

func TestAsksToClose(t *testing.T) {
	for head, want := range map[string]bool{
		"GET / HTTP/1.1\r\nHost: a":                           false,
		"GET / HTTP/1.1\r\nconnection: Close":                 true,
		"GET /close HTTP/1.1\r\nHost: close":                  false,
		"GET / HTTP/1.0\r\nHost: a":                           true,
		"GET / HTTP/1.0\r\nHost: a\r\nConnection: Keep-Alive": false,
	} {
		if got := asksToClose([]byte(head)); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}

// exchange writes the parts of requests one after the other and returns the
// answers. What the server reads at a time is up to the kernel.
func exchange(t *testing.T, s *site, answers int, parts ...string) []*http.Response {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, p := range parts {
		if _, err := io.WriteString(c, p); err != nil {
			t.Fatal(err)
		}
	}
	var all []*http.Response
	r := bufio.NewReader(c)
	for range answers {
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || len(body) != smallBytes || res.StatusCode != http.StatusOK {
			t.Fatalf("status %d, body of %d bytes, %v", res.StatusCode, len(body), err)
		}
		all = append(all, res)
	}
	if last := all[len(all)-1]; last.Close {
		if _, err := r.ReadByte(); err != io.EOF {
			t.Errorf("after the last answer: %v, want the end of the stream", err)
		}
	}
	return all
}

func TestCanned(t *testing.T) {
	s := started(t, serverCanned)
	const keep, shut = "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
	for _, c := range []struct {
		name    string
		answers int
		parts   []string
	}{
		{"one", 1, []string{keep}},
		{"closed", 1, []string{shut}},
		{"1.0", 1, []string{"GET / HTTP/1.0\r\n\r\n"}},
		{"two at once, then closed", 3, []string{keep + keep, shut}},
		{"split", 2, []string{keep[:9], keep[9:25], keep[25:] + shut[:4], shut[4:]}},
		{"byte by byte", 1, strings.Split(shut, "")},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := exchange(t, s, c.answers, c.parts...)
			ends := !strings.HasSuffix(strings.Join(c.parts, ""), keep)
			if got := all[len(all)-1].Close; got != ends {
				t.Errorf("the last answer ends the connection: %v, want %v", got, ends)
			}
		})
	}
}

func TestDelayIsKept(t *testing.T) {
	s := started(t, serverDelay)
	start := time.Now()
	exchange(t, s, 1, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if took := time.Since(start); took < knownDelay {
		t.Errorf("answered after %v, before the delay of %v", took, knownDelay)
	}
}

// A client may tell of failures by its exit status: what it printed counts.
func TestTrial(t *testing.T) {
	s := started(t, serverCanned)
	w := sweep{Progress: func(string, ...any) {}, Seconds: 1}
	echo := client{
		Name: "echo", Bin: "sh",
		Argv: func(_ workload, url string, _ int) ([]string, error) {
			return []string{"-c", "echo " + url + "; exit 4"}, nil
		},
		Parse: func(out []byte) (figures, error) { return figures{Requests: float64(len(out))}, nil },
	}
	got := w.trial(context.Background(), echo, workload{Aspect: aspectWork, Server: serverCanned, Size: small}, 2, s)
	if got.Error != "" || got.Requests != float64(len(s.URL)+2) || got.Round != 2 || got.WallS <= 0 {
		t.Errorf("trial %+v", got)
	}
	echo.Parse = func([]byte) (figures, error) { return figures{}, errNoFigures }
	if got := w.trial(context.Background(), echo, workload{Server: serverCanned}, 0, s); !strings.Contains(got.Error, "exit status 4") {
		t.Errorf("error %q does not tell the exit status", got.Error)
	}
}
