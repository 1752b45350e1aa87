package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzFit: whatever stands in a file, reading it ends, and a fitted text has no
// mark of ours left and, read again, fits to itself.
func FuzzFit(f *testing.F) {
	for kind, seeds := range map[string][]string{
		"nginx":    {"http { server { listen 80; root a; } }", "http{server{listen {port};location / {return 301 x;}}}", "a \"b\\\"\nc\" 'd' ${e};", "http { x_by_lua_block { -- }\n } }"},
		"apache":   {"Listen 80\n<VirtualHost *:80>\nDocumentRoot \"/x y\"\n</VirtualHost>", "Define A b\\\nc\nInclude ${A}", "<a>\n</A>\nErrorLog \"x"},
		"lighttpd": {"server.port = 80\n$SERVER[\"socket\"] == \":1\" {\n} else {\n}", "a = ( \"b\" => # c\n \"d\" )", "include \"a\" + b"},
		"tomcat":   {`<Server><Service><Connector port="1"/><Engine><Host name='a'/></Engine></Service></Server>`, "<Server a=b><!-- -->", "<!DOCTYPE x [<!ENTITY y 'z'>]><Server>&y;"},
		"command":  {"{port} ${port} {dir}"},
	} {
		for _, s := range seeds {
			f.Add(kind, s)
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, kind, text string) {
		path := filepath.Join(dir, "a.conf")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := Read(kind, path)
		if err != nil {
			return
		}
		read.Digest()
		fitted, err := read.Fit(here)
		if err != nil || strings.Contains(text, "-placeholder") {
			return
		}
		if strings.Contains(fitted.Text, "-placeholder") {
			t.Errorf("a mark is left in %q", fitted.Text)
		}
		if n := strings.Count(fitted.Text, "\n"); fitted.from != nil && len(fitted.from) < n {
			t.Errorf("%d lines of %d have a place", len(fitted.from), n)
		}
		if kind != "nginx" && kind != "apache" {
			return
		}
		if err := os.WriteFile(path, []byte(fitted.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(kind, path); err != nil && !strings.Contains(err.Error(), "include") {
			t.Errorf("%q was made of %q and cannot be read: %v", fitted.Text, text, err)
		}
	})
}
