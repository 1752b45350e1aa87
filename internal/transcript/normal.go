package transcript

import (
	"html"
	"strings"
)

var (
	escapes   = lazily(`\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[()][0-9A-Za-z]|[=>78cM])`)
	colours   = lazily(`\[\d{1,3}(?:;\d{1,3})*m|\[m\b`) // whose escape character was lost on the way
	pageTag   = lazily(`(?i)</?(?:html|body|pre|code|table|t[dhr]|br|p|div|span|li|blockquote)(?:\s[^<>]*)?/?>`)
	rowEnd    = lazily(`(?i)(?:</tr>|<br\s*/?>|</?(?:p|div|li|pre|blockquote)(?:\s[^<>]*)?>)[ \t]*\n?`)
	entity    = lazily(`&(?:#\d{1,6}|#x[0-9a-fA-F]{1,5}|lt|gt|quot|nbsp);`) // that a page left in what was copied from it
	anyTag    = lazily(`<(?:/?[A-Za-z][^<>]*|!--[^<>]*--|![A-Za-z][^<>]*)>`)
	spaces    = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2007", " ", "\u2009", " ", "\u3000", " ", "\u200b", "")
	folds     = lazily(`\n[ \t]+\\?`) // of a long string in YAML
	unescaped = strings.NewReplacer(`\r\n`, "\n", `\n`, "\n", `\t`, "\t", `\"`, `"`, `\/`, "/", `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
	oldLines  = strings.NewReplacer("\r\n", "\n", "\u2028", "\n", "\u0085", "\n")
)

// normalise undoes what captured logs do to a tool's text: line ends of other
// systems, progress overwritten by carriage returns, colours, the tags of a web
// page, and what a log writes before each line.
func normalise(text string) string {
	text = oldLines.Replace(text)
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, "\r", "\n") // of an old Macintosh
	}
	text = colours().ReplaceAllString(escapes().ReplaceAllString(text, ""), "")
	if strings.Count(text, `\n`) > mostEscapes && !strings.Contains(text, `{"log":"`) {
		text = unescaped.Replace(folds().ReplaceAllString(text, " "))
	}
	text = strings.ReplaceAll(text, "**", "") // bold, in Markdown
	if pageTag().MatchString(text) {
		text = rowEnd().ReplaceAllString(text, "\n")
		text = anyTag().ReplaceAllStringFunc(text, gap)
		text = html.UnescapeString(text)
	}
	text = entity().ReplaceAllStringFunc(text, html.UnescapeString)
	lines := strings.Split(spaces.Replace(text), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
	}
	return strings.Join(unprefixed(lines), "\n")
}

// mostEscapes are as many line ends, spelled out, as a text has by chance; one with
// more holds the value of a string in JSON, YAML or a program.
const mostEscapes = 8

// gap is what is left of a tag: a space between cells, and nothing where it only
// dresses what it stands around.
func gap(tag string) string {
	if name := strings.ToLower(strings.TrimLeft(tag, "</")); strings.HasPrefix(name, "t") {
		return " "
	}
	return ""
}

// unfinished parts from a text the last word, where neither the end of a line nor
// a unit tells that the word is whole: "10" may have been 1000.
func unfinished(text string) (whole, rest string) {
	at := strings.LastIndexAny(text, " \t\n:") + 1
	word := text[at:]
	if !strings.ContainsAny(word, "0123456789") || strings.ContainsAny(word[len(word)-1:], "Bs%)]") {
		return text, ""
	}
	return text[:at], word
}
