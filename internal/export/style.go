package export

import (
	"html/template"

	"matrix/internal/table"
)

// Style is the style sheet of pages, for others that stand beside them.
func Style() template.CSS { return parts.Style }

// StylePolicy is the Content-Security-Policy of a page that carries Style and no
// script.
func StylePolicy() string {
	return "default-src 'none'; style-src '" + digest(string(parts.Style)) + "'; base-uri 'none'; form-action 'none'"
}

// Picture draws a chart as inline SVG, in the colours of Style.
func Picture(c table.Chart) (template.HTML, error) { return picture(c) }
