package table

import (
	"strings"
	"testing"
)

// TestGist: item 18: the word that matters is told, whole; our own words about a
// server's end, and a line that stands in two logs, are not.
func TestGist(t *testing.T) {
	const log = "starting nginx: nginx has ended; the last lines of its log:\n" +
		"\tnginx: [emerg] unknown directive \"sendfoooooo\" in /srv/results/a-scenario-with-a-name/20261201T120000Z/servers/1/nginx.conf:30\n" +
		"\tmatrix: the server ended by itself: exit status 1\n" +
		"\t2026/12/01 05:00:47 [emerg] 22385#22385: unknown directive \"sendfoooooo\" in /srv/results/a-scenario-with-a-name/20261201T120000Z/servers/1/nginx.conf:30\n"
	for in, want := range map[string]string{
		log: `starting nginx: nginx has ended: nginx: [emerg] unknown directive "sendfoooooo" in /srv/results/a-scenario-with-a-name/20261201T120000Z/servers/1/nginx.conf:30`,
		"starting x: x has ended; the last lines of its log:\n\tmatrix: the server ended by itself: exit status 1\n": "starting x: x has ended; the last lines of its log: matrix: the server ended by itself: exit status 1",
		"socket:\ttoo many\nopen files":     "socket: too many open files",
		strings.Repeat("word ", 60):         strings.TrimSuffix(strings.Repeat("word ", 47), " ") + "…",
		strings.Repeat("ü", 300):            strings.Repeat("ü", 239) + "…",
		strings.Repeat("x", 300) + " short": strings.Repeat("x", 239) + "…",
	} {
		if got := Gist(in); got != want {
			t.Errorf("%.60q: %q, want %q", in, got, want)
		}
	}
}
