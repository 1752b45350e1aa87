package scenario

import (
	"fmt"
	"strings"
	"testing"
)

// large is a scenario of n x n cells with the entries that are given.
func large(n int, entries string) []byte {
	numbers := func(from int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprint(from + i)
		}
		return strings.Join(list, ", ")
	}
	return fmt.Appendf(nil, "files: {s: 1kB}\nsystems: [{labels: {S: A}, url: 'http://127.0.0.1:1'}]\ngrid: [{file: s, concurrency: [%s], requests: [%s]}]\n%s",
		numbers(1), numbers(1000), entries)
}

// TestManyTerms: what many entries take out and bring back, each by several terms.
func TestManyTerms(t *testing.T) {
	var entries strings.Builder
	entries.WriteString("exclude:\n")
	for i := range 90 {
		fmt.Fprintf(&entries, "  - {S: A, concurrency: %d, requests: [%d, %d]}\n", 1+i%30, 1000+i/30, 1010+i/30)
	}
	entries.WriteString("include:\n  - {concurrency: 1, requests: 1000}\n  - {file: s, concurrency: 50, requests: 5000}\n")
	s, err := Parse("big.yaml", large(30, entries.String()), Known{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := 30*30 - 2*90 + 2; len(p.Cells) != want {
		t.Errorf("%d cells, want %d", len(p.Cells), want)
	}
}

// TestLimitsOfTooManyCells: what would fill the plan is refused, with the number.
func TestLimitsOfTooManyCells(t *testing.T) {
	limits := "limits:\n" + strings.Repeat("  - {metric: failed, max: 0}\n", 300)
	_, err := Parse("big.yaml", large(60, limits), Known{Metrics: []string{"failed"}})
	if want := "the limits are of 1080000 cells when added up: at most 1000000 are allowed"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// BenchmarkManyTerms: a file of some 40 kB.
func BenchmarkManyTerms(b *testing.B) {
	var entries strings.Builder
	entries.WriteString("exclude:\n")
	for i := range 1000 {
		fmt.Fprintf(&entries, "  - {concurrency: %d, requests: %d}\n", 1+i%300, 1000+i/300)
	}
	text := large(300, entries.String())
	for b.Loop() {
		if _, err := Parse("big.yaml", text, Known{}); err != nil {
			b.Fatal(err)
		}
	}
}
