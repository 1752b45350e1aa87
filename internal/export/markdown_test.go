package export

import (
	"fmt"
	"strings"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/table"
)

func TestMarkdownBeginsWithTheVerdict(t *testing.T) {
	r := single()
	r.Verdict = []string{"nginx *wins*.", "# It failed nowhere."}
	text := string(written(t, Markdown, r))
	if want := "\n\n- nginx \\*wins\\*.\n- \\# It failed nowhere.\n\n"; !strings.Contains(text, want) || strings.Index(text, want) > strings.Index(text, "Source: ") {
		t.Errorf("the verdict does not stand first: %s", text)
	}
}

// TestMarkdownCallsNobody is of what GitHub finds in text by itself.
func TestMarkdownCallsNobody(t *testing.T) {
	for text, want := range map[string]string{
		"mail a@b.example, @team/web": "mail a@&#8203;b.example, @&#8203;team/web",
		"fixed in #12 and o/r#3":      "fixed in #&#8203;12 and o/r#&#8203;3",
		"GH-7":                        "GH&#8203;-7",
		":tada: 12:30:45 :+1: :a_b:":  "\\:&#8203;tada: 12:30:45 :&#8203;+1: :&#8203;a\\_b:",
		"http://a_b/?c&d www.e.org":   "http\\://a\\_b/?c&amp;d www\\.e.org",
		"C #":                         "C \\#",
		"#":                           "\\#",
		"@ # : a:b":                   "@ # : a:b",
	} {
		if got := inline(text); got != want {
			t.Errorf("%q is\n%s, want\n%s", text, got, want)
		}
	}
	source := bench.Source{Title: "A *test*", Date: "2001", URL: "http://example.org/a_b?c=d&e"}
	if got, want := markdownSource(source), `A \*test\*, 2001, <http://example.org/a_b?c=d&e>`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	source.URL = "javascript:alert(1)>"
	if got, want := markdownSource(source), `A \*test\*, 2001, javascript:alert(1)&gt;`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestMarkdownFoldsLongTables holds that a long table loses nothing.
func TestMarkdownFoldsLongTables(t *testing.T) {
	for rows, folded := range map[int]bool{longTable: false, longTable + 1: true} {
		l := labels("Server", "nginx")
		var records []bench.Record
		for i := range rows {
			records = append(records, good(newCell(0, i, l, point{file: small, conns: i + 1, requests: 1000, driver: "native"}), 1, 100))
		}
		text := string(written(t, Markdown, table.Build(info([][]bench.Pair{l}, 1), records)))
		if n := strings.Count(text, "\n| "); n != rows+2 {
			t.Errorf("%d lines of a table of %d rows", n, rows)
		}
		begin, end := fmt.Sprintf("<details><summary>%d rows</summary>\n\n| ", rows), "|\n\n</details>\n"
		if strings.Contains(text, begin) != folded || strings.Contains(text, end) != folded {
			t.Errorf("%d rows: folded is not %v", rows, folded)
		}
	}
}

func TestWideCSV(t *testing.T) {
	wide := table.Sheet{Header: []string{"file", "requests_per_second[=A]"}, Rows: [][]table.Field{{{Text: "=small"}, {Text: "-1.5", Number: true}}}}
	r := &table.Report{Wide: func() table.Sheet { return wide }}
	if got, want := string(written(t, WideCSV, r)), "file,requests_per_second[=A]\r\n'=small,-1.5\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := written(t, WideCSV, &table.Report{}); len(got) != 0 {
		t.Errorf("of nothing: %q", got)
	}
}
