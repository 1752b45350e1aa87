package scenario

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const head = "files: {a: 1}\nsystems: [{labels: {n: x}, server: embedded}]\n"

// TestAliasBomb: a gigabyte of aliases is read as the few lines that it is.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("about: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		fmt.Fprintf(&b, "k%d: &a%d [%s*a%d]\n", i, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 8), i)
	}
	b.WriteString("grid: *a9\nsystems: *a9\nload: *a9\n")
	_, err := Parse("b.yaml", []byte(b.String()), testKnown)
	var problems Problems
	if !errors.As(err, &problems) || len(problems) > 30 {
		t.Errorf("%d problems: %v", len(problems), err)
	}
}

func TestTooLarge(t *testing.T) {
	_, err := Parse("b.yaml", []byte(head+strings.Repeat("# filler\n", maxSource/9)), testKnown)
	if err == nil || !strings.HasPrefix(err.Error(), "b.yaml:1:1: the file has 10") {
		t.Errorf("error is %v", err)
	}
}

// TestManyProblems: what one file can make us say is bounded.
func TestManyProblems(t *testing.T) {
	_, err := Parse("b.yaml", []byte(head+"grid:\n"+strings.Repeat("  - {colour: blue}\n", 9000)), testKnown)
	var problems Problems
	if !errors.As(err, &problems) || len(problems) != maxProblems {
		t.Errorf("%d problems, want %d", len(problems), maxProblems)
	}
}

// TestGuard: one cell more than the guard allows is refused, and so are too many trials
// of just as many; neither is written out first.
func TestGuard(t *testing.T) {
	list := func(from, n int) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprint(from + i)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	grid := fmt.Sprintf("grid: [{file: a, concurrency: %s, requests: %s}", list(1, 100), list(1000, 1000))
	_, err := Parse("b.yaml", []byte(head+grid+"]\nrounds: 11"), testKnown)
	if want := "b.yaml:3:7: 100000 cells in 11 rounds are 1100000 trials: at most 1000000 are allowed; lower rounds"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	_, err = Parse("b.yaml", []byte(head+grid+", {file: a, concurrency: 1, requests: 1}]"), testKnown)
	if want := "b.yaml:3:7: the grid has 100001 cells: at most 100000 are allowed; shorten its lists"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestLongLabel(t *testing.T) {
	a, b := strings.Repeat("x", 300), strings.Repeat("x", 299)+"y"
	p := planOf(t, "files: {a: 1}\nsystems: [{labels: {n: "+a+"}, server: embedded}, {labels: {n: "+b+"}, server: embedded}, {labels: {n: ---}, server: embedded}]\ngrid: [{file: a, concurrency: 1, requests: 1}]")
	unique(t, p)
	if got := p.Cells[1].Labels[0].Value; got != b {
		t.Errorf("label is %s", got)
	}
}

func TestSuggest(t *testing.T) {
	for word, want := range map[string]string{
		"concurency": "concurrency", "keepAlive": "keep_alive", "KEEP-ALIVE": "keep_alive", "reqeusts": "requests", "drvier": "driver",
		"colour": "", "12": "", "": "", "warm_up": "warmup",
	} {
		if got, _ := nearest(word, fieldNames()); got != want {
			t.Errorf("%q is near %q, want %q", word, got, want)
		}
	}
}

// TestSameBytes: the same scenario gives the same problems and plan each time.
func TestSameBytes(t *testing.T) {
	first := dump(planOf(t, small))
	for range 20 {
		if got := dump(planOf(t, small)); got != first {
			t.Fatalf("%s\nthen\n%s", first, got)
		}
	}
}
