package transcript

import "strings"

// words parts a command line as a shell does, up to where another command, a
// redirection or a comment begins, or the quotation of the line ends.
func words(line string) (list []string) {
	var word strings.Builder
	begun, quote := false, rune(0)
	end := func() {
		if begun {
			list = append(list, word.String())
		}
		word.Reset()
		begun = false
	}
	escaped := false
	for _, c := range line {
		switch {
		case escaped:
			escaped = false
			word.WriteRune(c)
		case c == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c == ' ' || c == '\t':
			end()
		case strings.ContainsRune("|;<>&`", c) || c == '#' && !begun:
			if c == '>' && (word.String() == "1" || word.String() == "2") {
				begun = false // the number of what is redirected
			}
			end()
			return list
		default:
			begun = true
			word.WriteRune(c)
		}
	}
	end()
	return list
}

// hyphens undoes what typesetting made of the hyphens of a flag.
func hyphens(word string) string {
	for _, dash := range []string{"\u2014", "\u2013", "\u2212"} {
		if name, is := strings.CutPrefix(word, dash); is {
			if len(strings.TrimLeft(name, "-")) > 1 && !strings.ContainsAny(name[1:2], "0123456789") {
				return "--" + strings.TrimLeft(name, "-")
			}
			return "-" + name
		}
	}
	return word
}
