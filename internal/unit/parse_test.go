package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestParseBytes(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "1": 1, "1.5kB": 1500, "1.5KiB": 1536, "143kB": 143000, "658 kB": 658000,
		"1GiB": 1 << 30, "2TB": 2e12, "0.5kB": 500, "12B": 12,
	} {
		if got, err := ParseBytes(s); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "kB", "-1", "1k", "1K", "1Ki", "1KB", "1.5", "1e3", "0x10", "1,5kB", "1.2.3kB", "9999999999TB", "inf", "NaN"} {
		if got, err := ParseBytes(s); err == nil {
			t.Errorf("ParseBytes(%q) = %d, want an error", s, got)
		}
	}
}

func TestParseCount(t *testing.T) {
	if got, err := ParseCount("100000"); err != nil || got != 100000 {
		t.Errorf("got %d, %v", got, err)
	}
	for _, s := range []string{"", "-1", "+1", "1k", "1.0", "1e3", "0x1", "1_000", " 1"} {
		if got, err := ParseCount(s); err == nil {
			t.Errorf("ParseCount(%q) = %d, want an error", s, got)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for s, want := range map[string]time.Duration{"0": 0, "30s": 30 * time.Second, "1.5ms": 1500 * time.Microsecond, "2m30s": 150 * time.Second} {
		if got, err := ParseDuration(s); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "30", "-1s", "1d", "s"} {
		if got, err := ParseDuration(s); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", s, got)
		}
	}
}

func TestParseCounts(t *testing.T) {
	for text, want := range map[string]string{"32768\t60999\n": "[32768 60999]", "0 0": "[0 0]"} {
		if got, ok := ParseCounts(text, 2); !ok || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "1", "1 2 3", "1 2x", "1 -2", "1,000 2", "1.5 2", "0x1 2", "1 2\x00", "\u0661 2"} {
		if got, ok := ParseCounts(text, 2); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A number is read in full or not at all: what is read, written again without
// anything else, is the text.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"1000", "1,000", "1.5kB", "30s", "2m30s", "2%", "1e3", "0.5", "010", "1_000", "12 ", "\u0661", "0x10", "1.5.5", "9999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseCount(s); err == nil && strconv.FormatInt(n, 10) != s {
			t.Errorf("count %q is read as %d", s, n)
		}
		digits := strings.TrimRight(s, "kKMGTiB ")
		if n, err := ParseBytes(s); err == nil {
			factor, rest := 1.0, strings.TrimLeft(s[len(digits):], " ")
			for _, u := range sizes {
				if u.suffix == rest {
					factor = u.factor
				}
			}
			digits := strings.TrimSpace(digits)
			if x, err := strconv.ParseFloat(digits, 64); err != nil || strings.Trim(digits, "0123456789.") != "" || math.Abs(x*factor-float64(n)) > 1e-6+1e-9*float64(n) {
				t.Errorf("size %q is read as %d", s, n)
			}
		}
		for what, parse := range map[string]func(string) (float64, error){"number": ParseNumber, "percentage": ParsePercent} {
			x, err := parse(s)
			if err != nil {
				continue
			}
			if back, err := strconv.ParseFloat(strings.TrimRight(strings.TrimSuffix(s, "%"), " "), 64); err != nil || back != x || strings.Trim(s, "0123456789.eE+-% ") != "" {
				t.Errorf("%s %q is read as %v", what, s, x)
			}
		}
		if d, err := ParseDuration(s); err == nil && (d < 0 || strings.Trim(s, "0123456789.nu\u00b5\u03bcmsh+") != "") {
			t.Errorf("duration %q is read as %v", s, d)
		}
	})
}
