package driver

import (
	"testing"

	"matrix/internal/bench"
)

// A secret that another one begins with does not leave that one's tail.
func TestSecretsLongestFirst(t *testing.T) {
	h := secrets(bench.Load{
		Header: []bench.Header{{Name: "X-A", Value: "sesame"}, {Name: "X-B", Value: "sesame-street"}, {Name: "X-C", Value: "abc"}},
		URLs:   []string{"http://u:sesame-street-9@h/"},
	})
	if got, want := h.text("sesame-street sesame sesame-street-9 abc"), "*** *** *** abc"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
