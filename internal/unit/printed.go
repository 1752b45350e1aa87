package unit

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Reading is a number as somebody printed it, and the range of what it can
// stand for: it was rounded, or cut off, after its last digit.
type Reading struct {
	Value     float64
	Low, High float64
}

// Times is the reading in another unit.
func (r Reading) Times(factor float64) Reading {
	return Reading{r.Value * factor, r.Low * factor, r.High * factor}
}

var printedNumber = regexp.MustCompile(`([0-9]+\.[0-9]+|\.?[0-9]+)([eE][+-]?[0-9]{1,2})?`)

// goesOn matches what goes on with a number: further digits, perhaps behind what
// groups them, an exponent, or a factor such as k.
var goesOn = regexp.MustCompile(`^(?:[.,'’_]?[0-9]|[.,'’_]{2,}[0-9]|[eE][-+]?[0-9]|[kKMGT](?:$|[^\pL]|i?[Bb]\b))`)

// ReadPrinted reads the first number of a text that people wrote: "3.8 = 6.3" is
// 3.8, "..5" is 0.5, "1 (on multi)" is 1. A minus counts at the start of the
// text only. A text without a number has none; nor has one whose first number
// could have two meanings ("1,500") or goes on as no number here does ("1.2.3",
// "1'500", "12k"): the beginning of a number is another number.
func ReadPrinted(text string) (Reading, bool) {
	at := printedNumber.FindStringIndex(text)
	if at == nil {
		return Reading{}, false
	}
	word, rest := text[at[0]:at[1]], text[at[1]:]
	if goesOn.MatchString(rest) {
		return Reading{}, false
	}
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsInf(v, 0) {
		return Reading{}, false
	}
	digit := lastDigit(word)
	r := Reading{v, v - digit/2, v + digit}
	if strings.TrimSpace(text[:at[0]]) == "-" {
		r = Reading{-v, -v - digit, -v + digit/2}
	}
	return r, true
}

// lastDigit is what one step of the last digit is worth.
func lastDigit(word string) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(word), "e")
	e, _ := strconv.Atoi(exponent) // "" is 0
	if _, fraction, ok := strings.Cut(mantissa, "."); ok {
		e -= len(fraction)
	}
	return math.Pow10(e)
}
