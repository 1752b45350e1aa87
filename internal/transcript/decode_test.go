package transcript

import (
	"html"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// utf16Of writes a text in UTF-16, its high bytes first or last.
func utf16Of(s string, bigEndian bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		if bigEndian {
			b.WriteByte(byte(u >> 8))
		}
		b.WriteByte(byte(u))
		if !bigEndian {
			b.WriteByte(byte(u >> 8))
		}
	}
	return b.String()
}

// lineByLine changes each line that is not empty.
func lineByLine(change func(i int, line string) string) func(string) string {
	return func(s string) string {
		lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
		for i, line := range lines {
			lines[i] = change(i, line)
		}
		return strings.Join(lines, "\n") + "\n"
	}
}

func prefixed(prefix string) func(string) string {
	return lineByLine(func(_ int, line string) string { return prefix + line })
}

// What Windows, terminals, containers, log collectors and web pages do to a
// transcript changes none of its figures, whichever tool printed it.
func TestDecoded(t *testing.T) {
	changes := map[string]func(string) string{
		"UTF-8 with a mark":          func(s string) string { return "\ufeff" + s },
		"UTF-16, as PowerShell does": func(s string) string { return "\xff\xfe" + utf16Of(strings.ReplaceAll(s, "\n", "\r\n"), false) },
		"UTF-16, little endian":      func(s string) string { return utf16Of(s, false) },
		"UTF-16, big endian, marked": func(s string) string { return "\xfe\xff" + utf16Of(s, true) },
		"UTF-16, big endian":         func(s string) string { return utf16Of(s, true) },
		"ASCII, then UTF-16": func(s string) string {
			return "# " + strings.Repeat("begun by another program, ", 12) + "\n" + utf16Of(s, false)
		},
		"UTF-16, then ASCII": func(s string) string { return "\xff\xfe" + utf16Of("PS C:\\> the log\r\n", false) + s },
		"a hole of zeros":    func(s string) string { return strings.Repeat("\x00", 4096) + s },
		"CRLF":               func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"CR only":            func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
		"progress overwritten": lineByLine(func(i int, line string) string {
			return strings.Repeat("12%\r34%\r", i%2) + line
		}),
		"colours": lineByLine(func(_ int, line string) string {
			return "\x1b[32m" + strings.ReplaceAll(line, ":", "\x1b[1;33m:\x1b[0m") + "\x1b[0m\x1b[K"
		}),
		"colours, escapes lost": lineByLine(func(_ int, line string) string { return "[32m" + line + "[0m" }),
		"a typescript":          func(s string) string { return "\x1b]0;me@host: ~\x07\x1b[?2004h$ \r\n\x1b[?2004l" + s },
		"a date":                prefixed("2024-03-01T10:20:30.123456Z "),
		"a date with an offset": prefixed("2024-03-01 10:20:30,123 +0100 "),
		"a date in brackets":    prefixed("[2024-03-01T10:20:30Z] "),
		"a time of day":         prefixed("10:20:30.5 "),
		"a time in brackets":    prefixed("[10:20:30] "),
		"syslog":                prefixed("Mar  1 10:20:30 host bench[123]: "),
		"docker compose":        prefixed("bench-1  | "),
		"compose with a date":   prefixed("bench-1  | 2024-03-01T10:20:30.123456789Z "),
		"kubectl":               prefixed("[pod/bench-x7/main] "),
		"a level":               prefixed("[INFO] "),
		"quoted twice":          prefixed("> > "),
		"a frame":               prefixed("│ "),
		"a list":                prefixed("  * "),
		"a comment":             prefixed("// "),
		"no-break spaces":       func(s string) string { return strings.ReplaceAll(s, "  ", "\u00a0 ") },
		"preformatted on a page": func(s string) string {
			return "<html><body><p>Look:</p>\n<pre><code class=\"x\">" + html.EscapeString(s) + "</code></pre></body></html>\n"
		},
		"lines of a page": func(s string) string {
			return "<div>" + strings.ReplaceAll(html.EscapeString(s), "\n", "<br/>\n") + "</div>"
		},
		"highlighted on a page": func(s string) string {
			return "<pre>" + strings.ReplaceAll(html.EscapeString(s), ":", "<span class=\"o\">:</span>") + "</pre>\n"
		},
		"fenced": func(s string) string { return "# Results\n\n```\n" + s + "```\n\nSee above.\n" },
	}
	for _, name := range []string{"ab13d-port03.txt", "ab23-every4th-reset-r.txt", "ab23-503-alternate.txt", "hl-rate600.txt", "hl-port03.txt", "wrk-latency.txt", "h2-ok-h1.txt", "h2-duration.txt", "zb"} {
		plain := strings.Join(bareLines(t, name), "")
		want := figuresText(oneOf(t, anyParserOf(t, name), plain))
		for how, change := range changes {
			reports, err := anyParserOf(t, name)(strings.NewReader(change(plain)))
			if err != nil || len(reports) != 1 {
				t.Errorf("%s, %s: %d reports, %v", name, how, len(reports), err)
				continue
			}
			if diff := cmp.Diff(want, figuresText(reports[0])); diff != "" {
				t.Errorf("%s, %s: %s", name, how, diff)
			}
		}
	}
}

// What is no text is said to be none.
func TestNoText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\x1f\x8b\x08\x00...", "reading transcript: it is packed (gzip) and no text"},
		{"PK\x03\x04...", "reading transcript: it is packed (zip) and no text"},
		{"%PDF-1.4", "reading transcript: it is packed (PDF) and no text"},
		{"\xff\xfe\x00\x00a\x00\x00\x00", "reading transcript: it is UTF-32; UTF-8 and UTF-16 can be read"},
	} {
		if _, err := ParseAB(strings.NewReader(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, not %s", c.text, err, c.want)
		}
	}
}

// Containers that print at the same time are told apart by their names.
func TestContainersAtOnce(t *testing.T) {
	a, b := bareLines(t, "ab23-ok-c2-n10.txt"), bareLines(t, "ab23-every4th-reset-r.txt")
	var text strings.Builder
	text.WriteString("Attaching to ab-1, ab-2, web-1\n")
	for i := range max(len(a), len(b)) {
		if i < len(a) {
			text.WriteString("ab-1   | " + a[i])
		}
		text.WriteString("web-1  | [INFO] Listening at: http://0.0.0.0:80 (1)\n")
		if i < len(b) {
			text.WriteString("ab-2   | " + b[i])
		}
	}
	text.WriteString("ab-1 exited with code 0\n")
	got, err := ParseAB(strings.NewReader(text.String()))
	if err != nil || len(got) != 2 || figuresText(got[0]) != figuresText(one(t, strings.Join(a, ""))) || figuresText(got[1]) != figuresText(one(t, strings.Join(b, ""))) {
		t.Errorf("%+v, %v", got, err)
	}
}
