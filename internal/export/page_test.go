package export

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// decorated is full with all else that a page may hold, in a stranger's words.
func decorated(words string) *table.Report {
	r := full()
	r.Title, r.About, r.Summary, r.Where, r.Scenario = words, words, words, words, words
	r.Verdict = []string{words, "Second."}
	r.Source = &bench.Source{Title: words, URL: words, Date: words}
	chart := table.Chart{Kind: bench.Lines, Title: words, About: words, XLabel: words, YLabel: words, Unit: words,
		Ticks:  []table.Tick{{At: 1, Text: words}, {At: 2, Text: "2"}},
		Series: []table.Series{{Name: words, Points: []table.Point{{X: 1, Y: new(2.0), Low: new(1.0), High: new(3.0)}, {X: 2, Failed: true}}}}}
	heat := table.Heat{Title: words, About: words, XLabel: words, Columns: []string{words, "2"}, Rows: []table.HeatRow{{Name: words, Cells: []table.HeatCell{
		{Share: new(0.5), Text: words}, {Text: words, State: bench.StateFailed}}}}}
	r.Charts = []table.ChartGroup{{Title: words, About: words, Charts: []table.Chart{chart}, Heats: []table.Heat{heat}}}
	t := &r.Tables[0]
	t.Caption = words
	t.Constant = append(t.Constant, bench.Pair{Name: words, Value: words})
	t.Columns[0].Heading, t.Columns[0].Doc, t.Columns[8].Unit = words, words, words
	t.Columns = append(t.Columns, table.Column{Name: "remarks", Heading: "Remarks"})
	for i := range t.Rows {
		t.Rows[i].Cells = append(slices.Clone(t.Rows[i].Cells), table.Cell{Text: "rounds " + words})
	}
	t.Rows[1].State = bench.State(words)
	t.Rows[2].Raw, t.Rows[2].Finding = []string{"raw/" + words, words}, words
	t.Rows[2].Cells[8] = table.Cell{Text: words, Spread: words, Value: json.Number(words), Best: true}
	t.Charts = []table.Chart{chart}
	r.Notes = append(r.Notes, table.Footnote{Code: words, Text: words, Trials: 1})
	r.Conditions = append(r.Conditions, table.Section{Title: words, Facts: []bench.Pair{{Name: words, Value: words}, {Name: "Command", Value: words}}})
	r.Links = []table.Link{{Text: words, Address: words}, {Text: words, Address: "report.csv"}, {Text: "x", Address: "javascript:alert(1)"}, {Text: "x", Address: "../../etc"}}
	return r
}

// allowed is the elements of a page, and the attributes that each may have.
var allowed = map[string]string{
	"html": "lang", "head": "", "meta": "charset name content http-equiv", "title": "", "style": "", "body": "", "header": "", "main": "", "nav": "aria-label",
	"section": "aria-labelledby class", "a": "href class rel aria-label", "h1": "", "h2": "id", "p": "class", "ul": "class", "li": "id", "b": "", "br": "", "small": "",
	"div": "class id role tabindex aria-label aria-labelledby", "figure": "", "figcaption": "", "table": "class", "caption": "", "thead": "", "tbody": "class",
	"tr": "class id", "th": "scope class title data-v", "td": "class data-v", "dl": "class", "dt": "", "dd": "", "details": "open", "summary": "", "pre": "tabindex aria-label",
	"span": "class", "script": "",
	"svg": "xmlns role viewbox", "desc": "", "g": "transform fill pointer-events", "circle": "class cx cy r", "text": "x y transform " + drawn, "path": "d " + drawn,
}

const drawn = "fill fill-opacity stroke stroke-opacity stroke-width stroke-dasharray stroke-dashoffset font-size"

var classes = regexp.MustCompile(`^(skip|more|lead|verdict|about|soft|notes|charts|scroll|scroll long|heat|data|wide|constant|hit|h\d+|lost|n|s|n s|s w(8|12|16)|w|state|finding|degraded|failed|timeout|skipped|interrupted)$`)

// checkPage holds what is true of every page, whatever the words in it are: each
// element and attribute is one of ours, closed, and leads nowhere else.
func checkPage(t *testing.T, text []byte) (words string) {
	t.Helper()
	var open []string
	var out strings.Builder
	ids, anchors := map[string]int{}, []string{}
	z := html.NewTokenizer(bytes.NewReader(text))
	for z.Next() != html.ErrorToken {
		tok := z.Token()
		switch tok.Type {
		case html.CommentToken:
			t.Errorf("a comment: %s", tok.Data)
		case html.TextToken:
			out.WriteString(tok.Data)
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != tok.Data {
				t.Fatalf("</%s> closes %v", tok.Data, open)
			}
			open = open[:len(open)-1]
		case html.StartTagToken, html.SelfClosingTagToken:
			if tok.Type == html.StartTagToken && tok.Data != "meta" && tok.Data != "br" {
				open = append(open, tok.Data)
			}
			ours, known := allowed[tok.Data]
			if !known {
				t.Errorf("an element <%s> came in with the data", tok.Data)
			}
			for _, a := range tok.Attr {
				if !slices.Contains(strings.Fields(ours), strings.ToLower(a.Key)) {
					t.Errorf("<%s %s=%q>", tok.Data, a.Key, a.Val)
				}
				switch a.Key {
				case "class":
					if !classes.MatchString(a.Val) {
						t.Errorf("class %q", a.Val)
					}
				case "id":
					ids[a.Val]++
				case "href":
					anchors = append(anchors, a.Val)
				case "aria-labelledby":
					anchors = append(anchors, "#"+a.Val)
				}
			}
		}
	}
	checkAnchors(t, ids, anchors)
	if len(open) > 0 {
		t.Errorf("not closed: %v", open)
	}
	return out.String()
}

func checkAnchors(t *testing.T, ids map[string]int, anchors []string) {
	t.Helper()
	for id, n := range ids {
		if n > 1 {
			t.Errorf("id %q stands %d times", id, n)
		}
	}
	for _, a := range anchors {
		inner, isInner := strings.CutPrefix(a, "#")
		switch {
		case isInner:
			if ids[inner] == 0 {
				t.Errorf("%q leads to nothing", a)
			}
		case strings.HasPrefix(a, "http://"), strings.HasPrefix(a, "https://"):
		case strings.Contains(a, ":"), strings.HasPrefix(a, "/"), strings.Contains(a, ".."):
			t.Errorf("a link to %q", a)
		}
	}
}

// withoutParts leaves out of a page what is the same in each.
func withoutParts(page []byte) []byte {
	return []byte(strings.NewReplacer(string(parts.Style), "", string(parts.Script), "", html.EscapeString(parts.Policy), "",
		strings.ReplaceAll(html.EscapeString(parts.Policy), "+", "&#43;"), "").Replace(string(page)))
}

func TestPageIsWellFormedAndEscaped(t *testing.T) {
	for _, r := range reports {
		words := checkPage(t, written(t, HTML, r.build()))
		if r.name == "full" && !strings.Contains(words, nasty) {
			t.Error("the label does not read as written")
		}
	}
	text := checkPage(t, written(t, HTML, decorated(nasty)))
	if n := strings.Count(text, nasty); n < 50 {
		t.Errorf("the words stand %d times in the page", n)
	}
}

// TestPolicy holds that the policy names the very bytes that stand in the page.
func TestPolicy(t *testing.T) {
	page := string(written(t, HTML, full()))
	for _, tag := range []string{"style", "script"} {
		_, rest, _ := strings.Cut(page, "<"+tag+">")
		body, _, _ := strings.Cut(rest, "</"+tag+">")
		if len(body) < 1000 || !strings.Contains(html.UnescapeString(page), tag+"-src '"+digest(body)+"'") {
			t.Errorf("the policy does not allow the %s of %d bytes", tag, len(body))
		}
	}
	if strings.Contains(page, "unsafe") || !strings.Contains(page, "default-src &#39;none&#39;") || strings.Contains(page, " style=") {
		t.Error("the policy is too wide, or a style stands outside of it")
	}
}

// TestPageOrder holds that a page tells the most important first.
func TestPageOrder(t *testing.T) {
	page := string(written(t, HTML, decorated("plain")))
	at := -1
	for _, mark := range []string{"<h1>", `class="lead"`, "Second.", `class="about"`, "<nav", `id="g1"`, `class="heat"`, `id="tools"`, `id="s1"`, `class="data"`, `id="notes"`, `id="conditions"`, `id="scenario"`, `id="reproduce"`, `id="files"`} {
		next := strings.Index(page, mark)
		if next <= at {
			t.Errorf("%s stands at %d, after what should follow it at %d", mark, next, at)
		}
		at = next
	}
}

// TestPageRows holds the parts of a row: state in words, best in bold, the reason
// with what the tool printed, and notes linked both ways.
func TestPageRows(t *testing.T) {
	r := &table.Report{Title: "T", Notes: []table.Footnote{{Code: "retried", Text: "again"}, {Code: "other", Text: "x"}}, Tables: []table.Table{{
		Caption: "C",
		Columns: []table.Column{{Name: "OS", Heading: "OS", Stub: true}, {Name: "file", Heading: "Size", Stub: true, Number: true},
			{Name: "requests_per_second", Heading: "Rate", Unit: "/s", Number: true}, {Name: "gone", Heading: "Gone", Number: true}, {Name: "remarks", Heading: "Remarks"}},
		Rows: []table.Row{
			{State: bench.StateOK, Cells: []table.Cell{{Text: "A & B"}, {Text: "1.5 kB"}, {Text: "12", Spread: "[11.5, 13]", Value: "12.25", Best: true}, {}, {Text: "retried"}}},
			{State: bench.StateFailed, Raw: []string{"raw/a b.txt", "raw/../x", "raw//x"}, Cells: []table.Cell{{Text: "C"}, {Text: "big"}, {}, {}, {Text: "other retried; unknown"}}},
			{State: bench.StateOK, Finding: "slower by 7%", Cells: []table.Cell{{Text: "D"}, {Text: "10"}, {Text: "1,2", Value: "1.2"}, {}, {}}},
		}}}}
	page := string(written(t, HTML, r))
	checkPage(t, []byte(page))
	for _, want := range []string{
		`<tr id="s1r1"><th scope="row">A &amp; B</th><th scope="row" class="n" data-v="1500">1.5 kB</th><td><b>12</b> <small>[11.5, 13]</small></td><td class="w"><a href="#n1">retried</a></td></tr>`,
		`<tr id="s1r2" class="failed"><th scope="row">C <span class="state">failed</span> <a href="raw/a%20b.txt">raw output</a></th><th scope="row" class="n">big</th><td></td><td class="w"><a href="#n2">other</a> <a href="#n1">retried</a>; unknown</td></tr>`,
		`<tr><th scope="row">D <span class="finding">slower by 7%</span></th><th scope="row" class="n">10</th><td data-v="1.2">1,2</td><td class="w"></td></tr>`,
		`<li id="n1"><b>retried</b>: again <a href="#s1r1" aria-label="Back to the row">↩</a></li>`, `<li id="n2"><b>other</b>: x <a href="#s1r2" aria-label="Back to the row">↩</a></li>`,
		`Left out, for no row has anything in it: Gone.`, `<caption><span>3 rows. ★ marks`, `<th scope="col" class="n s">Size</th>`, `<th scope="col" class="n">Rate (/s)</th>`,
	} {
		if !strings.Contains(page, want) {
			_, body, _ := strings.Cut(page, "<main>")
			body, _, _ = strings.Cut(body, "<script>")
			t.Errorf("no %s in\n%s", want, body)
		}
	}
}

func TestShade(t *testing.T) {
	for _, c := range []struct {
		cell table.HeatCell
		want string
	}{
		{table.HeatCell{Share: new(1.0), Best: true}, "h10"}, {table.HeatCell{Share: new(0.97), Best: true}, "h10"}, {table.HeatCell{Share: new(1.0)}, "h9"}, {table.HeatCell{Text: "?", State: bench.StateOK}, ""}, {table.HeatCell{Share: new(0.999)}, "h9"}, {table.HeatCell{Share: new(0.05)}, "h0"}, {table.HeatCell{Share: new(-1.0)}, "h0"},
		{table.HeatCell{State: bench.StateFailed}, "lost"}, {table.HeatCell{State: bench.StateSkipped}, ""}, {table.HeatCell{}, ""},
	} {
		if got := shade(c.cell); got != c.want {
			t.Errorf("%+v: %q, want %q", c.cell, got, c.want)
		}
	}
}

func TestBeside(t *testing.T) {
	for address, want := range map[string]bool{
		"report.csv": true, "raw/a b.txt": true, "": false, "/etc": false, "../x": false, "a/../x": false, "a//b": false, "javascript:x": false, `a\b`: false, "a?b": false, "./a": false,
	} {
		if got := beside(address); got != want {
			t.Errorf("beside(%q) = %v", address, got)
		}
	}
}

// FuzzPage puts a stranger's words everywhere in a page: no element and no
// attribute comes in with them.
func FuzzPage(f *testing.F) {
	for _, s := range []string{"a", nasty, "", "\x00\xff\u202e", "</script><script>alert(1)</script>", "--><img src=x onerror=1>", `" onmouseover="x`, "javascript:alert(1)",
		"</style>", "]]>", "&#x3c;b&#x3e;", "https://example.org/\"><i>", "data:text/html,x", "raw/../../x", "{{.}}", "`${x}`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, words string) {
		if len(words) > 1000 {
			return
		}
		checkPage(t, written(t, HTML, decorated(words)))
	})
}
