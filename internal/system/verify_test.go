package system

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/fixtures"
)

func TestVerifySaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	m, err := fixtures.Make(t.Context(), dir, files[:1], 1)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "small.html"))
	if err != nil {
		t.Fatal(err)
	}
	other := append([]byte{}, page...)
	other[700] ^= 1
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"right", func(w http.ResponseWriter, r *http.Request) { w.Write(page) }, ""},
		{"absent", http.NotFound, "status 404 (1 of 1)"},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusFound) }, "status 302 (1 of 1)"},
		{"short", func(w http.ResponseWriter, r *http.Request) { w.Write(page[:1499]) }, "a body of 1499 bytes, not 1500 (1 of 1)"},
		{"long", func(w http.ResponseWriter, r *http.Request) { w.Write(page); w.Write(page) }, "a body of 3000 bytes, not 1500 (1 of 1)"},
		{"other", func(w http.ResponseWriter, r *http.Request) { w.Write(other) }, "the body's SHA-256 is not the expected one (1 of 1)"},
		{"cut", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1500")
			w.Write(page[:9])
		}, "the connection ended before the body was whole (1 of 1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(c.handler)
			defer s.Close()
			r := external(t, s.URL+"/")
			strict := bench.Load{Expect: bench.Expect{Length: map[string]int64{}, SampleOne: 1}}
			err := r.Verify(t.Context(), strict, m)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), "GET /small.html on "+s.URL) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q", err, c.want)
			}
			lenient := r.Verify(t.Context(), bench.Load{}, m)
			if success := c.name != "absent" && c.name != "elsewhere" && c.name != "cut"; success != (lenient == nil) {
				t.Errorf("without the checks asked for: %v", lenient)
			}
		})
	}
}

func external(t *testing.T, base string) *Running {
	t.Helper()
	r, err := startExternal(t.Context(), bench.System{Labels: labels("x"), URL: base}, Site{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestExternal(t *testing.T) {
	asked := make(chan *http.Request, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		w.Header().Set("Server", "evil\u202e")
	}))
	m := fixtures.Manifest{Files: map[string]fixtures.Entry{"/small.html": {Size: 1500}}}
	base := strings.Replace(s.URL, "http://", "http://me:s3cret@", 1) + "/sub/?q=1"
	r := external(t, base)
	if err := r.Verify(t.Context(), bench.Load{Header: []bench.Header{{Name: "X-Key", Value: "k"}}}, m); err != nil {
		t.Fatal(err)
	}
	got := <-asked
	if user, password, _ := got.BasicAuth(); user != "me" || password != "s3cret" || got.URL.Path != "/sub/small.html" || got.Header.Get("X-Key") != "k" {
		t.Errorf("asked for %s as %s:%s with key %s", got.URL.Path, user, password, got.Header.Get("X-Key"))
	}
	if v := r.Info().Version; !strings.HasPrefix(v, "evil") || strings.ContainsRune(v, 0x202e) {
		t.Errorf("version %q", v)
	}
	if r.Alive() != nil || r.PIDs() != nil || r.Stop(context.Background()) != nil || r.URL("/a.html") != strings.TrimSuffix(base, "/?q=1")+"/a.html" {
		t.Errorf("not a system of others: %+v", r)
	}
	s.Close()
	if err := r.Verify(t.Context(), bench.Load{}, m); err == nil || !strings.Contains(err.Error(), "connection refused") || strings.Contains(err.Error(), "s3cret") {
		t.Error(err)
	}
	for _, bad := range []string{"ftp://x/", "http://", "http://me:s3cret@[x/", "nonsense"} {
		_, err := startExternal(t.Context(), bench.System{URL: bad}, Site{})
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestChosen(t *testing.T) {
	var paths []string
	for i := range 1000 {
		paths = append(paths, fmt.Sprintf("/set/%03d.html", i))
	}
	got := chosen(append(paths, "/small.html"))
	if len(got) != picks+3 || got[0] != paths[0] || got[len(got)-2] != paths[999] || got[len(got)-1] != "/small.html" {
		t.Errorf("%d files: %v", len(got), got)
	}
	if again := chosen(append(paths, "/small.html")); strings.Join(again, " ") != strings.Join(got, " ") {
		t.Error("the choice changes")
	}
	if got := chosen(paths[:18]); len(got) != 18 {
		t.Errorf("%d of a small set", len(got))
	}
}

func TestReachable(t *testing.T) {
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	if err := os.MkdirAll(filepath.Join(closed, "files"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	stranger := &user.User{Uid: "4000001", Gid: "4000001", Username: "stranger"}
	err := reachable(filepath.Join(closed, "files"), stranger)
	if err == nil || !strings.Contains(err.Error(), "runs as stranger, which may not enter "+closed+" (drwx------)") {
		t.Error(err)
	}
	me := &user.User{Uid: fmt.Sprint(os.Getuid()), Gid: fmt.Sprint(os.Getgid()), Username: "me"}
	if info, err := os.Stat(closed); err != nil || !mayEnter(info, me) {
		t.Error("its owner may not enter")
	}
}

func TestLastLines(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"one\n\ntwo\r\n", "\n\tone\n\ttwo"},
		{"\x1b[2Jé\x00\xff", "\n\t\\x1b[2Jé\\x00\ufffd"},
		{strings.Repeat("x\n", 20), strings.Repeat("\n\tx", tailLines)},
		{strings.Repeat("y", 400), "\n\t" + strings.Repeat("y", 300) + "..."},
	} {
		if got := lastLines(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte(strings.Repeat("z", 3*tailBytes)+"\nlast\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := tail(log); !strings.HasSuffix(got, "\n\tlast") || len(got) > 400 {
		t.Errorf("tail %q", got)
	}
	if got := tail(log + "none"); got != "" {
		t.Errorf("tail of nothing: %q", got)
	}
}

func TestHasErrorLogFlag(t *testing.T) {
	for version, want := range map[string]bool{"nginx/1.22.1": true, "nginx/1.19.5": true, "nginx/1.18.0": false, "nginx/2.0.0": true, "nginx": false} {
		if got := hasErrorLogFlag(version); got != want {
			t.Errorf("%s: %v", version, got)
		}
	}
}

// FuzzLastLines: whatever a server logs, the message stays short and a terminal
// obeys nothing of it.
func FuzzLastLines(f *testing.F) {
	f.Add("one\ntwo\r\n\x1b[31m")
	f.Add("\u202e\x00\xff\xfe")
	f.Fuzz(func(t *testing.T, s string) {
		got := lastLines(s)
		if n := strings.Count(got, "\n"); n > tailLines {
			t.Errorf("%d lines", n)
		}
		if len(got) > tailLines*3200 { // each byte may become ten
			t.Errorf("%d bytes", len(got))
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && !strconv.IsPrint(r) {
				t.Errorf("%q holds %q", got, r)
			}
		}
	})
}

// TestVerifyNamesFixtures: item 18: a URL without the test files says what writes
// them; a server of ours, which has them, does not, and another fault has another
// cause.
func TestVerifyNamesFixtures(t *testing.T) {
	_, m := newSite(t)
	for status, want := range map[int]string{
		http.StatusNotFound:            "status 404 (1 of 1); the test files do not seem to be there: `matrix fixtures` writes them, for you to copy",
		http.StatusInternalServerError: "status 500 (1 of 1)",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		r := external(t, s.URL)
		if err := r.Verify(t.Context(), bench.Load{}, m); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		r.guard = &guarded{}
		if err := r.Verify(t.Context(), bench.Load{}, m); err == nil || strings.Contains(err.Error(), "fixtures") {
			t.Error(err)
		}
		s.Close()
	}
}
