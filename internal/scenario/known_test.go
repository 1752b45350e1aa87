package scenario

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files")

// testKnown is what the tests of this package may name.
var testKnown = Known{
	Drivers: []Kind{
		{Name: "native", Doc: "The engine built in."},
		{Name: "ab", Doc: "ApacheBench."},
		{Name: "fake", Doc: "Makes figures up, always the same ones; for tests."},
	},
	Servers: []Kind{
		{Name: "embedded", Doc: "The file server built in.", Settings: []string{"port", "keep_alive", "nice", "delay"}},
		{Name: "nginx", Doc: "nginx.", Settings: []string{"workers", "open_files", "port", "keep_alive", "config", "config_file", "nice"}},
		{Name: "apache", Doc: "Apache httpd.", Settings: []string{"connector", "workers", "open_files", "port", "keep_alive", "config", "config_file", "nice"}},
		{Name: "lighttpd", Doc: "lighttpd.", Settings: []string{"workers", "open_files", "port", "keep_alive", "config", "config_file", "nice"}},
		{Name: "command", Doc: "Any program.", Settings: []string{"argv", "ready", "port", "open_files", "config_file", "nice"}},
	},
	Metrics: []string{"requests_per_second", "time_s", "completed", "failed", "bytes_per_second", "latency_p50_ms", "latency_p99_ms", "state"},
	Words:   []string{"state"},
	Further: []string{`^latency_p(0|[1-9][0-9]?|100)_ms$`},
	Table:   tableStub,
}

func testEnv(name string) (string, bool) {
	v, ok := map[string]string{
		"REDHAT_URL": "http://192.0.2.10/", "FREEBSD_URL": "http://192.0.2.11/", "TOKEN": "t0ps3cret", "BREAK": "a\r\nX: y", "EMPTY": "",
	}[name]
	return v, ok
}

// golden compares got with a file, or writes it with -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update when it should:\n%s", path, diff)
	}
}

func mustParse(t *testing.T, src string) *Scenario {
	t.Helper()
	s, err := Parse("test.yaml", []byte(src), testKnown)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
