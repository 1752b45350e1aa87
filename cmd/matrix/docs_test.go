package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"matrix/internal/scenario"
)

var fenced = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```")

// pages are the documents whose examples are held to be true.
func pages(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{"../../README.md", "../../CONTRIBUTING.md"}, docs...)
}

// TestExamplesInDocs runs each shell command of the docs, page by page in
// order, and reads each whole scenario.
func TestExamplesInDocs(t *testing.T) {
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for _, folder := range []string{"scenarios", "examples"} {
			if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join("../..", folder))); err != nil {
				t.Fatal(err)
			}
		}
		for _, block := range fenced.FindAllStringSubmatch(string(text), -1) {
			switch block[1] {
			case "sh":
				for line := range strings.Lines(block[2]) {
					runDocumented(t, page, dir, strings.TrimSpace(line))
				}
			case "yaml":
				if strings.Contains(block[2], "\nsystems:") && strings.Contains(block[2], "\ngrid:") {
					readDocumented(t, page, block[2])
				}
			}
		}
	}
}

// runDocumented runs a command of the docs with this build of matrix. What make
// does is CI's to run.
func runDocumented(t *testing.T, page, dir, line string) {
	t.Helper()
	if line == "" || strings.HasPrefix(line, "make ") || strings.HasPrefix(line, "#") {
		return
	}
	line = strings.ReplaceAll(line, "go run ./cmd/matrix", "matrix")
	c := exec.Command("sh", "-c", line)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s: %s: %v\n%s", page, line, err, out)
	}
}

func readDocumented(t *testing.T, page, source string) {
	t.Helper()
	s, err := scenario.Parse(page, []byte(source), known())
	if err != nil {
		t.Errorf("a scenario in %s:\n%v", page, err)
		return
	}
	p, err := s.Plan(func(string) (string, bool) { return "http://192.0.2.1/", true })
	if err == nil {
		err = refuse(page, p)
	}
	if err != nil {
		t.Errorf("a scenario in %s: %v", page, err)
	}
}
