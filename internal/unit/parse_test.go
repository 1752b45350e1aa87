package unit

import (
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
