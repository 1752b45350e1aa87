package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/results"
)

// imported runs matrix import and returns the run that it made or added to.
func imported(t *testing.T, root string, args ...string) *results.Run {
	t.Helper()
	if code := run(append([]string{"import", "--results", root}, args...)); code != 0 {
		t.Fatalf("import %v: exit status %d", args, code)
	}
	entries, err := results.List(root)
	if err != nil || len(entries) == 0 {
		t.Fatalf("no run: %v", err)
	}
	r, err := results.Open(entries[0].Dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const transcripts = "../../internal/transcript/testdata"

// The published comparison of Tomcat's connectors, from its four logs.
func TestImportTomcat(t *testing.T) {
	root := t.TempDir()
	into := []string{"--name", "tomcat"}
	var r *results.Run
	for _, s := range []string{"apache-alone", "tomcat-alone", "apache-jk", "apache-proxy"} {
		args := append([]string{"--as", "ab", "--label", "Setup=" + s, filepath.Join(transcripts, "tomcat-2004-"+s+"-ab.txt")}, into...)
		r = imported(t, root, args...)
		into = []string{"--into", "tomcat"}
	}
	want := []struct {
		setup     string
		ok, wrong int64
		rate      float64
		state     bench.State
		file      bench.File
	}{
		{"apache-alone", 200000, 0, 1202.65, bench.StateOK, bench.File{Name: "HelloWorldExample", Size: 459}},
		{"tomcat-alone", 200000, 0, 883.06, bench.StateOK, bench.File{Name: "HelloWorldExample", Size: 400}},
		{"apache-jk", 200000, 0, 906.47, bench.StateOK, bench.File{Name: "HelloWorldExample", Size: 400}},
		{"apache-proxy", 191954, 8046, 497.86, bench.StateDegraded, bench.File{Name: "HelloWorldExample", Size: 400}},
	}
	records := r.Records()
	if len(records) != len(want) {
		t.Fatalf("%d records", len(records))
	}
	for i, w := range want {
		got := records[i]
		key := bench.Key("Setup=" + w.setup + ",file=HelloWorldExample,concurrency=16,requests=200000,keep_alive=true")
		if got.Cell.Key != key || got.OK != w.ok || got.Failed[bench.Non2xx] != w.wrong || *got.Printed.RequestsPerSecond != w.rate || got.State != w.state || got.Cell.File != w.file {
			t.Errorf("%s: %s, ok %d, failed %v, %s, %+v", w.setup, got.Cell.Key, got.OK, got.Failed, got.State, got.Cell.File)
		}
		if got.Cell.System != i || got.Cell.Point != 0 || got.Round != 1 || !got.Cell.Load.KeepAlive || got.Cell.Load.Protocol != bench.HTTP10 || !got.Started.IsZero() {
			t.Errorf("%s: system %d, point %d, round %d, %+v, %v", w.setup, got.Cell.System, got.Cell.Point, got.Round, got.Cell.Load, got.Started)
		}
		raw, err := r.OpenRaw(got.Raw)
		if err != nil {
			t.Errorf("%s: %v", w.setup, err)
			continue
		}
		raw.Close()
	}
	info := r.Info()
	if !info.Started.IsZero() || info.Finished != nil || info.Host.Kernel != "" || info.Generator.Kernel != "" || info.Tools["ab"] != "2.0.40-dev" || len(info.Plan.Systems) != 4 || len(info.Plan.Cells) != 0 {
		t.Errorf("header: %+v", info)
	}
}

// Every transcript that can be read imports into a run whose counters add up.
func TestImportEveryTranscript(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(transcripts, "*.txt"))
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d transcripts, %v", len(paths), err)
	}
	unreadable := map[string]bool{"ab23-c-gt-n.txt": true, "hl-slow-timeout.txt": true}
	for _, p := range paths {
		name := filepath.Base(p)
		as := "ab"
		for prefix, tool := range map[string]string{"hl-": "http_load", "wrk-": "wrk", "h2-": "h2load"} {
			if strings.HasPrefix(name, prefix) {
				as = tool
			}
		}
		root := t.TempDir()
		if unreadable[name] {
			if code := run([]string{"import", "--results", root, "--as", as, "--label", "S=x", p}); code != exitAuthor {
				t.Errorf("%s: exit status %d", name, code)
			}
			continue
		}
		r := imported(t, root, "--as", as, "--label", "S=x", p)
		if len(r.Records()) != 1 {
			t.Errorf("%s: %d records", name, len(r.Records()))
		}
		for _, record := range r.Records() {
			if err := record.Check(); err != nil || record.Cell.Driver != as || record.Raw == "" || (record.State == bench.StateOK) != (record.Reason == "") {
				t.Errorf("%s: %v, %+v", name, err, record)
			}
		}
		if code := run([]string{"report", r.Dir(), "-o", filepath.Join(root, "report.txt")}); code != 0 {
			t.Errorf("%s: report exits with %d", name, code)
		}
	}
}

// A published run is refused before a byte of it changes.
func TestImportIntoPublished(t *testing.T) {
	const published = "../../results/published/ccp14-2001"
	log := filepath.Join(transcripts, "ab23-k-ok.txt")
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(published)); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"import", "--as", "ab", "--label", "OS=x", "--into", dir, log}); code != exitAuthor {
		t.Errorf("exit status %d", code)
	}
	if _, err := os.Stat(filepath.Join(dir, "raw")); !os.IsNotExist(err) {
		t.Errorf("there are raw files: %v", err)
	}
	for _, name := range []string{"run.json", "journal.jsonl"} {
		want, err1 := os.ReadFile(filepath.Join(published, name))
		got, err2 := os.ReadFile(filepath.Join(dir, name))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what it was: %v", name, err)
		}
	}
}

// A run whose header names no tools, and whose records have no figures that a
// tool printed, can be added to.
func TestImportIntoBare(t *testing.T) {
	root := t.TempDir()
	log := filepath.Join(transcripts, "ab23-k-ok.txt")
	dir := imported(t, root, "--as", "ab", "--label", "OS=x", "--name", "bare", log).Dir()
	r, err := results.Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	info, record := r.Info(), r.Records()[0]
	info.Tools = nil
	record.Printed, record.Round = nil, 2
	if err := errors.Join(r.Append(record), r.Update(info), r.Close()); err != nil {
		t.Fatal(err)
	}
	r = imported(t, root, "--as", "ab", "--label", "OS=y", "--into", dir, log)
	if len(r.Records()) != 3 || r.Info().Tools["ab"] != "2.3" {
		t.Errorf("%d records, tools %v", len(r.Records()), r.Info().Tools)
	}
}
