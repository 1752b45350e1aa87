package export

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// longTable is how many rows a table may have before it is folded, so that an
// issue stays readable.
const longTable = 50

// Markdown writes GitHub's Markdown, to be pasted into an issue or appended to a
// step's summary: the verdict first, then tables with every row and column. Long
// tables are folded, which is the only use of HTML tags.
func Markdown(w io.Writer, r *table.Report) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# %s\n\n", inline(r.Title))
	for _, warning := range r.Warnings {
		fmt.Fprintf(out, "**%s**\n\n", inline(warning))
	}
	for _, sentence := range r.Verdict {
		fmt.Fprintf(out, "- %s\n", inline(sentence))
	}
	if len(r.Verdict) > 0 {
		fmt.Fprintln(out)
	}
	for paragraph := range strings.SplitSeq(r.About, "\n\n") {
		if p := inline(paragraph); p != "" {
			fmt.Fprintf(out, "%s\n\n", p)
		}
	}
	if r.Source != nil {
		fmt.Fprintf(out, "Source: %s\n\n", markdownSource(*r.Source))
	}
	if r.Summary != "" {
		fmt.Fprintf(out, "%s\n\n", inline(r.Summary))
	}
	for _, t := range r.Tables {
		if t.Caption != r.Title {
			fmt.Fprintf(out, "## %s\n\n", inline(t.Caption))
		}
		markdownTable(out, t)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(out, "- %s\n", inline(noteLine(n)))
	}
	if r.Where != "" {
		fmt.Fprintf(out, "\n%s\n", inline(r.Where))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing markdown: %w", err)
	}
	return nil
}

func markdownTable(out io.Writer, t table.Table) {
	for _, c := range t.Constant {
		fmt.Fprintf(out, "- %s: %s\n", inline(c.Name), inline(c.Value))
	}
	if len(t.Constant) > 0 {
		fmt.Fprintln(out)
	}
	if len(t.Rows) == 0 {
		return
	}
	folded := len(t.Rows) > longTable
	if folded {
		fmt.Fprintf(out, "<details><summary>%d rows</summary>\n\n", len(t.Rows))
	}
	for _, c := range t.Columns {
		fmt.Fprintf(out, "| %s ", inline(c.Head()))
	}
	fmt.Fprint(out, "|\n")
	for _, c := range t.Columns {
		fmt.Fprint(out, map[bool]string{true: "| ---: ", false: "| --- "}[c.Number])
	}
	fmt.Fprint(out, "|\n")
	for _, row := range t.Rows {
		for _, c := range row.Cells {
			text := inline(spaced(c.Text, c.Spread))
			if c.Best {
				text = "**" + text + "**"
			}
			fmt.Fprintf(out, "| %s ", text)
		}
		fmt.Fprint(out, "|\n")
	}
	if folded {
		fmt.Fprint(out, "\n</details>\n")
	}
	fmt.Fprintln(out)
}

// meaningful lists what Markdown might take for markup anywhere in a line. The
// backslash before each is CommonMark's own escape; & and < go as entities. Of
// addresses GitHub makes links by itself and takes backslashes within for a part of
// them, so the mark that it knows them by is escaped, too.
var meaningful = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "://", `\://`, "www.", `www\.`,
)

// apart is a space of no width. GitHub looks for these only once Markdown is
// read, where no escape is left: @name, which sends name a message; #12 and GH-12,
// which are issues; :name:, a picture.
const apart = "&#8203;"

var calling = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`#([0-9])`), "#" + apart + "$1"}, // before the others, which bring a # with them
	{regexp.MustCompile(`@([0-9A-Za-z])`), "@" + apart + "$1"},
	{regexp.MustCompile(`(?i)\b(gh)-([0-9])`), "$1" + apart + "-$2"},
	{regexp.MustCompile(`:((?:[0-9a-z+-]|\\_)*(?:[a-z]|[+-]1|100|1234)(?:[0-9a-z+-]|\\_)*:)`), ":" + apart + "$1"},
}

// inline makes text of any origin one line of Markdown that means itself, calls
// nobody and refers to nothing.
func inline(s string) string {
	s = meaningful.Replace(strings.Join(strings.Fields(Visible(s)), " "))
	for _, c := range calling {
		s = c.what.ReplaceAllString(s, c.with)
	}
	if s == "" {
		return s
	}
	if before, is := strings.CutSuffix(s, "#"); is { // of a heading it would be the end
		s = before + `\#`
	}
	// What opens a block does so at the start of a line only.
	if strings.ContainsAny(s[:1], "#+-=:") {
		return `\` + s
	}
	if i := strings.IndexAny(s, ".)"); i > 0 && allDigits(s[:i]) && (i+1 == len(s) || s[i+1] == ' ') {
		return s[:i] + `\` + s[i:]
	}
	return s
}

// markdownSource is sourceLine with the address as a link where it is a plain one.
func markdownSource(s bench.Source) string {
	if !plainAddress.MatchString(s.URL) {
		return inline(sourceLine(s))
	}
	address := "<" + s.URL + ">"
	s.URL = ""
	return inline(sourceLine(s)) + ", " + address
}

// plainAddress is one that may stand between < and >, where nothing is escaped.
var plainAddress = regexp.MustCompile(`^https?://[!#-;=?-Z_a-z~%]+$`)

func sourceLine(s bench.Source) string {
	line := s.Title
	if s.Date != "" {
		line += ", " + s.Date
	}
	if s.URL != "" {
		line += ", " + s.URL
	}
	return line
}

func noteLine(n table.Footnote) string {
	line := n.Code + ": " + n.Text
	if n.Trials == 1 {
		return line + " (1 trial)"
	}
	if n.Trials > 1 {
		return fmt.Sprintf("%s (%d trials)", line, n.Trials)
	}
	return line
}

func spaced(text, spread string) string {
	if spread == "" {
		return text
	}
	return text + " " + spread
}
