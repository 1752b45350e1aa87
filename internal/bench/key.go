package bench

import "strings"

// Pair is one named value of a cell: a label of its system ("OS", "Red Hat
// 7.0") or a point on an axis ("concurrency", "10"). Values keep the text they
// were written with: 7.0 stays "7.0".
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Key is the identity of a cell: its pairs in order, "OS=FreeBSD
// 4.2,file=small,concurrency=10,requests=100". Names and values are escaped, so
// that two different lists of pairs never share a Key. It is comparable.
type Key string

var escapeKey = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`, "\n", `\n`, "\r", `\r`)

// KeyOf joins pairs into their Key.
func KeyOf(pairs []Pair) Key {
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(escapeKey.Replace(p.Name))
		b.WriteByte('=')
		b.WriteString(escapeKey.Replace(p.Value))
	}
	return Key(b.String())
}

// Pairs are what KeyOf joined. A text that is no Key, such as a stranger's, gives
// what of it can be read.
func (k Key) Pairs() (pairs []Pair) {
	var part strings.Builder
	var p Pair
	escaped := false
	end := func() {
		if p.Value = part.String(); p != (Pair{}) {
			pairs = append(pairs, p)
		}
		p = Pair{}
		part.Reset()
	}
	for _, r := range string(k) {
		switch {
		case escaped:
			escaped = false
			if i := strings.IndexRune("nr", r); i >= 0 {
				r = rune("\n\r"[i])
			}
			part.WriteRune(r)
		case r == '\\':
			escaped = true
		case r == '=' && p.Name == "":
			p.Name = part.String()
			part.Reset()
		case r == ',':
			end()
		default:
			part.WriteRune(r)
		}
	}
	end()
	return pairs
}

// Lookup returns the value of the first pair called name.
func Lookup(pairs []Pair, name string) (string, bool) {
	for _, p := range pairs {
		if p.Name == name {
			return p.Value, true
		}
	}
	return "", false
}
