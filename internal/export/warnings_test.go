package export

import (
	"bytes"
	"strings"
	"testing"
)

// TestWarningsComeFirst: in all that people read from the top, before the verdict
// and before any figure, and as harmless as other strangers' words.
func TestWarningsComeFirst(t *testing.T) {
	r := full()
	r.Warnings, r.Verdict = []string{"Mind the gap. " + nasty}, []string{"All is well."}
	for name, write := range map[string]Exporter{"text": Text, "markdown": Markdown, "html": HTML, "json": JSON, "junit": JUnit} {
		var out bytes.Buffer
		if err := write(&out, r); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		warned, first := strings.Index(text, "Mind the gap."), len(text)
		for _, other := range []string{"All is well.", "<testcase"} {
			if i := strings.Index(text, other); i >= 0 {
				first = min(first, i)
			}
		}
		if warned < 0 || warned > first || strings.Count(text, "Mind the gap.") != 1 {
			t.Errorf("%s: %d of %d", name, warned, first)
		}
		if strings.ContainsAny(text, "\x1b\x07") || name == "html" && strings.Contains(text, "Mind the gap. <") {
			t.Errorf("%s: raw", name)
		}
	}
}
