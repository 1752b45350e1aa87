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

// colours turns stand-ins into the page's own ink, light or dark as it is.
var colours = strings.NewReplacer("#010203", "currentColor", "#040506", "currentColor;stroke-opacity:0.2")

// cleaned copies a drawing, element by element, into one that may stand in a
// page, and gives it a title and a description.
func cleaned(raw []byte, title, about string) (template.HTML, error) {
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
				value = colours.Replace(inked(value))
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

// inked is the declarations of a style that are of lines and colours; the font is
// the page's.
func inked(style string) string {
	var list []string
	for d := range strings.SplitSeq(style, ";") {
		name, _, _ := strings.Cut(d, ":")
		switch name {
		case "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-dashoffset", "font-size":
			list = append(list, d)
		}
	}
	return strings.Join(list, ";")
}

func escaped(s string) string {
	var out strings.Builder
	if err := xml.EscapeText(&out, []byte(s)); err != nil { // a Builder takes all
		return ""
	}
	return out.String()
}
