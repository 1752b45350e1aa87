package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"matrix/internal/scenario"
)

var update = flag.Bool("update", false, "write the generated files anew")

// TestGeneratedFilesAreTrue holds the files that editors and readers use
// against what this binary knows.
func TestGeneratedFilesAreTrue(t *testing.T) {
	for path, want := range map[string][]byte{
		"scenarios/scenario.schema.json": scenario.Schema(known()),
		"docs/scenario.md":               scenario.Reference(known()),
	} {
		path = filepath.Join("..", "..", path)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what this version would write: go test ./cmd/matrix -update", path)
		}
	}
}

// TestShippedScenariosAreValid checks every scenario in the repository.
func TestShippedScenariosAreValid(t *testing.T) {
	paths, err := filepath.Glob("../../scenarios/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, p := range paths {
		s, err := checkScenario(p, defaultResults)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for _, n := range s.Notices() {
			t.Errorf("%s", n)
		}
	}
}
