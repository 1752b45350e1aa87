package unit

import (
	"math"
	"regexp"
	"testing"
)

func TestReadPrinted(t *testing.T) {
	for text, want := range map[string]Reading{
		"3.8 = 6.3":     {3.8, 3.75, 3.9},
		"..5 = 1.5":     {.5, .45, .6},
		".5 1.7":        {.5, .45, .6},
		".124":          {.124, .1235, .125},
		"..35":          {.35, .345, .36},
		"1.2fs":         {1.2, 1.15, 1.3},
		"1 (on multi)":  {1, .5, 2},
		"651 396":       {651, 650.5, 652},
		"1.23457e+09":   {1.23457e9, 1.234565e9, 1.23458e9},
		"-4":            {-4, -5, -3.5},
		"1207 - 718":    {1207, 1206.5, 1208},
		"0.02":          {.02, .015, .03},
		"7.":            {7, 6.5, 8},
		"about 2, or 3": {2, 1.5, 3},
	} {
		got, ok := ReadPrinted(text)
		if near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }; !ok ||
			!near(got.Value, want.Value) || !near(got.Low, want.Low) || !near(got.High, want.High) {
			t.Errorf("%q: got %v %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "Y", "Not tried", "1,500", ".", "1.2.3", "1.500.000", "1'500", "1_500", "1,500,000.5", "1e999", "12k", "12K", "3M", "1.5kB", "2KiB", "7,928.01"} {
		if got, ok := ReadPrinted(text); ok {
			t.Errorf("%q: got %v, want none", text, got)
		}
	}
}

// beginning matches what may not stand behind a number that was read.
var beginning = regexp.MustCompile(`^(?:[0-9]|[.,'’_][0-9]|[kKMGT](?:$|[^\pL]))`)

func FuzzReadPrinted(f *testing.F) {
	for _, s := range []string{"3.8 = 6.3", "..5", "1,2", "-7", "9e99", "00000000000000000000000000000000000000001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, ok := ReadPrinted(text)
		if at := printedNumber.FindStringIndex(text); ok && beginning.MatchString(text[at[1]:]) {
			t.Errorf("%q: %v is the beginning of a number", text, r.Value)
		}
		if ok && (r.Low > r.Value || r.High < r.Value || math.IsInf(r.Value, 0) || math.IsNaN(r.Low) || math.IsNaN(r.High)) {
			t.Errorf("%q: %v", text, r)
		}
	})
}
