package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matrix/internal/audit"

	"github.com/rogpeppe/go-internal/txtar"
)

// Each log of the field gives its cells, rounds and counts, an audit finds
// nothing in it, and no secret of its command is in the run's journal.
func TestFieldLogs(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/field.txtar")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"h2load-timed":      {"file=json,concurrency=32,duration=10s,protocol=h2,streams=18,threads=2#1 ok 640640 failed 0"},
		"h2load-warm":       {"concurrency=16,duration=5m0s,protocol=h2c,warmup=10s,streams=48,threads=2#1 ok 33795257 failed 0"},
		"h2load-http3":      {"file=caddy-index,concurrency=50,duration=20s,warmup=5s,streams=50,threads=1,headers=Accept-Encoding: gzip#1 ok 7460 failed 0"},
		"h2load-old":        {"file=/,concurrency=100,requests=100000,streams=100,threads=1#1 ok 100000 failed 0"},
		"h2load-bare":       {"concurrency=4,duration=2s,protocol=h2c,threads=2#1 ok 616660 failed 0 load-untold"},
		"wrk-pool":          {"file=agents_async,concurrency=396,duration=30s,keep_alive=true,threads=12#1 ok 14509 failed 1471 closed-unannounced", "file=agents_async_pool,concurrency=396,duration=30s,keep_alive=true,threads=12#1 ok 92974 failed 850 closed-unannounced"},
		"wrk-overload":      {`file=features,query=active\=true,concurrency=1000,duration=30s,keep_alive=true,timeout=10s,threads=2,headers=Client-Id: xxxx; Client-Secret: ***#1 ok 934 failed 951 errors-unclear`},
		"wrk-script":        {"concurrency=10,duration=1s,keep_alive=true,threads=2,script=scripts/counter.lua#1 ok 453 failed 9 errors-unclear"},
		"wrk-pipeline":      {"file=plaintext,concurrency=256,duration=15s,keep_alive=true,timeout=8s,threads=32,headers=Host: localhost; Connection: keep-alive,script=pipeline.lua,script_args=16#1 ok 9670805 failed 17 errors-unclear", "file=plaintext,concurrency=256,duration=15s,keep_alive=true,timeout=8s,threads=32,headers=Host: localhost; Connection: keep-alive,script=pipeline.lua,script_args=1#1 ok 4670805 failed 0"},
		"wrk-paced":         {"file=/api/v1/books/random/rows/1000/,concurrency=100,duration=30s,rate=50000,keep_alive=true,threads=2#1 ok 479960 failed 0", "file=/api/v1/books/random/rows/1000/,concurrency=100,duration=30s,rate=1000,keep_alive=true,threads=2#1 ok 29951 failed 0"},
		"wrk-pacednan":      {"concurrency=2,duration=5s,rate=1,keep_alive=true,timeout=5s,threads=2,script=get.lua#1 ok 6 failed 0"},
		"http_load-short":   {"duration=1m0s,rate=1000,urls=url.txt#1 ok 5693 failed 2"},
		"http_load-repeats": {"concurrency=100,requests=20000,urls=9502.list#1 ok 20000 failed 0", "concurrency=100,requests=20000,urls=9502.list#2 ok 20000 failed 0", "concurrency=20,duration=30s,urls=9502.list#1 ok 5817 failed 0"},
		"http_load-script":  {"#1 ok 49 failed 0 load-untold", "load=2#1 ok 99 failed 0 load-untold load-unlike"},
		"ab-post":           {"file=sign,concurrency=2,requests=100,keep_alive=false,method=POST,body=POST-data.txt,headers=Content-Type: application/x-www-form-urlencoded; Authorization: ***#1 ok 100 failed 0", "file=sign,concurrency=100,duration=10s,keep_alive=true#1 ok 13970 failed 0"},
	}
	for _, f := range archive.Files {
		name := strings.TrimSuffix(f.Name, ".txt")
		tool, _, _ := strings.Cut(name, "-")
		log := filepath.Join(t.TempDir(), f.Name)
		if err := os.WriteFile(log, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		r := imported(t, t.TempDir(), "--as", tool, "--label", "S=x", log)
		var got []string
		for _, record := range r.Records() {
			line := []string{fmt.Sprintf("%s#%d ok %d failed %d", strings.TrimLeft(strings.TrimPrefix(string(record.Cell.Key), "S=x"), ","), record.Round, record.OK, record.FailedSum())}
			for _, n := range slices.Concat(record.Measurement.Notes, record.Notes) {
				if slices.Contains([]string{"closed-unannounced", "errors-unclear", "load-untold", "load-unlike"}, n.Code) {
					line = append(line, n.Code)
				}
			}
			got = append(got, strings.Join(line, " "))
		}
		if !slices.Equal(got, want[name]) {
			t.Errorf("%s:\n%s\nnot\n%s", name, strings.Join(got, "\n"), strings.Join(want[name], "\n"))
		}
		for _, found := range audit.Run(r.Records()) {
			t.Errorf("%s: %s: %s", name, found.Rule, found.Text)
		}
		for _, kept := range []string{"journal.jsonl", "run.json"} {
			text, err := os.ReadFile(filepath.Join(r.Dir(), kept))
			if err != nil || strings.Contains(string(text), "sesame") {
				t.Errorf("%s: %s has a secret, or %v", name, kept, err)
			}
		}
	}
	if len(archive.Files) != len(want) {
		t.Errorf("%d logs, %d expected", len(archive.Files), len(want))
	}
}
