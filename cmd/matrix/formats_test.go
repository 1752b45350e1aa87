package main

import (
	"os"
	"strings"
	"testing"

	"matrix/internal/export"
)

func TestEveryFormatIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range export.Formats {
		if !strings.Contains(string(page), "\n| `"+f.Name+"` | ") {
			t.Errorf("docs/formats.md has no row of %s", f.Name)
		}
	}
	for _, f := range export.Files() {
		if !strings.Contains(string(page), "`"+f.Name+"`") {
			t.Errorf("docs/formats.md does not name %s", f.Name)
		}
	}
}
