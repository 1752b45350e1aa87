package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matrix/internal/scenario"
	"matrix/internal/stats"
)

// TestScenariosHaveTheRoundsThatCompareNeeds: two runs of a scenario that one is
// invited to begin with can be compared. Each cell is one comparison.
func TestScenariosHaveTheRoundsThatCompareNeeds(t *testing.T) {
	sources := map[string]string{"matrix init": string(scenario.Template())}
	paths, err := filepath.Glob("../../scenarios/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range append(paths, "../../examples/nightly/nightly.yaml") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sources[filepath.Base(path)] = string(text)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range fenced.FindAllStringSubmatch(string(readme), -1) {
		if block[1] == "yaml" && strings.Contains(block[2], "\nsystems:") {
			sources["README.md"] = block[2]
		}
	}
	if sources["README.md"] == "" {
		t.Fatal("no scenario in README.md")
	}
	delete(sources, "solaris-http-load.yaml") // one round takes hours, as it says
	for name, text := range sources {
		s, err := scenario.Parse(name, []byte(text), known())
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Plan(func(string) (string, bool) { return "http://192.0.2.1/", true })
		if err != nil {
			t.Fatal(err)
		}
		cells := 0
		for _, c := range p.Cells {
			if c.Skip == "" && !c.ExpectFailure {
				cells++
			}
		}
		rounds := p.Rounds
		if p.Until != nil {
			rounds = p.Until.Min
		}
		if needed := new(stats.Tester).Needed(cells, 1, 0.05); rounds < needed {
			t.Errorf("%s has %d rounds, and comparing two runs of its %d cells takes %d", name, rounds, cells, needed)
		}
	}
}
