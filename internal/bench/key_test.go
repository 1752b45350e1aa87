package bench

import (
	"slices"
	"testing"
	"unicode/utf8"
)

func FuzzKeyPairs(f *testing.F) {
	f.Add("OS", "FreeBSD 4.2", "file", "small")
	f.Add(`a\`, "b,c=d", "\n", `\n\r`)
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		// A name is never empty, and JSON holds no bytes that are not UTF-8.
		if a == "" || c == "" || !isUTF8(a, b, c, d) {
			return
		}
		want := []Pair{{a, b}, {c, d}}
		if got := KeyOf(want).Pairs(); !slices.Equal(got, want) {
			t.Errorf("%q gives back %q, want %q", KeyOf(want), got, want)
		}
	})
}

func isUTF8(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) })
}

func TestKeyPairsOfNoKey(t *testing.T) {
	for key, want := range map[Key][]Pair{
		"":        nil,
		"plain":   {{"", "plain"}},
		"a=b=c":   {{"a", "b=c"}},
		"a=b,":    {{"a", "b"}},
		`a=b\`:    {{"a", "b"}},
		"a=,b=":   {{"a", ""}, {"b", ""}},
		"=x,c=10": {{"", "x"}, {"c", "10"}},
	} {
		if got := key.Pairs(); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", key, got, want)
		}
	}
}
