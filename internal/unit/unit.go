// Package unit reads and writes quantities: "1.5kB", "64KiB", "30s" come in as
// numbers, and columns of numbers go out in one unit chosen from the whole
// column, so that figures that stand under each other can be compared.
//
// It knows nothing of what is measured. Decimal point and grouping never depend
// on the locale.
package unit

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Direction tells which of two values of a metric is the better one.
type Direction int

// The directions.
const (
	Neither Direction = iota
	Higher
	Lower
)

// Unit is what a metric is measured in.
type Unit string

// The units. A metric's name carries the same unit: latency_p99_ms.
const (
	None           Unit = ""
	Seconds        Unit = "s"
	Milliseconds   Unit = "ms"
	Bytes          Unit = "B"
	Requests       Unit = "requests"
	PerSecond      Unit = "/s"
	BytesPerSecond Unit = "B/s"
	Ratio          Unit = "ratio"
	Percent        Unit = "%"
)

var sizes = []struct {
	suffix string
	factor float64
}{
	// kB is 1000 bytes and KiB 1024 (IEC 80000-13); a bare K is refused as
	// ambiguous. Longest suffix first.
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1},
}

// ParseBytes reads a size: a number with an optional fraction and one of B, kB,
// MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB (powers of 1024) or nothing,
// for bytes. The result must be a whole number of bytes, 0 or more.
func ParseBytes(s string) (int64, error) {
	for _, u := range sizes {
		digits, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		digits = strings.TrimSpace(digits)
		f, err := parseDecimal(digits, s)
		if errors.As(err, new(Octal)) {
			return 0, err
		}
		if err != nil {
			break
		}
		f *= u.factor
		if f > math.MaxInt64/2 {
			return 0, fmt.Errorf("size %q is beyond what a file can hold", s)
		}
		if r := math.Round(f); math.Abs(r-f) < 1e-6 {
			return int64(r), nil
		}
		return 0, fmt.Errorf("size %q is not a whole number of bytes", s)
	}
	return 0, fmt.Errorf("%q is not a size: write a number and B, kB (1000), KiB (1024), MB, MiB, GB or GiB, such as 1.5kB", s)
}

// ParseCount reads a whole number, 0 or more. Suffixes are refused: "1k" could
// be 1000 or 1024.
func ParseCount(s string) (int64, error) {
	switch err := checkDecimal(s, s); {
	case strings.Contains(s, "."), err == errNumber:
		return 0, fmt.Errorf("%q is not a whole number: write the digits out, such as 1000", s)
	case err != nil:
		return 0, err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, TooLarge{s}
	}
	return n, nil
}

// TooLarge is the error of a whole number that no count can be.
type TooLarge struct{ text string }

func (t TooLarge) Error() string { return t.text + " is out of range" }

// spans matches a duration: numbers, each with its unit.
var spans = regexp.MustCompile(`^(?:([0-9.]+)(?:ns|us|µs|μs|ms|s|m|h))+$`)

// spanNumber matches a number in a duration.
var spanNumber = regexp.MustCompile(`[0-9.]+`)

// ParseCounts reads a text of exactly n counts with space between them, as files
// of the kernel hold them; false for any other.
func ParseCounts(text string, n int) ([]int64, bool) {
	words := strings.Fields(text)
	if len(words) != n {
		return nil, false
	}
	counts := make([]int64, n)
	for i, word := range words {
		var err error
		if counts[i], err = ParseCount(word); err != nil {
			return nil, false
		}
	}
	return counts, true
}

// ParseDuration reads a duration with its unit, 0 or more: "30s", "1.5ms",
// "2m30s", "1h". A bare number is refused, except "0".
func ParseDuration(s string) (time.Duration, error) {
	wrong := fmt.Errorf("%q is not a duration: write a number and ms, s, m or h, such as 30s", s)
	if s != "0" && !spans.MatchString(s) {
		return 0, wrong
	}
	for _, digits := range spanNumber.FindAllString(s, -1) {
		err := checkDecimal(digits, digits)
		if errors.As(err, new(Octal)) {
			return 0, fmt.Errorf("%q: %w", s, err)
		}
		if err != nil {
			return 0, wrong
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, wrong
	}
	return d, nil
}
