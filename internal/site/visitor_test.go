package site

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestNamed(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1:8080": true, "[::1]:8080": true, "::1": true, "192.0.2.7": true, "localhost:80": true, "LOCALHOST.": true, "a.localhost": true,
		"bench.example.org:8080": true, "Bench.Example.Org": true,
		"evil.example": false, "127.0.0.1.evil.example:8080": false, "localhost.evil.example": false, "": false, "bench.example.org.evil.example": false,
	} {
		if got := named(host, []string{"bench.example.org"}); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}

// TestHostIsChecked: a page of another site that makes its name lead here reads
// nothing.
func TestHostIsChecked(t *testing.T) {
	_, base, _ := show(t)
	for host, want := range map[string]int{"rebound.example": http.StatusMisdirectedRequest, "localhost": http.StatusOK} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", base+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != want || want != http.StatusOK && strings.Contains(string(text), "<html") {
			t.Errorf("%s: %d, want %d", host, answer.StatusCode, want)
		}
	}
}

// TestOneRange: one range is served as asked, several are answered with the whole.
func TestOneRange(t *testing.T) {
	_, base, _ := show(t)
	const path = "/night/20261101T030000Z/report.csv"
	_, whole := ask(t, "GET", base+path)
	for ask, want := range map[string]string{
		"bytes=0-9": whole[:10],
		"bytes=0-0" + strings.Repeat(",1-1", 4999): whole,
	} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Range", ask)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || string(got) != want {
			t.Errorf("%.20s: %d bytes, %v; want %d", ask, len(got), err, len(want))
		}
	}
}

// TestStreamsAreLimited: the page after the last that may listen is told so.
func TestStreamsAreLimited(t *testing.T) {
	_, base, _ := show(t)
	for i := range mostStreams + 1 {
		r, err := http.NewRequestWithContext(t.Context(), "GET", base+eventsPath+"?of=index.html", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		want := http.StatusOK
		if i == mostStreams {
			want = http.StatusServiceUnavailable
		}
		if answer.StatusCode != want {
			t.Fatalf("stream %d: %d, want %d", i, answer.StatusCode, want)
		}
	}
}

// deadlines is a response that notes what it is given to write in.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// TestEveryWriteHasADeadline: a client that never reads is not held for ever.
func TestEveryWriteHasADeadline(t *testing.T) {
	d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	w := newTimed(d)
	for range 3 {
		if _, err := io.WriteString(w, "x"); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.set) != 3 || !d.set[0].After(time.Now()) {
		t.Errorf("deadlines %v for three writes", d.set)
	}
}
