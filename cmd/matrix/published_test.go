package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestPublishedRunsAreUpToDate makes each published run anew from its data and
// compares header, journal and reports (text, Markdown, CSV, HTML) byte by byte.
func TestPublishedRunsAreUpToDate(t *testing.T) {
	mappings, err := filepath.Glob("../../results/published/*/mapping.json")
	if err != nil || len(mappings) != 5 {
		t.Fatalf("%d published runs, want 5: %v", len(mappings), err)
	}
	made := []string{"run.json", "journal.jsonl", "report.txt", "report.md", "report.csv", "report.html"}
	for _, m := range mappings {
		kept := filepath.Dir(m)
		if *update {
			if err := makePublished(kept); err != nil {
				t.Fatal(err)
			}
		}
		dir := filepath.Join(t.TempDir(), filepath.Base(kept))
		if err := os.CopyFS(dir, os.DirFS(kept)); err != nil {
			t.Fatal(err)
		}
		for _, name := range made {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := makePublished(dir); err != nil {
			t.Fatal(err)
		}
		for _, name := range made {
			want, err := os.ReadFile(filepath.Join(kept, name))
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s/%s is not what its data say (%v): run make published", kept, name, err)
			}
		}
	}
}
