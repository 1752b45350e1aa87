package scenario

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"

	"matrix/internal/bench"
)

// FuzzParse: a problem has its place within the file, and a scenario that plans
// has no key twice, a budget in every cell, and no more cells than the guard.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/broken/*.yaml", "testdata/valid/*.yaml", "../../scenarios/*.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	f.Add([]byte(secretive))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := Parse("f.yaml", src, testKnown)
		if err != nil {
			inside(t, src, err)
			return
		}
		s.Explain()
		if again, err := Parse("f.yaml", s.Redacted(), testKnown); err != nil {
			t.Errorf("the redacted source is no scenario: %v\n%s", err, s.Redacted())
		} else if !bytes.Equal(again.Redacted(), s.Redacted()) {
			t.Errorf("redacting twice differs:\n%s\n%s", s.Redacted(), again.Redacted())
		}
		p, err := s.Plan(func(string) (string, bool) { return "http://192.0.2.1/", true })
		if err != nil {
			inside(t, src, err)
			return
		}
		sound(t, p)
	})
}

func inside(t *testing.T, src []byte, err error) {
	var problems Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Fatalf("error is %v, want Problems", err)
	}
	lines := splitLines(bytes.TrimPrefix(src, bom))
	for i, p := range problems {
		if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Message == "" {
			t.Fatalf("%v is outside of a file of %d lines", p, len(lines))
		}
		if l := lines[p.Line-1].text(bytes.TrimPrefix(src, bom)); p.Col > utf8.RuneCountInString(l)+1 {
			t.Fatalf("%v is outside of its line %q", p, l)
		}
		if i > 0 && (problems[i-1].Line > p.Line || problems[i-1].Line == p.Line && problems[i-1].Col > p.Col) {
			t.Fatalf("%v stands before %v", problems[i-1], p)
		}
	}
}

func sound(t *testing.T, p *bench.Plan) {
	unique(t, p)
	if len(p.Cells) == 0 || len(p.Cells) > maxCells {
		t.Fatalf("%d cells", len(p.Cells))
	}
	if p.Rounds < 1 || p.Until != nil && (p.Until.Min < 1 || p.Until.Min > p.Rounds || !(p.Until.Share > 0 && p.Until.Share <= 0.5)) {
		t.Fatalf("%d rounds, until %+v", p.Rounds, p.Until)
	}
	kept := make([]int, len(p.Limits)) // cells of each limit
	points := map[int]string{}
	for _, c := range p.Cells {
		for _, i := range c.Limits {
			kept[i]++
		}
		if (c.Load.Requests > 0) == (c.Load.Duration > 0) || c.Load.Conns < 1 || c.File.Name == "" || c.Digest == "" {
			t.Fatalf("cell %s is not whole: %+v", c.Key, c.Load)
		}
		key := string(bench.KeyOf(c.Axes))
		if before, known := points[c.Point]; known && before != key {
			t.Fatalf("point %d is both %s and %s", c.Point, before, key)
		}
		points[c.Point] = key
	}
	if slices.Contains(kept, 0) {
		t.Fatalf("a limit is of no cell: %v", kept)
	}
}
