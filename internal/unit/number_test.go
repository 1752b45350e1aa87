package unit

import (
	"errors"
	"strings"
	"testing"
)

// TestOneRuleForNumbers: item 18: a text that some program reads as another number
// than people do is none, whether it is a count, a size, a duration or a rate.
func TestOneRuleForNumbers(t *testing.T) {
	for _, s := range []string{"", "010", "00", "0x10", "0X10", "0b1", "0o7", "1_000", "1e3", "1E3", "+5", "-5", "-0", "5.", ".5", "1,000", "\uff15", "\u0665", " 5", "5 ", "inf", "NaN", "1.2.3"} {
		if n, err := ParseCount(s); err == nil {
			t.Errorf("count %q is %d", s, n)
		}
		if n, err := ParseNumber(s); err == nil && !strings.EqualFold(s, "1e3") {
			t.Errorf("number %q is %v", s, n)
		}
		if n, err := ParseBytes(s); err == nil && strings.TrimSpace(s) == s {
			t.Errorf("size %q is %d", s, n)
		}
		if n, err := ParseBytes(s + "kB"); err == nil && strings.TrimSpace(s) == s {
			t.Errorf("size %qkB is %d", s, n)
		}
		if d, err := ParseDuration(s + "s"); err == nil {
			t.Errorf("duration %qs is %v", s, d)
		}
	}
	for in, want := range map[string]string{
		"010":   `"010" begins with a 0, which YAML may read as octal: write 10`,
		"00":    `"00" begins with a 0, which YAML may read as octal: write 0`,
		"010kB": `"010kB" begins with a 0, which YAML may read as octal: write 10kB`,
		"00.5s": `"00.5s": "00.5" begins with a 0, which YAML may read as octal: write 0.5`,
	} {
		var errs []string
		for _, err := range []error{second(ParseCount(in)), second(ParseBytes(in)), second(ParseDuration(in))} {
			if err != nil {
				errs = append(errs, err.Error())
			}
		}
		if !strings.Contains(strings.Join(errs, "\n"), want) {
			t.Errorf("%s: %q, want %q", in, errs, want)
		}
	}
	if _, err := ParseCount("99999999999999999999"); !errors.As(err, new(TooLarge)) {
		t.Error(err)
	}
	if _, err := ParseNumber("01e3"); !errors.As(err, new(Octal)) {
		t.Error(err)
	}
	for s, want := range map[string]float64{"2%": 2, "0.5 %": 0.5} {
		if got, err := ParsePercent(s); err != nil || got != want {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"2", "2e0%", "+2%", "02%", "2.%", "%", " 2%"} {
		if got, err := ParsePercent(s); err == nil {
			t.Errorf("%s: %v", s, got)
		}
	}
	for s, want := range map[string]float64{"0": 0, "0.5": 0.5, "10": 10, "10.25": 10.25, "100000": 1e5, "1e3": 1000, "2.5E-1": 0.25} {
		if got, err := ParseNumber(s); err != nil || got != want {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
