package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFindTellsWhatIsShut: item 18: a folder that cannot be looked into, as where
// permission is denied, is not called one that holds no run.
func TestFindTellsWhatIsShut(t *testing.T) {
	root := t.TempDir()
	loop := filepath.Join(root, "loop") // what root, too, cannot look into
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	_, err := Find(root, loop)
	if err == nil || !strings.Contains(err.Error(), "too many levels of symbolic links") || strings.Contains(err.Error(), "neither the folder") {
		t.Error(err)
	}
	for _, ref := range []string{"nonesuch", strings.Repeat("x", 300)} {
		if _, err := Find(root, ref); err == nil || !strings.Contains(err.Error(), "there are no runs in") {
			t.Errorf("%.20s: %v", ref, err)
		}
	}
}
