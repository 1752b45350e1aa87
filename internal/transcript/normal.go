package transcript

import (
	"html"
	"strings"
)

var (
	ansi     = lazily(`\x1b\[[0-9;?]*[A-Za-z]`)
	tableTag = lazily(`(?i)<t[dh][ >]`)
	rowEnd   = lazily(`(?i)(?:</tr>|<br>|</?p>)[ \t]*\n?`)
	anyTag   = lazily(`<[^<>]*>`)
	dated    = lazily(`^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^ \t]*[ \t]*`)
)

// quoting holds what may stand before every line of a quoted or indented log.
const quoting = "#>|* \t"

// normalise undoes what captured logs do to a tool's text: line ends of other
// systems, progress overwritten by carriage returns, colours, HTML tables, and
// a prefix common to all lines.
func normalise(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = ansi().ReplaceAllString(text, "")
	if tableTag().MatchString(text) {
		text = rowEnd().ReplaceAllString(text, "\n")
		text = html.UnescapeString(anyTag().ReplaceAllString(text, " "))
	}
	text = strings.ReplaceAll(text, "\u00a0", " ")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
	}
	stripPrefix(lines)
	return strings.Join(lines, "\n")
}

func stripPrefix(lines []string) {
	if all(lines, func(line string) bool { return dated().MatchString(line) }) {
		for i, line := range lines {
			lines[i] = dated().ReplaceAllString(line, "")
		}
	}
	prefix, first := "", true
	for _, line := range lines {
		switch {
		case strings.Trim(line, quoting) == "":
		case first:
			prefix, first = line[:len(line)-len(strings.TrimLeft(line, quoting))], false
		default:
			for !strings.HasPrefix(line, prefix) {
				prefix = prefix[:len(prefix)-1]
			}
		}
	}
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, prefix)
		if strings.Trim(line, quoting) == "" {
			lines[i] = ""
		}
	}
}

func all(lines []string, is func(string) bool) bool {
	some := false
	for _, line := range lines {
		if line == "" {
			continue
		}
		if !is(line) {
			return false
		}
		some = true
	}
	return some
}
