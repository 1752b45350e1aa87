package transcript

import (
	"encoding/json"
	"slices"
	"strings"
)

// What a log writes before the words of a program. Each stands at the beginning
// of a line; several may follow each other.
var prefixes = []pattern{
	lazily(`^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[^ \t]*(?: (?:UTC|GMT|[+-]\d\d:?\d\d)\]?)?(?:[ \t]+|$)`), // a date
	lazily(`^\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?(?:[ \t]+|$)`),                                                     // a time of day
	lazily(`^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[\w.-]+ )?[\w./@-]+(?:\[\d+\])?:(?: |$)`),                  // syslog
	lazily(`^\[[A-Za-z][\w./ -]{0,60}\](?:[ \t]+|$)`),                                                           // a name or a level
	lazily(`^(?:>|│|┃|\|)[ \t]?`),                                                                               // a quotation, a frame
}

// service is the name that docker compose writes before each line of a container.
var service = lazily(`^([A-Za-z0-9][\w.-]*)[ \t]+\| ?`)

// quoting holds what may stand before every line of a quoted or indented log.
const quoting = "#>|* \t"

// unprefixed takes from each line what a log wrote before it.
func unprefixed(lines []string) []string {
	for i, line := range lines {
		lines[i] = logged(line)
	}
	lines = byService(lines)
	for i, line := range lines {
		lines[i] = bare(line)
	}
	stripCommon(lines)
	return lines
}

// logged is the line within the JSON that docker keeps of it.
func logged(line string) string {
	if !strings.HasPrefix(line, `{"log":"`) {
		return line
	}
	var entry struct{ Log string }
	if json.Unmarshal([]byte(line), &entry) != nil {
		return line
	}
	return strings.TrimRight(entry.Log, "\r\n")
}

func bare(line string) string {
	for range 4 {
		before := line
		for _, p := range prefixes {
			if m := p().FindStringIndex(line); m != nil {
				line = line[m[1]:]
			}
		}
		if line == before {
			break
		}
	}
	return line
}

// byService takes the names of containers from the lines. Where they stand on most
// lines, those of several containers are mixed as they came: they are put
// together by container, in the order in which the containers first spoke, behind
// the lines without a name.
func byService(lines []string) []string {
	names, lengths, count := make([]string, len(lines)), make([]int, len(lines)), map[string]int{}
	for i, line := range lines {
		if m := service().FindStringSubmatchIndex(line); m != nil {
			names[i], lengths[i] = line[m[2]:m[3]], m[1]
			count[names[i]]++
		}
	}
	bare, order, named := make([]string, len(lines)), []string{""}, 0
	for i, line := range lines {
		if count[names[i]] < leastLines {
			names[i], lengths[i] = "", 0 // a table, or words with a bar among them
		}
		bare[i] = line[lengths[i]:]
		if names[i] != "" {
			named++
		}
		if !slices.Contains(order, names[i]) && len(order) < mostServices {
			order = append(order, names[i])
		}
	}
	if len(order) == 2 || named < len(lines)/2 || len(order) == mostServices {
		return bare
	}
	sorted := make([]string, 0, len(lines))
	for _, name := range order {
		for i, line := range bare {
			if names[i] == name {
				sorted = append(sorted, line)
			}
		}
	}
	return sorted
}

const (
	leastLines   = 4   // of a container
	mostServices = 100 // that are told apart
)

// stripCommon takes a prefix that all lines share from them.
func stripCommon(lines []string) {
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
