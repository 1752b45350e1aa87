package scenario

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed template.yaml
var template string

// Template is a commented scenario to begin with.
func Template() []byte { return []byte(template) }

//go:embed reference.md
var referenceText string

// Reference is docs/scenario.md: every key, its type, default, place and an
// example. The prose is in reference.md; the tables come from the same lists as
// parsing and schema.
func Reference(known Known) []byte {
	return []byte(strings.NewReplacer(
		"{{keys}}", topTable(),
		"{{fields}}", fieldTable(),
		"{{server}}", serverTable(known),
		"{{drivers}}", kindList(known.Drivers),
		"{{servers}}", kindList(known.Servers),
		"{{metrics}}", metricList(known.Metrics),
	).Replace(referenceText))
}

func topTable() string {
	var b strings.Builder
	b.WriteString("| key | value | default | example | meaning |\n|---|---|---|---|---|\n")
	for _, k := range topKeys() {
		def := orDash(k.def)
		if k.required {
			def = "required"
		}
		row(&b, code(k.name), k.words, def, code(k.example), k.doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func fieldTable() string {
	var b strings.Builder
	b.WriteString("| setting | value | list | default | example | meaning |\n|---|---|---|---|---|---|\n")
	for _, f := range fields {
		list := "no"
		if f.axis {
			list = "yes"
		}
		def := "-"
		if f.def != "" {
			def = code(f.def)
		}
		row(&b, code(f.name), f.kind.words, list, def, code(f.example), f.doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func serverTable(known Known) string {
	var b strings.Builder
	b.WriteString("| setting | value | kinds | example | meaning |\n|---|---|---|---|---|\n")
	for _, s := range serverKeys {
		row(&b, code(s.name), s.words, orDash(strings.Join(known.settingOf(s.name), ", ")), code(s.example), s.doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func kindList(kinds []Kind) string {
	var b strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&b, "- `%s`: %s\n", k.Name, k.Doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func metricList(metrics []string) string {
	quoted := make([]string, len(metrics))
	for i, m := range metrics {
		quoted[i] = code(m)
	}
	return strings.Join(quoted, ", ")
}

func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
	}
	b.WriteString("|\n")
}

func code(s string) string { return "`" + s + "`" }

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
