package export

import (
	"bufio"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"matrix/internal/table"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{"note": noteLine, "visible": Visible, "link": link, "picture": picture}).Parse(pageText))

// link is an address that a reader may follow: of the web, nothing that runs.
func link(address string) string {
	if strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") {
		return address
	}
	return ""
}

// HTML writes one page that needs nothing beside it: no script, no network, and
// a policy in its head that allows neither.
func HTML(w io.Writer, r *table.Report) error {
	out := bufio.NewWriter(w)
	if err := page.Execute(out, r); err != nil {
		return fmt.Errorf("writing page: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing page: %w", err)
	}
	return nil
}
