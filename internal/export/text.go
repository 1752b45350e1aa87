package export

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"matrix/internal/table"
)

// Text writes tables for a terminal of r.Width columns, or of any width when it
// is 0; with r.Color in colours, else without any escapes. The summary and the
// verdict stand last, where a terminal is read.
func Text(w io.Writer, r *table.Report) error {
	var out bytes.Buffer
	say := func(text string) {
		for _, line := range wrap(Visible(text), room(r.Width)) {
			fmt.Fprintln(&out, line)
		}
	}
	headline := func(text string) {
		for _, line := range wrap(Visible(text), room(r.Width)) {
			if r.Color {
				line = painted(sgrBold, line)
			}
			fmt.Fprintln(&out, line)
		}
	}
	headline(r.Title)
	for _, warning := range r.Warnings {
		fmt.Fprintln(&out)
		headline(warning)
	}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(r.About), "\n\n") {
		if paragraph != "" {
			fmt.Fprintln(&out)
			say(paragraph)
		}
	}
	if r.Source != nil {
		fmt.Fprintln(&out)
		say("Source: " + sourceLine(*r.Source))
	}
	for _, t := range r.Tables {
		if t.Caption != r.Title {
			fmt.Fprintln(&out)
			headline(t.Caption)
		}
		if err := textTable(&out, say, t, r); err != nil {
			return fmt.Errorf("laying out table: %w", err)
		}
	}
	closing(&out, say, r)
	if _, err := w.Write(trimRight(out.Bytes())); err != nil {
		return fmt.Errorf("writing text: %w", err)
	}
	return nil
}

// closing is what stands below the tables.
func closing(out io.Writer, say func(string), r *table.Report) {
	if len(r.Notes) > 0 || r.Where != "" {
		fmt.Fprintln(out)
	}
	for _, n := range r.Notes {
		say("- " + noteLine(n))
	}
	if r.Where != "" {
		say(r.Where)
	}
	if r.Summary != "" || len(r.Verdict) > 0 {
		fmt.Fprintln(out)
	}
	if r.Summary != "" {
		say(r.Summary)
	}
	for _, sentence := range r.Verdict {
		say(sentence)
	}
}

// room is the width of running text.
func room(width int) int {
	if width <= 0 {
		return 100
	}
	return width
}

func textTable(out io.Writer, say func(string), t table.Table, r *table.Report) error {
	if len(t.Constant) > 0 {
		fmt.Fprintln(out)
	}
	for _, c := range t.Constant {
		say(c.Name + ": " + c.Value)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	columns, left := fitted(t, r.Width)
	if err := draw(out, columns, len(t.Rows), r.Color); err != nil {
		return err
	}
	if len(left) > 0 {
		fmt.Fprintln(out)
		say(fmt.Sprintf("Left out to fit a width of %d: %s.", r.Width, strings.Join(left, ", ")))
	}
	return nil
}

// draw has the columns, whose cells are wrapped already, set side by side.
func draw(out io.Writer, columns []*column, rows int, color bool) error {
	align := make([]tw.Align, len(columns))
	padding := slices.Repeat([]tw.Padding{{Right: strings.Repeat(" ", gap), Overwrite: true}}, len(columns))
	padding[len(columns)-1] = tw.PaddingNone
	head := make([]string, len(columns))
	for i, c := range columns {
		align[i] = tw.AlignLeft
		if c.number {
			align[i] = tw.AlignRight
		}
		head[i] = strings.Join(wrap(c.head, c.width), "\n")
	}
	var drawn strings.Builder
	tab := tablewriter.NewTable(&drawn,
		tablewriter.WithRenderer(renderer.NewBlueprint()),
		tablewriter.WithRendition(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbolCustom("plain").WithRow("-").WithCenter("-").WithMidLeft("-").WithMidRight("-").WithColumn(""),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenRows: tw.Off, BetweenColumns: tw.Off, ShowHeader: tw.On, ShowFooter: tw.Off},
				Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On, ShowFooterLine: tw.Off},
			},
		}),
		tablewriter.WithEastAsian(tw.Off), // the locale changes nothing
		tablewriter.WithTrimSpace(tw.Off), // trailing spaces line up decimal points
		tablewriter.WithHeaderPaddingPerColumn(padding),
		tablewriter.WithRowPaddingPerColumn(padding),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	)
	var glyphs standIns
	for i := range head {
		head[i] = glyphs.hide(head[i])
	}
	tab.Header(head)
	for i := range rows {
		line := make([]string, len(columns)) // kept until Render
		for j, c := range columns {
			lines := wrap(c.cells[i], c.width)
			for k := range lines {
				if color {
					lines[k] = c.tints[i].paint(lines[k], glyphs.painted)
				}
			}
			line[j] = glyphs.hide(strings.Join(lines, "\n"))
		}
		if err := tab.Append(line); err != nil {
			return err
		}
	}
	if err := tab.Render(); err != nil {
		return err
	}
	_, err := io.WriteString(out, glyphs.show(drawn.String()))
	return err
}

// trimRight takes the spaces off the ends of lines.
func trimRight(text []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		out.Write(bytes.TrimRight(line, " \n"))
		out.WriteByte('\n')
	}
	return out.Bytes()
}
