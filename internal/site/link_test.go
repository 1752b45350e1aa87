package site

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinkOutOfTheSite: a link in the site's folder that leads out of it is not
// written through.
func TestLinkOutOfTheSite(t *testing.T) {
	o := options(t)
	night(t, o.Results, "nightly", 0, map[string][]int{"small": steady(100)})
	build(t, o)
	elsewhere := t.TempDir()
	place := filepath.Join(o.Dir, "nightly")
	if err := errors.Join(os.RemoveAll(place), os.Symlink(elsewhere, place)); err != nil {
		t.Fatal(err)
	}
	if _, err := Make(t.Context(), o); err == nil || !strings.Contains(err.Error(), "escapes") {
		t.Errorf("made through a link: %v", err)
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) != 0 {
		t.Errorf("written outside: %v, %v", left, err)
	}
}
