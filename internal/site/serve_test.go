package site

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// show serves the site of some runs; looks lets the watcher look once.
func show(t *testing.T) (o Options, base string, looks chan time.Time) {
	t.Helper()
	o = options(t)
	for n := range 2 {
		night(t, o.Results, "night", n, map[string][]int{"small": steady(100)})
	}
	live, _, err := NewLive(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(live)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	looks = make(chan time.Time)
	go func() {
		defer close(done)
		live.Watch(ctx, func(time.Duration) <-chan time.Time { return looks }, func(_ *Made, err error) {
			if err != nil {
				t.Error(err)
			}
		})
	}()
	t.Cleanup(func() {
		stop()
		<-done
		server.CloseClientConnections()
		server.Close()
		live.Close()
	})
	return o, server.URL, looks
}

func ask(t *testing.T, method, address string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Transport{}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

func TestServedFiles(t *testing.T) {
	_, base, _ := show(t)
	for _, c := range []struct {
		method, path string
		status       int
		media        string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8"},
		{"HEAD", "/index.html", 200, "text/html; charset=utf-8"},
		{"GET", "/night/", 200, "text/html; charset=utf-8"},
		{"GET", "/night", 302, ""},
		{"GET", "/night/20261101T030000Z/report.csv", 200, "text/csv; charset=utf-8"},
		{"GET", "/feed.xml", 200, "application/atom+xml"},
		{"GET", "/night/20261101T030000Z/journal.jsonl", 200, "text/plain; charset=utf-8"},
		{"POST", "/", 405, ""}, {"PUT", "/index.html", 405, ""}, {"DELETE", "/feed.xml", 405, ""},
		{"GET", "/.lock", 404, ""}, {"GET", "/nowhere", 404, ""},
		{"GET", "/../results/night/20261101T030000Z/run.json", 404, ""},
		{"GET", "/%2e%2e/results/night/20261101T030000Z/run.json", 404, ""},
		{"GET", "/night/..%2f..%2fresults", 404, ""}, {"GET", "//etc/passwd", 404, ""}, {"GET", "/night%00", 404, ""},
	} {
		answer, _ := ask(t, c.method, base+c.path)
		if answer.StatusCode != c.status || (c.media != "" && answer.Header.Get("Content-Type") != c.media) {
			t.Errorf("%s %s: %d, %s; want %d, %s", c.method, c.path, answer.StatusCode, answer.Header.Get("Content-Type"), c.status, c.media)
		}
		if answer.Header.Get("X-Content-Type-Options") != "nosniff" || answer.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s %s: headers %v", c.method, c.path, answer.Header)
		}
	}
}

// TestServedPagesMayListen: the policy of a served page lets through its script
// and nothing else that the page on disk does not.
func TestServedPagesMayListen(t *testing.T) {
	o, base, _ := show(t)
	for _, name := range []string{"index.html", "night/index.html", "night/20261101T030000Z/index.html"} {
		onDisk := read(t, o, name)
		answer, page := ask(t, "GET", base+"/"+name)
		policy := answer.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'; ", "script-src 'sha256-", "style-src 'sha256-", "connect-src 'self'", "frame-ancestors 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: policy %q lacks %s", name, policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(onDisk, "connect-src") || strings.Contains(onDisk, "EventSource") {
			t.Errorf("%s: policy %q, or the page on disk listens", name, policy)
		}
		if n := strings.Count(page, liveScript); n != 1 {
			t.Errorf("%s: has the script %d times", name, n)
		}
		if !strings.Contains(page, `data-page="`+version([]byte(onDisk))+`"`) {
			t.Errorf("%s: does not name its version", name)
		}
	}
}

func TestAPageHearsOfItsChange(t *testing.T) {
	o, base, looks := show(t)
	hear := func(page string) *bufio.Reader {
		r, err := http.NewRequestWithContext(t.Context(), "GET", base+eventsPath+"?of="+page, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		return bufio.NewReader(answer.Body)
	}
	next := func(r *bufio.Reader) string {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(strings.TrimPrefix(line, "data: "), "\n")
	}
	const grows, rests = "/night/20261102T030000Z/index.html", "/night/20261101T030000Z/"
	growing, resting := hear(grows), hear(rests)
	before, calm := next(growing), next(resting)

	looks <- time.Time{} // at nothing new
	night(t, o.Results, "night", 1, map[string][]int{"small": steady(120)})
	looks <- time.Time{}
	if now := next(growing); now == before || now != version([]byte(read(t, o, grows[1:]))) {
		t.Errorf("the page was %s, and is told to be %s", before, now)
	}
	night(t, o.Results, "night", 2, map[string][]int{"small": steady(100)})
	looks <- time.Time{}
	if now := next(growing); now == before {
		t.Error("a page with a new neighbour did not hear of it")
	}
	night(t, o.Results, "night", -1, map[string][]int{"small": steady(100)}) // a neighbour for the other
	looks <- time.Time{}
	if now := next(resting); now == calm || now != version([]byte(read(t, o, filepath.ToSlash(rests[1:]+indexName)))) {
		t.Errorf("the other page was %s, and is told first of all to be %s", calm, now)
	}
}

func TestAllow(t *testing.T) {
	for policy, want := range map[string]string{
		"default-src 'none'; style-src 'sha256-a'":                          "default-src 'none'; style-src 'sha256-a'; script-src S; connect-src 'self'",
		"default-src 'none'; script-src 'sha256-b'; style-src 'sha256-a'; ": "default-src 'none'; script-src 'sha256-b' S; style-src 'sha256-a'; connect-src 'self'",
	} {
		got := allow(policy)
		source := got[strings.LastIndex(got, "'sha256-"):]
		for part := range strings.SplitSeq(got, " ") {
			part = strings.TrimSuffix(part, ";")
			if strings.HasPrefix(part, "'sha256-") && part != "'sha256-a'" && part != "'sha256-b'" {
				source = part
			}
		}
		if got != strings.ReplaceAll(want, "S;", source+";") && got != strings.ReplaceAll(want, "S", source) {
			t.Errorf("allow(%q) = %q, want %q", policy, got, want)
		}
	}
	if page, policy := lively([]byte("<p>no page of ours</p></body>")); policy != closed || strings.Contains(string(page), "script") {
		t.Errorf("a page without a policy became %s under %q", page, policy)
	}
}

// What stays wrong is told once.
func TestWatchTellsAProblemOnce(t *testing.T) {
	o := options(t)
	night(t, o.Results, "night", 1, map[string][]int{"small": steady(100)})
	live, _, err := NewLive(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	away := o.Results + "-away"
	looks := make(chan time.Time)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	var told []bool // that there is a problem
	go func() {
		defer close(done)
		live.Watch(ctx, func(time.Duration) <-chan time.Time { return looks }, func(_ *Made, err error) { told = append(told, err != nil) })
	}()
	look := func(times int) {
		for range times {
			looks <- time.Time{} // taken once the look before it has ended
		}
	}
	look(1)
	if err := os.Rename(o.Results, away); err != nil {
		t.Fatal(err)
	}
	look(4)
	stop()
	<-done
	if want := []bool{true}; !slices.Equal(told, want) {
		t.Errorf("told %v, not %v", told, want)
	}
}
