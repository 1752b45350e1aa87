package config

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var here = Site{Dir: "/run/site", Docroot: "/srv/files", Host: "127.0.0.1", Port: 8123, User: "www", Group: "web"}

// tree writes files below a folder of the test's and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func fitted(t *testing.T, kind, path string, s Site) Fitted {
	t.Helper()
	f, err := Read(kind, path)
	if err != nil {
		t.Fatal(err)
	}
	out, err := f.Fit(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// body is a fitted text without the comments at its top, and with the test's
// folder as DIR.
func body(f Fitted, dir string) string {
	lines := strings.Split(strings.ReplaceAll(f.Text, dir, "DIR"), "\n")
	for strings.HasPrefix(lines[0], "# ") {
		lines = lines[1:]
	}
	return strings.Join(lines, "\n")
}

// TestNginxFit: what is replaced, and that all else stays.
func TestNginxFit(t *testing.T) {
	dir := tree(t, map[string]string{
		"nginx.conf": `user nginx;  # a user that need not be there
daemon on; pid /run/nginx.pid; worker_processes 4;
error_log /var/log/nginx/error.log notice;
include modules/*.conf;
events { worker_connections 1024; multi_accept on; }
stream { server { listen 53 udp; proxy_pass 192.0.2.1:53; } }
http {
    include mime.types;
    log_format main '$remote_addr "$request" '
                    '$status';
    access_log /var/log/nginx/access.log main buffer=32k;
    proxy_cache_path /var/cache/nginx levels=1:2 keys_zone=one:10m;
    gzip on; gzip_types text/plain text/css;
    map $http_upgrade $connection { default upgrade; '' close; }
    server { listen 80; listen [::]:80; server_name a.example; return 301 https://$host$request_uri; }
    include sites/*;
}
`,
		"modules/10-x.conf": "load_module mod/x.so;\n",
		"mod/x.so":          "",
		"mime.types":        "types {\n  text/html html htm;\n  \"text/plain\" txt;\n}\n",
		"sites/.hidden":     "nonsense",
		"sites/a": `server {
    listen 8080 default_server backlog=1024 reuseport;
    listen [::]:8080 ipv6only=on;
    listen 8443 ssl; ssl_certificate certs/none.pem;
    root /var/www;
    access_log off;
    location / { root html; try_files $uri $uri/ =404; }
    location ~ "\.(jpg|png){1,3}$" { expires 30d; }
    location ~ \.php$ { fastcgi_pass unix:/run/php.sock; error_log syslog:server=192.0.2.1; }
    location /lua { content_by_lua_block { ngx.say("}") -- don't {
    } }
}
`,
		"sites/b": "server { listen 443 ssl; server_name b; ssl_certificate ../b.pem; root /srv/b; }\n",
	})
	site := here
	site.Extra, site.OpenFiles = "add_header X-Mark yes;", 4096
	got := fitted(t, "nginx", filepath.Join(dir, "nginx.conf"), site)
	want := `daemon off;
pid "/run/site/nginx.pid";
user www web;
worker_rlimit_nofile 4096;
worker_processes 4;
error_log "/run/site/error.log" notice;
load_module "DIR/mod/x.so";
events {
    worker_connections 1024;
    multi_accept on;
}
http {
    client_body_temp_path "/run/site/client_body";
    proxy_temp_path "/run/site/proxy";
    fastcgi_temp_path "/run/site/fastcgi";
    uwsgi_temp_path "/run/site/uwsgi";
    scgi_temp_path "/run/site/scgi";
    types {
        text/html html htm;
        "text/plain" txt;
    }
    log_format main '$remote_addr "$request" ' '$status';
    access_log "/run/site/access.log" main buffer=32k;
    proxy_cache_path "/run/site/proxy_cache" levels=1:2 keys_zone=one:10m;
    gzip on;
    gzip_types text/plain text/css;
    map $http_upgrade $connection {
        default upgrade;
        '' close;
    }
    server {
        listen 127.0.0.1:8123 default_server backlog=1024 reuseport;
        ssl_certificate certs/none.pem;
        root "/srv/files";
        access_log off;
        location / {
            root "/srv/files";
            try_files $uri $uri/ =404;
        }
        location ~ "\.(jpg|png){1,3}$" {
            expires 30d;
        }
        location ~ \.php$ {
            fastcgi_pass unix:/run/php.sock;
            error_log syslog:server=192.0.2.1;
        }
        location /lua {
            content_by_lua_block { ngx.say("}") -- don't {
    }
        }
        add_header X-Mark yes;
    }
}
`
	if diff := cmp.Diff(want, body(got, dir)); diff != "" {
		t.Error(diff)
	}
	if want := "the server block at " + dir + "/sites/a:1 serves the files; 2 others left out"; got.Serves != want || got.TLS {
		t.Errorf("%q, TLS %v", got.Serves, got.TLS)
	}
}

// TestNginxChoosesServer: a default server in the clear that does not only
// redirect; otherwise the next best.
func TestNginxChoosesServer(t *testing.T) {
	const redirect = "server { listen 80 default_server; location /.well-known/ {} location / { return 301 https://$host$uri; } }\n"
	for _, c := range []struct {
		servers string
		line    string
		tls     bool
		listen  string
	}{
		{"server { listen 80; }\nserver { listen 80 default_server; }", ":2 ", false, "listen 127.0.0.1:8123 default_server;"},
		{redirect + "server { listen 443 ssl http2; }", ":2 ", true, "listen 127.0.0.1:8123 ssl http2;"},
		{redirect + "server { listen 443 ssl; }\nserver { listen 8080; }", ":3 ", false, "listen 127.0.0.1:8123;"},
		{"server { listen unix:/run/x.sock; }\nserver { listen 81 proxy_protocol; }", ":2 ", false, "listen 127.0.0.1:8123;"},
		{"server { listen 443; ssl on; }", ":1 ", true, "listen 127.0.0.1:8123;"},
		{"server { }", ":1 ", false, "listen 127.0.0.1:8123;"},
		{redirect, ":1 ", false, "listen 127.0.0.1:8123 default_server;"},
		{"server { listen 80 default_server; }\nserver { listen 81; root {docroot}/a; }", ":2 ", false, "listen 127.0.0.1:8123;"},
	} {
		dir := tree(t, map[string]string{"n.conf": "http {\ninclude s.conf; }", "s.conf": c.servers})
		got := fitted(t, "nginx", filepath.Join(dir, "n.conf"), here)
		if !strings.Contains(strings.Replace(got.Serves, ", which", " , which", 1), c.line) || strings.Contains(got.Serves, "only redirects") != (c.servers == redirect) || got.TLS != c.tls || !strings.Contains(got.Text, c.listen) || strings.Count(got.Text, "listen") != 1 {
			t.Errorf("%s: %q, TLS %v\n%s", c.servers, got.Serves, got.TLS, got.Text)
		}
	}
}

// TestPlaceholders: what the author places stays where it is, and nothing else is
// taken away; a variable of the server's is none.
func TestPlaceholders(t *testing.T) {
	dir := tree(t, map[string]string{
		"nginx.conf":    "http { server { listen 80; } server { listen 127.0.0.1:{port}; root {docroot}; access_log {dir}/a.log; set $x ${port}; } }",
		"apache.conf":   "Listen 127.0.0.1:{port}\nDocumentRoot {docroot}\nLogFormat %{port}p x\n<VirtualHost *:{port}>\n</VirtualHost>\n<VirtualHost *:443>\n</VirtualHost>\n",
		"lighttpd.conf": "server.port = {port}\nserver.document-root = \"{docroot}\"\n$SERVER[\"socket\"] == \":81\" { }\n",
		"server.xml":    `<Server><Service><Connector port="1"/><Connector port="{port}"/><Engine><Host><Context path="" docBase="{docroot}/x"/></Host></Engine></Service></Server>`,
		"Caddyfile":     "http://127.0.0.1:{port} {\n root * {docroot}\n log {dir}/log ${port}\n}\n",
	})
	for kind, c := range map[string]struct {
		file string
		want []string
	}{
		"nginx":    {"nginx.conf", []string{"listen 80;", "listen 127.0.0.1:8123;", "root /srv/files;", "set $x ${port};"}},
		"apache":   {"apache.conf", []string{"Listen 127.0.0.1:8123\n", "DocumentRoot /srv/files\n", "%{port}p", "<VirtualHost *:443>", "<VirtualHost *:8123>"}},
		"lighttpd": {"lighttpd.conf", []string{"server.port = 8123\n", `server.document-root = "/srv/files"`, `== ":81" {`}},
		"tomcat":   {"server.xml", []string{`<Connector port="1"/>`, `<Connector port="8123"/>`, `docBase="/srv/files/x"`}},
		"command":  {"Caddyfile", []string{"http://127.0.0.1:8123 {", "root * /srv/files", "log /run/site/log ${port}"}},
	} {
		got := fitted(t, kind, filepath.Join(dir, c.file), here)
		for _, w := range c.want {
			if !strings.Contains(got.Text, w) {
				t.Errorf("%s: no %q in\n%s", kind, w, got.Text)
			}
		}
		if strings.Contains(got.Text, "placeholder") || got.Serves != "" && kind != "tomcat" {
			t.Errorf("%s: %q\n%s", kind, got.Serves, got.Text)
		}
		f, err := Read(kind, filepath.Join(dir, c.file))
		if err != nil || !f.NamesPort() {
			t.Errorf("%s: %v, names port: %v", kind, err, err == nil && f.NamesPort())
		}
	}
}

// TestApacheFit: what is replaced, and that all else stays.
func TestApacheFit(t *testing.T) {
	dir := tree(t, map[string]string{
		"envvars": "export APACHE_LOG_DIR=/var/log/apache2$SUFFIX\nexport SITE='mine'\nexport NOW=$(date)\n",
		"apache2.conf": `DefaultRuntimeDir ${APACHE_RUN_DIR}
PidFile ${APACHE_PID_FILE}
User ${APACHE_RUN_USER}
Group ${APACHE_RUN_GROUP}
ErrorLog ${APACHE_LOG_DIR}/error.log
Mutex file:${APACHE_LOCK_DIR} default
Define ROOT /srv/${SITE}
Include mods/*.load
IncludeOptional none/*.conf
IncludeOptional gone.conf
Listen 80
<IfModule ssl_module>
  Listen 443
</IfModule>
<Directory />
  Require all denied
</Directory>
<Directory "/srv">
  AllowOverride All
  Require all granted
</Directory>
CustomLog "|/usr/bin/rotatelogs /var/log/x 86400" combined env=!dontlog
LogFormat "%h \"%r\" \
  %>s" combined
include sites
`,
		"mods/a.load":  "LoadModule mpm_event_module modules/mod_mpm_event.so\n",
		"sites/0.conf": "<VirtualHost *:80>\n  ServerName a\n  Redirect permanent / https://a/\n</VirtualHost>\n",
		"sites/1.conf": "<IfModule mod_ssl.c>\n<VirtualHost *:443>\n  SSLEngine on\n</VirtualHost>\n</IfModule>\n",
		"sites/2.conf": "<virtualhost _default_:80 [::1]:80>\n  documentroot ${ROOT}\n  ErrorLog /var/log/b.log\n</virtualhost>\n",
	})
	site := here
	site.Extra = "ServerTokens Prod"
	got := fitted(t, "apache", filepath.Join(dir, "apache2.conf"), site)
	want := `Define APACHE_LOCK_DIR "/run/site"
Define APACHE_LOG_DIR "/run/site"
Define APACHE_PID_FILE "/run/site/apache.pid"
Define APACHE_RUN_DIR "/run/site"
Define APACHE_RUN_GROUP "web"
Define APACHE_RUN_USER "www"
Define SITE "mine"
ServerRoot "DIR"
DefaultRuntimeDir "/run/site"
PidFile "/run/site/apache.pid"
User www
Group web
ServerName localhost
Listen 127.0.0.1:8123
DocumentRoot "/srv/files"
<Directory "/srv/files">
    Require all granted
</Directory>
ErrorLog "/run/site/error.log"
Mutex "file:/run/site" default
Define ROOT /srv/${SITE}
LoadModule mpm_event_module modules/mod_mpm_event.so
<IfModule ssl_module>
</IfModule>
<Directory />
    Require all denied
</Directory>
<Directory "/srv/files">
    AllowOverride All
    Require all granted
</Directory>
CustomLog "/run/site/access.log" combined env=!dontlog
LogFormat "%h \"%r\"  %>s" combined
<IfModule mod_ssl.c>
</IfModule>
<VirtualHost 127.0.0.1:8123>
    documentroot "/srv/files"
    ErrorLog "/run/site/error.log"
</virtualhost>
ServerTokens Prod
`
	if diff := cmp.Diff(want, body(got, dir)); diff != "" {
		t.Error(diff)
	}
	if want := "the virtual host at " + dir + "/sites/2.conf:1 serves the files; 1 other left out"; got.Serves != want {
		t.Errorf("%q", got.Serves)
	}
}

// TestLighttpdFit: what is replaced, and that all else stays.
func TestLighttpdFit(t *testing.T) {
	dir := tree(t, map[string]string{
		"lighttpd.conf": `var.conf = "sub"
state_dir = "/run" # comment "with quotes
server.modules = ( "mod_access", # one
  "mod_accesslog" )
server.port = 80
server.bind = "0.0.0.0"
server.document-root = "/var/www"
server.errorlog = "/nowhere/error.log"
server.pid-file = state_dir + "/lighttpd.pid"
server.username = "lighttpd"
include conf + "/a*.conf"
include "sub/" + conf + "/none.conf"
include_shell "./mime.sh " + server.port
$SERVER["socket"] == ":443" {
  ssl.engine = "enable"
} else $SERVER["socket"] == ":444" {
  ssl.pemfile = "{x}"
}
$HTTP["host"] =~ "(^|\.)example{1}" { server.document-root = "/srv" }
else { server.tag = "x" }
`,
		"sub/a1.conf": "accesslog.filename = \"|/bin/cat\"\n$SERVER[\"socket\"] == \"[::]:80\" { }\n",
	})
	site := here
	site.Extra = `server.tag := "y"`
	got := fitted(t, "lighttpd", filepath.Join(dir, "lighttpd.conf"), site)
	want := `server.username = "www"
server.groupname = "web"
server.upload-dirs = ( "/run/site" )
var.conf = "sub"
state_dir = "/run"
server.modules = ( "mod_access", 
  "mod_accesslog" )
server.port = 8123
server.bind = "127.0.0.1"
server.document-root = "/srv/files"
server.pid-file = "/run/site/lighttpd.pid"
accesslog.filename = "/run/site/access.log"
include "sub/" + conf + "/none.conf"
include_shell "cd 'DIR' && " + "./mime.sh " + server.port
$HTTP["host"] =~ "(^|\.)example{1}" {
    server.document-root = "/srv/files"
}
else {
    server.tag = "x"
}
server.tag := "y"
`
	gotLines, wantLines := strings.Split(body(got, dir), "\n"), strings.Split(want, "\n")
	if diff := cmp.Diff(wantLines[3:], gotLines[3:]); diff != "" {
		t.Error(diff)
	}
	if !strings.HasSuffix(got.Serves, "left out: 3") || len(got.Own) != 1 || got.Own[0] != "access.log" {
		t.Errorf("%q, own %q", got.Serves, got.Own)
	}
}

// TestTomcatFit: what is replaced, and that all else stays.
func TestTomcatFit(t *testing.T) {
	dir := tree(t, map[string]string{"server.xml": `<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- <Connector port="1"/> -->
<Server port="8005" shutdown="SHUTDOWN">
  <Service name="Catalina">
    <Connector port="8443" SSLEnabled="true"><SSLHostConfig/></Connector>
    <Connector
       port = '8080' protocol="HTTP/1.1" maxThreads="7"/>
    <Connector port="8009" protocol="AJP/1.3"/>
    <Engine name="Catalina" defaultHost="b">
      <Host name="a" appBase="x"/>
      <Host name="b" appBase="webapps" autoDeploy="true">
        <Valve className="AccessLogValve" directory="${log.base}"/>
      </Host>
    </Engine>
  </Service>
</Server>
`})
	site := here
	site.Docroot, site.Extra = "/srv/a&b", "<Valve/>"
	got := fitted(t, "tomcat", filepath.Join(dir, "server.xml"), site)
	want := `<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- <Connector port="1"/> -->
<Server port="-1" shutdown="SHUTDOWN">
  <Service name="Catalina">
    
    <Connector address="127.0.0.1"
       port = '8123' protocol="HTTP/1.1" maxThreads="7"/>
    
    <Engine name="Catalina" defaultHost="b">
      <Host name="a" appBase="x"/>
      <Host deployOnStartup="false" name="b" appBase="/run/site/apps" autoDeploy="false"><Context path="" docBase="/srv/a&amp;b"/><Valve/>
        <Valve className="AccessLogValve" directory="logs"/>
      </Host>
    </Engine>
  </Service>
</Server>
`
	if diff := cmp.Diff(want, got.Text); diff != "" {
		t.Error(diff)
	}
}

// TestReadTellsWhatIsWrong: in the author's terms, with the place.
func TestReadTellsWhatIsWrong(t *testing.T) {
	dir := tree(t, map[string]string{
		"loop.conf":  "http {}\ninclude loop.conf;",
		"open.conf":  "http {\n server {\n}\n",
		"quote.conf": "events {}\nhttp { x \"y\n; }",
		"empty.conf": "events {}",
		"none.conf":  "http { }",
		"nul.conf":   "http {\x00}",
		"a.conf":     "<VirtualHost *>\nListen 80\n",
		"b.conf":     "Listen 80\n</VirtualHost>\n",
		"x.xml":      "<properties/>",
		"y.xml":      `<Server><Service><Connector protocol="AJP/1.3" port="1"/></Service></Server>`,
		"z.xml":      "<Server",
		"big.conf":   strings.Repeat("# big\n", maxBytes/6+1),
	})
	for _, c := range []struct{ kind, file, want string }{
		{"nginx", "gone.conf", "there is no file DIR/gone.conf"},
		{"nginx", ".", "DIR is no file"},
		{"nginx", "loop.conf", "DIR/loop.conf includes itself (included at DIR/loop.conf:2)"},
		{"nginx", "open.conf", "a } is missing"},
		{"nginx", "quote.conf", "DIR/quote.conf:2: a quote is not closed"},
		{"nginx", "empty.conf", "has no http block"},
		{"nginx", "none.conf", "have no server block"},
		{"nginx", "nul.conf", "holds NUL bytes"},
		{"nginx", "big.conf", "at most 4 MiB"},
		{"apache", "a.conf", "DIR/a.conf:1: <VirtualHost> is not closed"},
		{"apache", "b.conf", "DIR/b.conf:2: </VirtualHost> without its beginning"},
		{"lighttpd", "quote.conf", "a quote is not closed"},
		{"tomcat", "x.xml", "has no element Server"},
		{"tomcat", "y.xml", "has no Connector of HTTP"},
		{"tomcat", "z.xml", "is no XML"},
	} {
		f, err := Read(c.kind, filepath.Join(dir, c.file))
		if err == nil {
			_, err = f.Fit(here)
		}
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), dir, "DIR"), c.want) {
			t.Errorf("%s %s: %v, want %q", c.kind, c.file, err, c.want)
		}
	}
}

// TestDigest: of what a configuration and its includes say, not of comments.
func TestDigest(t *testing.T) {
	digest := func(main, sub string) string {
		dir := tree(t, map[string]string{"n.conf": main, "sub.conf": sub})
		f, err := Read("nginx", filepath.Join(dir, "n.conf"))
		if err != nil {
			t.Fatal(err)
		}
		return f.Digest()
	}
	const main = "http { include sub.conf; server {} }"
	first := digest(main, "gzip on;")
	if again := digest("# a comment\n"+main, "gzip  on; # on"); again != first {
		t.Error("comments and spaces count")
	}
	if other := digest(main, "gzip off;"); other == first {
		t.Error("an include does not count")
	}
}

// TestTranslate: lines of the fitted file are told as those of the author's.
func TestTranslate(t *testing.T) {
	dir := tree(t, map[string]string{"n.conf": "\n\nevents { }\nhttp {\n  gzip on; include sub.conf;\n  server { }\n}", "sub.conf": "# x\nfoo bar;\n"})
	f := fitted(t, "nginx", filepath.Join(dir, "n.conf"), here)
	line := 0
	for i, text := range strings.Split(f.Text, "\n") {
		if strings.Contains(text, "foo bar") {
			line = i + 1
		}
	}
	said := strings.NewReplacer("N", strconv.Itoa(line)).Replace(`unknown directive "foo" in /site/n.conf:N, line N of /site/n.conf, source: /site/n.conf line: N pos 1, /site/n.conf:1`)
	want := strings.ReplaceAll(`unknown directive "foo" in DIR/sub.conf:2, line 2 of DIR/sub.conf, source: DIR/sub.conf line: 2 pos 1, n.conf:1`, "DIR", dir)
	if got := f.Translate(said, "/site/n.conf"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
