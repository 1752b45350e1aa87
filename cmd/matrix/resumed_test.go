package main

import (
	"testing"

	"matrix/internal/bench"
)

// A run that is taken up elsewhere, or with other programs, says so.
func TestWhatChangedBeforeAResume(t *testing.T) {
	was := bench.RunInfo{
		Generator: bench.HostInfo{Name: "a", Kernel: "Linux 6.1.0 x86_64", CPU: "X", Cores: 2},
		Tools:     map[string]string{"matrix": "v1", "ab": "2.3"},
	}
	if n := resumedOn(was, was.Generator, map[string]string{"matrix": "v1", "ab": "2.3", "wrk": "4.1"}); n != nil {
		t.Errorf("nothing changed: %+v", n)
	}
	now := was.Generator
	now.Name, now.Cores = "b", 64
	want := bench.Note{Code: "resumed", Text: "The run was taken up when things had changed: the host was a and is b; the number of its cores was 2 and is 64; the version of ab was 2.3 and is 2.4."}
	if n := resumedOn(was, now, map[string]string{"matrix": "v1", "ab": "2.4"}); len(n) != 1 || n[0] != want {
		t.Errorf("%+v", n)
	}
	servers := []bench.ServerInfo{{System: "Server=nginx", Version: "1.22"}, {System: "Server=x"}}
	for _, c := range []struct {
		now  bench.ServerInfo
		want string
	}{
		{bench.ServerInfo{System: "Server=nginx", Version: "1.22"}, ""},
		{bench.ServerInfo{System: "Server=x", Version: "9"}, ""},
		{bench.ServerInfo{System: "Server=nginx", Version: "1.24"}, "The run was taken up when things had changed: the version of Server=nginx was 1.22 and is 1.24."},
	} {
		got := ""
		if n := restarted(servers, c.now); len(n) > 0 {
			got = n[0].Text
		}
		if got != c.want {
			t.Errorf("%+v: %q, not %q", c.now, got, c.want)
		}
	}
}
