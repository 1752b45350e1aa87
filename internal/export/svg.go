package export

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// kept is the elements of a drawing that a page takes, and their attributes.
// There is no other: no script, no link, no image, no style sheet.
var kept = map[string][]string{
	"svg": {"viewBox"}, "g": {"transform"}, "path": {"d", "style"}, "text": {"x", "y", "transform", "style"},
}

// Stand-ins of colours, which become the page's own ink, light or dark as it is.
const (
	inkStandIn   = "#010203"
	faintStandIn = "#040506"
)

// cleaned copies a drawing, element by element, into one that may stand in a
// page, and gives it a title, a description and the points to be told of.
func cleaned(raw []byte, title, about string, hits []hit) (template.HTML, error) {
	var out strings.Builder
	dec := xml.NewDecoder(bytes.NewReader(raw))
	inText := false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return template.HTML(out.String()), nil
		}
		if err != nil {
			return "", fmt.Errorf("reading drawing: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if kept[t.Name.Local] == nil {
				return "", fmt.Errorf("reading drawing: unexpected element %q", t.Name.Local)
			}
			inText = t.Name.Local == "text"
			open(&out, t)
			if t.Name.Local == "svg" {
				out.WriteString("\n<title>" + escaped(title) + "</title>\n<desc>" + escaped(about) + "</desc>\n")
			}
		case xml.EndElement:
			inText = false
			if t.Name.Local == "svg" {
				writeHits(&out, hits)
			}
			if t.Name.Local != "path" {
				out.WriteString("</" + t.Name.Local + ">\n")
			}
		case xml.CharData:
			if inText {
				out.WriteString(escaped(string(t)))
			}
		}
	}
}

func open(out *strings.Builder, t xml.StartElement) {
	out.WriteString("<" + t.Name.Local)
	if t.Name.Local == "svg" {
		out.WriteString(` xmlns="http://www.w3.org/2000/svg" role="img"`)
	}
	for _, name := range kept[t.Name.Local] {
		for _, a := range t.Attr {
			value := a.Value
			if a.Name.Space != "" || a.Name.Local != name {
				continue
			}
			if name == "style" {
				out.WriteString(inked(value))
				continue
			}
			out.WriteString(" " + name + `="` + escaped(value) + `"`)
		}
	}
	if t.Name.Local == "path" {
		out.WriteString("/>\n")
		return
	}
	out.WriteString(">")
}

// inked is the declarations of a style that are of lines and colours, as
// attributes, which the policy of a page lets through; the font is the page's.
func inked(style string) string {
	var out strings.Builder
	for d := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(d, ":")
		switch name {
		case "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-dashoffset", "font-size":
		default:
			continue
		}
		switch value {
		case inkStandIn:
			value = "currentColor"
		case faintStandIn:
			value = "currentColor\" " + name + "-opacity=\"0.2"
		default:
			value = escaped(value)
		}
		out.WriteString(" " + name + `="` + value + `"`)
	}
	return out.String()
}

func escaped(s string) string {
	var out strings.Builder
	if err := xml.EscapeText(&out, []byte(s)); err != nil { // a Builder takes all
		return ""
	}
	return out.String()
}
