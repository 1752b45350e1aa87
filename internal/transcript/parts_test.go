package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Two reports in one file, of which the first lacks lines at its end and the
// second at its beginning, are two: each figure is of one of them, and those of
// the second are all there.
func TestReportsInOneFile(t *testing.T) {
	for _, pair := range [][2]string{
		{"ab23-ok-c2-n10.txt", "ab23-every4th-reset-r.txt"}, {"ab23-k-ok.txt", "ab23-503-alternate.txt"}, {"ab11-ok.txt", "ab13c-k.txt"},
		{"ab13d-n300.txt", "rhel5-2010-ab.txt"}, {"ab23-n1.txt", "ab23-k-ok.txt"},
		{"hl-rate600.txt", "hl-port03.txt"}, {"hl-seconds1.txt", "hl-port01.txt"}, {"wrk-latency.txt", "wrk-close.txt"}, {"wrk-close.txt", "wrk-c5-t2.txt"},
		{"h2-ok-h1.txt", "h2-503.txt"}, {"h2-duration.txt", "h2-refused.txt"}, {"zb", "zb"},
	} {
		t.Run(pair[0]+"+"+pair[1], func(t *testing.T) {
			t.Parallel()
			parse := anyParserOf(t, pair[0])
			first, second := bareLines(t, pair[0]), bareLines(t, pair[1])
			if pair[0] == "zb" {
				second = linesOf(strings.NewReplacer("14.599", "7.300", "684.98", "1369.86", "121", "99").Replace(strings.Join(second, "")))
			}
			for i := measuredFrom(first); i < len(first); i++ {
				alone := figuresIn(parse, first[:i+1])
				for j := range measuredFrom(second) + 1 {
					if (i+j)%3 > 0 && i+1 < len(first) {
						continue // each line of both, though not with each other
					}
					want := append(append([]string{}, alone...), figuresIn(parse, second[j:])...)
					got := figuresIn(parse, append(append([]string{}, first[:i+1]...), second[j:]...))
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("%d lines of the first, and the second from line %d on:\n%s", i+1, j+1, diff)
					}
				}
			}
		})
	}
}

// measuredFrom is the first line with something that was measured.
func measuredFrom(lines []string) int {
	return slices.IndexFunc(lines, func(line string) bool {
		for _, sign := range []string{"Time taken for tests:", " fetches, ", "Thread Stats", "finished in "} {
			if strings.Contains(line, sign) {
				return true
			}
		}
		return false
	})
}

// bareLines are the lines of a transcript, without what a shell added.
func bareLines(t *testing.T, name string) []string {
	t.Helper()
	if name == "zb" {
		return linesOf(zbReportText[strings.Index(zbReportText, "Server:"):])
	}
	plain := mustRead(t, name)
	if shell, rest, ok := strings.Cut(plain, "\n"); ok && strings.HasPrefix(shell, "# cmd:") {
		plain = rest
	}
	plain, _, _ = strings.Cut(plain, "# exit=")
	return linesOf(plain)
}

func linesOf(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	return lines[:len(lines)-1]
}

// figuresIn is all that was measured by the reports in some lines, in words; of
// those that are cut short, that they are.
func figuresIn(parse parser, lines []string) (all []string) {
	reports, err := parse(strings.NewReader(strings.Join(lines, "")))
	if err != nil {
		return []string{"failed"}
	}
	for _, r := range reports {
		f := toolFiguresOf(r)
		f.version, f.revision, f.notes = "", "", "" // of which some stand before
		if r.Abort != "" {
			all = append(all, "failed")
			continue
		}
		all = append(all, fmt.Sprintf("%+v", f))
	}
	return all
}
