package transcript

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// amount is how a number may look, with all that people and other locales put
// between its digits. Which of them can be read is another question.
const amount = `[-+]?\d+(?:[.,'’_]\d+)*(?:[eE][-+]?\d+)?`

var (
	wholePattern = lazily(`^[-+]?(?:\d{1,18}|[1-9]\d{0,2}(?:,\d{3}){1,5})$`)
	fraction     = lazily(`^[-+]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?$`)
	oneComma     = lazily(`^[-+]?\d{1,3},\d{3}$`) // thousands, or thousandths where the comma is a point
	thousands    = lazily(`^[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:,\d{3}|\.\d+)$`)
	manyAmounts  = lazily(amount)
)

// plain writes a number without what groups its digits. It is false for what is
// no number, or could be two: "2,849" is 2849 in a text that groups by commas, or
// that can have no fraction there, and else unknown.
func plain(s string, whole, grouping bool) (string, bool) {
	switch {
	case whole && !wholePattern().MatchString(s), !whole && !fraction().MatchString(s):
		return "", false
	case !whole && !grouping && oneComma().MatchString(s):
		return "", false
	}
	return strings.ReplaceAll(s, ",", ""), true
}

// closers are what may stand right behind a number that is whole.
const closers = " \t\n.,;:!?)]}\"'|/\\*<~`"

// ended reports whether the number that ends at text[to] ends there: neither a
// letter nor a digit nor a sign goes on with it.
func ended(text string, to int) bool {
	next, size := utf8.DecodeRuneInString(text[to:])
	switch {
	case size == 0:
		return true
	case strings.ContainsRune(".,'", next):
		next, size = utf8.DecodeRuneInString(text[to+size:])
		return size == 0 || strings.ContainsRune(closers, next)
	case next < utf8.RuneSelf:
		return strings.ContainsRune(closers, next)
	}
	return unicode.IsPunct(next) && next != '’'
}

var (
	groupAfter  = regexp.MustCompile(`^[ ]\d{3}(?:\D|$)`)
	groupBefore = regexp.MustCompile(`(?:^|[^\d.,:])\d{1,3} $`)
	firstGroup  = regexp.MustCompile(`^\d{3}(?:\D|$)`)
)

// apart reports whether the number at text[from:to] is one group of several with
// spaces between them, as in "1 000 000".
func apart(text string, from, to int) bool {
	if groupAfter.MatchString(text[to:min(to+8, len(text))]) {
		return true
	}
	return firstGroup.MatchString(text[from:min(from+4, len(text))]) && groupBefore.MatchString(text[max(from-8, 0):from])
}
