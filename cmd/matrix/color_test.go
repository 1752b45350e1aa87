package main

import "testing"

func TestColorWanted(t *testing.T) {
	for _, c := range []struct {
		mode     colorMode
		terminal bool
		env      map[string]string
		want     bool
	}{
		{"auto", true, nil, true},
		{"auto", false, nil, false},
		{"auto", true, map[string]string{"NO_COLOR": "0"}, false}, // any value but none
		{"auto", true, map[string]string{"TERM": "dumb"}, false},
		{"auto", false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{"auto", false, map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{"auto", false, map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, false},
		{"always", false, map[string]string{"NO_COLOR": "1", "TERM": "dumb"}, true},
		{"never", true, map[string]string{"CLICOLOR_FORCE": "1"}, false},
	} {
		if got := c.mode.wanted(c.terminal, func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%s, terminal %v, %v: got %v", c.mode, c.terminal, c.env, got)
		}
	}
}

func TestFoldersOfBundles(t *testing.T) {
	taken := map[string]bool{}
	for _, c := range []struct{ id, want string }{
		{"one/20261130T120000Z", "one-20261130T120000Z"}, {"one/20261130T120000Z", "one-20261130T120000Z-2"},
		{"..", "run"}, {"", "run-2"}, {"../../etc", "..-..-etc"}, {`a\b:c`, "a-b-c"}, {"日", "-"},
	} {
		if got := folderOf(c.id, taken); got != c.want {
			t.Errorf("%q: got %q, want %q", c.id, got, c.want)
		}
	}
}
