package export

import (
	"strconv"
	"strings"

	"matrix/internal/table"
	"matrix/internal/unit"
)

// hit is a place in a drawing that tells of its point when it is pointed at.
type hit struct {
	x, y float64 // in points, from the top left once turned
	text string
}

// turned measures from the top, as SVG does.
func turned(hits []hit, height float64) []hit {
	for i := range hits {
		hits[i].y = height - hits[i].y
	}
	return hits
}

// writeHits draws a ring of nothing around each point, with its text.
func writeHits(out *strings.Builder, hits []hit) {
	if len(hits) == 0 {
		return
	}
	out.WriteString("<g fill=\"none\" pointer-events=\"all\">\n")
	for _, h := range hits {
		out.WriteString(`<circle class="hit" cx="` + tenths(h.x) + `" cy="` + tenths(h.y) + `" r="8"><title>` + escaped(h.text) + "</title></circle>\n")
	}
	out.WriteString("</g>\n")
}

func tenths(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// told is a point in words: nginx, Concurrency 10: 1234 Requests per second
// (1200 to 1250).
func told(c table.Chart, series string, p table.Point) string {
	const longest = 200 // characters, of strangers' names
	format := unit.Scale{Factor: 1}.Format
	var text strings.Builder
	text.WriteString(clipped(Visible(series), longest))
	if at := tickText(c, p.X); at != "" {
		text.WriteString(", " + clipped(Visible(c.XLabel), longestName) + " " + clipped(Visible(at), longestName))
	}
	if p.Y == nil {
		return text.String() + ": failed"
	}
	text.WriteString(": " + format(*p.Y))
	if p.Low != nil && p.High != nil && *p.High > *p.Low {
		text.WriteString(" (rounds " + format(*p.Low) + " to " + format(*p.High) + ")")
	}
	text.WriteString(" " + clipped(Visible(c.YLabel), longestName))
	if c.Unit != "" {
		text.WriteString(" in " + clipped(Visible(c.Unit), longestTick))
	}
	return text.String()
}

func tickText(c table.Chart, x float64) string {
	for _, t := range c.Ticks {
		if t.At == x {
			return t.Text
		}
	}
	return ""
}
