package export

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
)

//go:embed page
var pageFiles embed.FS

// page is the template of a page. Its style and script come in as values, for
// the policy names the very bytes of both.
var page = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"visible": Visible, "web": web, "picture": picture, "shade": shade,
}).ParseFS(pageFiles, "page/*.html"))

// pageParts is what every page carries.
type pageParts struct {
	Style  template.CSS
	Script template.JS
	Policy string
}

var parts = partsOf(embedded("page/page.css"), embedded("page/page.js"))

func embedded(name string) string {
	text, err := pageFiles.ReadFile(name)
	if err != nil {
		panic(err) // the build put it there
	}
	return "\n" + string(text)
}

// partsOf makes a policy that allows this style and this script, by their digest,
// and nothing else: no other script, no attribute that runs or styles, nothing
// fetched, nowhere to send a form.
func partsOf(style, script string) pageParts {
	return pageParts{
		Style: template.CSS(style), Script: template.JS(script),
		Policy: "default-src 'none'; script-src '" + digest(script) + "'; style-src '" + digest(style) + "'; base-uri 'none'; form-action 'none'",
	}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
