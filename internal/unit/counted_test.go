package unit

import "testing"

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 cells", 1: "1 cell", 2: "2 cells", -1: "-1 cells"} {
		if got := Counted(n, "cell"); got != want {
			t.Errorf("%d: %q, not %q", n, got, want)
		}
	}
}
