package driver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"matrix/internal/bench"
)

// children maps the processes that this one has started to their nice levels.
func children(t testing.TB) map[int]int {
	t.Helper()
	all, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]int{}
	for _, d := range all {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + d.Name() + "/stat")
		if err != nil {
			continue
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(after); f[1] == strconv.Itoa(os.Getpid()) && f[0] != "Z" {
			found[pid], _ = strconv.Atoi(f[16])
		}
	}
	return found
}

// ownNice is the level that the tests themselves run at.
func ownNice(t testing.TB) int {
	t.Helper()
	out, err := exec.Command("nice").Output()
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func native1(l bench.Load) (bench.Measurement, error) {
	return native{}.Run(context.Background(), trialOf(l), io.Discard)
}

// TestGenerators: several processes at the nice level that was asked for make
// one load together, with all of its settings, and nothing of them is left.
func TestGenerators(t *testing.T) {
	own := ownNice(t)
	var seen atomic.Int64
	var mu sync.Mutex
	levels := map[int]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Secret") != "sesame" {
			w.WriteHeader(http.StatusForbidden)
		}
		if seen.Add(1)%50 == 1 {
			mu.Lock()
			maps.Copy(levels, children(t))
			mu.Unlock()
		}
		fmt.Fprint(w, "hello")
	}))
	defer s.Close()
	for _, c := range []struct{ generators, nice, processes int }{{2, 0, 2}, {3, 5, 3}, {0, 4, 1}, {1, 0, 0}} {
		seen.Store(0)
		clear(levels)
		m, err := native1(bench.Load{
			URLs: []string{s.URL + "/a", s.URL + "/b"}, Header: []bench.Header{{Name: "X-Secret", Value: "sesame"}}, Protocol: bench.HTTP11, KeepAlive: true,
			Conns: 7, Requests: 201, Generators: c.generators, Nice: c.nice,
			Expect: bench.Expect{Length: map[string]int64{"/a": 5, "/b": 5}},
		})
		if err != nil || m.OK != 201 || m.Issued != 201 || seen.Load() != 201 || m.BodyBytes != 1005 || m.Status[200] != 201 || *m.Kept != 201 {
			t.Errorf("%+v: %+v, %v; the server saw %d", c, m, err, seen.Load())
		}
		if m.Latency.Count() != 201 || m.Connect.Count() != 7 || m.Elapsed <= 0 || m.Client.Threads < max(c.processes, 1) || m.Client.MaxRSS == 0 {
			t.Errorf("%+v: latencies %d, connects %d, %v, %+v", c, m.Latency.Count(), m.Connect.Count(), m.Elapsed, m.Client)
		}
		if err := m.Check(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if len(levels) > c.processes || len(levels) == 0 && c.processes > 0 {
			t.Errorf("%+v: generators %v", c, levels)
		}
		for pid, level := range levels {
			if level != cmp.Or(c.nice, own) {
				t.Errorf("%+v: generator %d has nice level %d", c, pid, level)
			}
		}
		if left := children(t); len(left) != 0 {
			t.Errorf("%+v: left are %v", c, left)
		}
	}
}

// TestGeneratorsAreStopped: what was measured until then is kept.
func TestGeneratorsAreStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 100 {
			stop()
		}
		fmt.Fprint(w, "hello")
	}))
	defer s.Close()
	m, err := native{}.Run(ctx, trialOf(bench.Load{URLs: []string{s.URL}, Conns: 2, Duration: time.Hour, Generators: 2}), io.Discard)
	if err != nil || m.OK < 90 || m.Check() != nil {
		t.Errorf("%+v, %v", m, err)
	}
	if left := children(t); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}

func TestGeneratorsThatCannotWork(t *testing.T) {
	for _, c := range []struct {
		load bench.Load
		want string
	}{
		{bench.Load{URLs: []string{"http://127.0.0.1:1/"}, Conns: 1, Requests: 9, Generators: 2}, "native cannot make this load: 2 generators cannot share 1 connections"},
		{bench.Load{URLs: []string{"http://127.0.0.1:1/"}, Conns: 5, Requests: 1, Generators: 2}, "2 generators cannot share 1 requests"},
		{bench.Load{URLs: []string{"ftp://sesame@h/"}, Conns: 2, Requests: 9, Generators: 2}, "ftp"},
	} {
		if _, err := native1(c.load); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	l := bench.Load{URLs: []string{"http://h/"}, Protocol: bench.HTTP10, Conns: 2, Requests: 9, Generators: 2}
	if err := refuseAB(l); err == nil || err.Error() != "ab cannot make this load: it is one generator, not 2" {
		t.Error(err)
	}
	if err := Generate(t.Context(), strings.NewReader("nonsense\n"), io.Discard); err == nil || !strings.HasPrefix(err.Error(), "reading the load: ") {
		t.Error(err)
	}
	if err := Generate(t.Context(), strings.NewReader("{}\n"), io.Discard); err == nil || err.Error() != "waiting for the start: EOF" {
		t.Error(err)
	}
}

// TestOrderKeepsSecrets: all of a load reaches its generator.
func TestOrderKeepsSecrets(t *testing.T) {
	l := bench.Load{URLs: []string{"https://u:p@h/"}, Header: []bench.Header{{Name: "A", Value: "b"}}, Body: []byte{}, TLS: &bench.TLS{Insecure: true},
		Expect: bench.Expect{SHA256: map[string]string{"/": "x"}, SampleOne: 3}, Conns: 2, Nice: 4, Seed: 9}
	text, err := json.Marshal(orderOf(l))
	if err != nil {
		t.Fatal(err)
	}
	var o order
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	if got := o.load(); fmt.Sprintf("%+v", got.TLS) != fmt.Sprintf("%+v", l.TLS) || got.Body == nil || got.URLs[0] != l.URLs[0] ||
		got.Header[0] != l.Header[0] || got.Expect.SHA256["/"] != "x" || got.Expect.SampleOne != 3 || got.Seed != 9 || got.Nice != 4 {
		t.Errorf("%+v", got)
	}
}

func TestToolsAreNice(t *testing.T) {
	const report = "echo This is ApacheBench, Version 2.3; echo Complete requests: $(nice); echo Failed requests: 0; echo Total transferred: $(nice)"
	own := ownNice(t)
	for _, level := range []int{0, 6} {
		var raw bytes.Buffer
		m, err := script(report).Run(t.Context(), trialOf(bench.Load{Nice: level}), &raw)
		want := cmp.Or(level, own)
		if want > 0 && (err != nil || m.OK != int64(want)) || !strings.HasSuffix(raw.String(), fmt.Sprintf(": %d\n", want)) {
			t.Errorf("at %d: %v, %q", level, err, raw.String())
		}
	}
}
