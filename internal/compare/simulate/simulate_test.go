package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const page = "../../../docs/statistics.md"

// measured matches the lines of the page that hold what was simulated.
var measured = regexp.MustCompile(`(?m)^\|.*%.*\|\n`)

// TestPageIsOfThisTemplate: the words of the page are those of the template.
func TestPageIsOfThisTemplate(t *testing.T) {
	want, err := render(everything())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if measured.ReplaceAllString(string(got), "") != measured.ReplaceAllString(string(want), "") {
		t.Errorf("%s is not what this version would write: make statistics", page)
	}
}

// TestPageRepeats: some of the figures, measured again, are those of the page, and
// the same grid measured twice raises an alarm in at most 5 % of 200 pairs.
func TestPageRepeats(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	all := everything()
	all.Calm = []row{all.Calm[1].run(), all.Calm[4].run(), all.Calm[7].run()}
	for _, r := range all.Calm {
		if r.cells != 200 || r.pairs != 200 || 20*r.got.alarmed > r.pairs {
			t.Errorf("%+v: %d of %d pairs raise an alarm", r.world, r.got.alarmed, r.pairs)
		}
	}
	line := all.Grid()[5] // ten rounds at 3 %
	for i := range line {
		if line[i] = line[i].run(); line[i].rounds != 10 || line[i].noise != 0.03 {
			t.Fatalf("%+v", line[i].world)
		}
	}
	if ten := line[2]; ten.effect != 0.10 || ten.got.found < 190 {
		t.Errorf("a tenth slower was found in %d of 200 pairs", ten.got.found)
	}
	all.Found, all.Unquiet, all.Since = line, nil, nil
	again, err := render(all)
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(again)) {
		if strings.HasPrefix(l, "| ") && !strings.Contains(string(text), l) {
			t.Errorf("the page lacks what comes out now: make statistics\n%s", l)
		}
	}
}
