package unit

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// decimal is how every number of a scenario and of a flag is written, whatever it
// counts or measures: digits from 0 to 9, and behind a point a fraction. A sign, a
// prefix of another base, an underscore, a zero in front and a point without digits
// on both sides are read otherwise by some other program.
var decimal = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// exponent is what may stand behind a number that has no unit and counts nothing.
var exponent = regexp.MustCompile(`[eE][-+]?[0-9]+$`)

// zeros matches what would be a number without its zeros in front.
var zeros = regexp.MustCompile(`^0+((?:0|[1-9][0-9]*)(?:\.[0-9]+)?)$`)

// errNumber is the error of a text that is no number at all.
var errNumber = errors.New("not a number")

// ParseNumber reads a number without a unit, 0 or more: "500", "0.5", "1e3". Its
// error is Octal for one that begins with a 0; of any other text the caller knows
// better what is wanted.
func ParseNumber(s string) (float64, error) {
	if err := checkDecimal(exponent.ReplaceAllString(s, ""), s); err != nil {
		return 0, err
	}
	return strconv.ParseFloat(s, 64)
}

// ParsePercent reads a percentage, 0 or more: "2%", "0.5 %". Its errors are those
// of ParseNumber.
func ParsePercent(s string) (float64, error) {
	digits, ok := strings.CutSuffix(s, "%")
	if !ok {
		return 0, errNumber
	}
	return parseDecimal(strings.TrimRight(digits, " "), s)
}

// parseDecimal reads the number at the beginning of text.
func parseDecimal(digits, text string) (float64, error) {
	if err := checkDecimal(digits, text); err != nil {
		return 0, err
	}
	return strconv.ParseFloat(digits, 64)
}

func checkDecimal(digits, text string) error {
	if decimal.MatchString(digits) {
		return nil
	}
	if m := zeros.FindStringSubmatch(digits); m != nil {
		return Octal{text, m[1] + strings.TrimPrefix(text, digits)}
	}
	return errNumber
}

// Octal is the error of a number that begins with a 0.
type Octal struct{ text, plain string }

func (o Octal) Error() string {
	return fmt.Sprintf("%q begins with a 0, which YAML may read as octal: write %s", o.text, o.plain)
}
