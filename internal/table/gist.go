package table

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxReason is how many characters of an error a sentence takes: as many as the
// message of a server about its configuration, with the path of the file.
const maxReason = 240

// logMark is what package system puts before the log of a server that ended.
const logMark = "; the last lines of its log:"

// Gist is the reason of a trial as a sentence takes it: in one line, and of a
// server's log the lines that are the server's own, each once.
func Gist(reason string) string {
	said, log, found := strings.Cut(reason, logMark)
	if !found {
		return clip(reason, maxReason)
	}
	var lines []string
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		again := func(before string) bool { return strings.HasSuffix(line, afterStamp(before)) }
		if line != "" && !strings.HasPrefix(line, "matrix: ") && !slices.ContainsFunc(lines, again) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return clip(reason, maxReason)
	}
	return clip(said+": "+strings.Join(lines, " "), maxReason)
}

// afterStamp is what a line says behind the level of a message, such as [emerg];
// the line where it has none.
func afterStamp(line string) string {
	if _, said, found := strings.Cut(line, "] "); found && said != "" {
		return said
	}
	return line
}

// clip makes a text of strangers fit a sentence: one line, and not too long. It is
// cut between words where there is a place.
func clip(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	cut := string([]rune(s)[:most-1])
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)*2/3 {
		cut = cut[:at]
	}
	return cut + "…"
}
