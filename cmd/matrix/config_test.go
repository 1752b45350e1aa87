package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfigFileIsOfTheRecord: item 17: a server with a configuration of the
// author's runs from any folder, the run keeps what it was without secrets, and
// compare says where it was another one.
func TestConfigFileIsOfTheRecord(t *testing.T) {
	if _, err := exec.LookPath("nginx"); err != nil {
		if os.Getenv("MATRIX_NO_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir := t.TempDir()
	for d := dir; d != filepath.Clean(os.TempDir()); d = filepath.Dir(d) { // nginx leaves root
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	matrix := func(args ...string) string {
		t.Helper()
		c := exec.Command("matrix", args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	write("sub/good.yaml", `files: {small: 1.5kB}
systems:
  - {labels: {n: a}, server: {kind: nginx, config_file: nginx.conf}}
grid: [{file: small, concurrency: 1, requests: 10}]
rounds: 2
`)
	write("sub/nginx.conf", "events {}\nhttp { include more/*.conf; server { listen 80; root html; } }\n")
	const secret = "proxy_set_header X-Secret \"hunter2\";\n"
	write("sub/more/a.conf", "gzip on;\n"+secret)
	matrix("run", "sub/good.yaml")
	kept, err := filepath.Glob(filepath.Join(dir, "results/good/*/run.json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v, %v", kept, err)
	}
	text, err := os.ReadFile(kept[0])
	if err != nil || strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), `gzip on;\n    proxy_set_header X-Secret \"***\";`) {
		t.Errorf("%v, %s", err, text)
	}
	write("sub/more/a.conf", "# a comment\ngzip on;\n"+secret)
	write("sub/nginx.conf", "# another\n\nevents {}\nhttp { include more/*.conf;\n\n server { listen 80; root html; } }\n")
	matrix("run", "sub/good.yaml")
	if same := matrix("compare", "good~1", "good"); strings.Contains(same, "not the same") || strings.Contains(same, "set up otherwise") {
		t.Errorf("a comment is told as a change: %s", same)
	}
	write("sub/more/a.conf", "gzip off;\n"+secret)
	matrix("run", "sub/good.yaml")
	found := matrix("compare", "good~1", "good", "--width", "1000")
	for _, want := range []string{"The configuration of n=a is not the same.", "set up otherwise than in the base."} {
		if !strings.Contains(found, want) {
			t.Errorf("no %q in %s", want, found)
		}
	}
}
