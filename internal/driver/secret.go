package driver

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"

	"matrix/internal/bench"
)

// hidden masks the secrets of a load in whatever is kept or shown.
type hidden struct{ mask *strings.Replacer }

// shortest is the length in bytes of the shortest value that is masked: shorter
// ones would blot out ordinary words and numbers, and protect nothing.
const shortest = 4

// secrets gathers what of a load may be secret: every header's value (and of
// "Bearer abc" or "Basic abc" the last word alone), passwords and queries of URLs.
func secrets(l bench.Load) hidden {
	var values []string
	add := func(s string) {
		if len(s) >= shortest {
			values = append(values, s)
		}
	}
	for _, h := range l.Header {
		add(h.Value)
		if i := strings.LastIndexByte(h.Value, ' '); i >= 0 {
			add(h.Value[i+1:])
		}
	}
	for _, s := range l.URLs {
		u, err := url.Parse(s)
		if err != nil {
			add(s)
			continue
		}
		if password, ok := u.User.Password(); ok {
			add(u.User.String())
			add(password)
		}
		add(u.RawQuery)
	}
	// The replacer takes the first that fits: of two that begin alike, the shorter
	// one would leave the other's tail.
	slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, s := range values {
		pairs = append(pairs, s, "***")
	}
	return hidden{strings.NewReplacer(pairs...)}
}

func (h hidden) text(s string) string { return h.mask.Replace(s) }

// err masks the words of an error. What it wraps stays reachable only when there
// was nothing to mask.
func (h hidden) err(err error) error {
	if err == nil || h.text(err.Error()) == err.Error() {
		return err
	}
	return errors.New(h.text(err.Error()))
}

// measurement masks the words within a measurement.
func (h hidden) measurement(m *bench.Measurement) {
	m.Server = h.text(m.Server)
	for f, words := range m.Messages {
		m.Messages[f] = h.text(words)
	}
	for i, n := range m.Notes {
		m.Notes[i].Text = h.text(n.Text)
	}
}
