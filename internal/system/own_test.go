package system

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
)

// written puts files below a folder that servers of another user may enter.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	site, _ := newSite(t)
	dir := filepath.Join(filepath.Dir(site.Dir), "own")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// serves starts a server with a configuration of its own and asks for every file.
func serves(t *testing.T, srv bench.Server, l bench.Load) *Running {
	t.Helper()
	need(t, srv.Kind)
	site, m := newSite(t)
	if err := ReadConfig(t.Context(), &srv); err != nil {
		t.Fatal(err)
	}
	r := start(t, site, srv)
	if err := r.Verify(t.Context(), l, m); err != nil {
		t.Fatal(err)
	}
	return r
}

// distributed are the configurations of distributions, as packages leave them.
var distributed = map[string][]string{
	"nginx": {"/etc/nginx/nginx.conf"}, "apache": {"/etc/apache2/apache2.conf", "/etc/httpd/conf/httpd.conf"},
	"lighttpd": {"/etc/lighttpd/lighttpd.conf"}, "tomcat": {"/etc/tomcat10/server.xml", "/etc/tomcat9/server.xml"},
}

// TestConfigFileOfDistribution: item 17: what a package installs serves the files,
// is taken by the server's own check, and nothing is written outside the site.
func TestConfigFileOfDistribution(t *testing.T) {
	for kind, paths := range distributed {
		t.Run(kind, func(t *testing.T) {
			need(t, kind)
			for _, path := range paths {
				f, err := os.Open(path)
				if err != nil { // another distribution, or not for us to read
					continue
				}
				f.Close()
				srv := bench.Server{Kind: kind, ConfigFile: path}
				r := serves(t, srv, bench.Load{})
				if !strings.Contains(r.Info().Config, r.guardDir(t)) || strings.Contains(r.Info().Config, "/var/log") {
					t.Errorf("config %s", r.Info().Config)
				}
				if err := asked(t, srv); err != nil {
					t.Error(err)
				}
				return
			}
			t.Skip("no configuration of a distribution that can be read")
		})
	}
}

// guardDir is the folder of the running server.
func (r *Running) guardDir(t *testing.T) string {
	t.Helper()
	return filepath.Dir(r.guard.logs[0])
}

func asked(t *testing.T, srv bench.Server) error {
	t.Helper()
	site, _ := newSite(t)
	s := bench.System{Labels: labels(srv.Kind), Server: &srv}
	k, err := KindOf(s)
	if err != nil {
		t.Fatal(err)
	}
	return k.Ask(t.Context(), s, site)
}

const nginxOwn = `user nobody-here;
daemon on;
worker_processes 2;
pid /nowhere/nginx.pid;
error_log /nowhere/error.log debug;
events { worker_connections 512; }
stream { server { listen 1; proxy_pass 192.0.2.1:1; } }
http {
  include types/*.conf;
  log_format short '$remote_addr '
                   '"$request" $status';
  access_log /nowhere/access.log short buffer=4k;
  client_body_temp_path /nowhere/body;
  gzip on; gzip_types text/plain;
  map $uri $kept { ~\.html$ yes; default ""; }
  upstream nobody { server 127.0.0.1:9; }
  server { listen 80; listen [::]:80; return 301 https://$host$request_uri; }
  server { listen 443 ssl; ssl_certificate none.pem; ssl_certificate_key none.key; root /srv; }
  server {
    listen 8080 default_server backlog=1024 reuseport;
    listen [::]:8080 ipv6only=on;
    server_name _;
    root /srv;
    add_header X-Kept $kept;
    location / { root html; index index.html; try_files $uri $uri/ =404; }
    location ~ "\.(jpg|png){1,3}$" { expires 30d; }
    location /proxied { proxy_pass http://nobody; }
  }
}
`

// TestConfigFileNginx: several server blocks, options of listen, TLS, users and
// paths that are not there, includes beside the file.
func TestConfigFileNginx(t *testing.T) {
	dir := written(t, map[string]string{"nginx.conf": nginxOwn, "types/html.conf": "types { text/html html; }"})
	r := serves(t, bench.Server{Kind: "nginx", ConfigFile: filepath.Join(dir, "nginx.conf"), Config: "add_header X-More yes;", OpenFiles: 2048}, bench.Load{})
	a, err := http.Get(r.URL("/small.html"))
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if a.Header.Get("X-Kept") != "yes" || a.Header.Get("X-More") != "yes" || a.Header.Get("Content-Type") != "text/html" {
		t.Errorf("the configuration is not what serves: %v", a.Header)
	}
	eventually(t, "all workers are there", func() bool { return len(r.PIDs()) == 3 })
}

// certificate writes a key and a certificate of its own.
func certificate(t *testing.T) (key, cert string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// TestConfigFileTLS: where only a part of a file speaks TLS serves files, the URL
// is https; a certificate beside the file is found.
func TestConfigFileTLS(t *testing.T) {
	key, cert := certificate(t)
	for kind, main := range map[string]string{
		"nginx": `events {} http { server { listen 80; return 301 https://x; }
			server { listen 443 ssl; ssl_certificate tls/cert.pem; ssl_certificate_key tls/key.pem; root /srv; } }`,
		"apache": `LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
LoadModule socache_shmcb_module /usr/lib/apache2/modules/mod_socache_shmcb.so
LoadModule ssl_module /usr/lib/apache2/modules/mod_ssl.so
SSLSessionCache shmcb:/nowhere/cache(512000)
Listen 80
Listen 443
<VirtualHost *:80>
Redirect / https://x/
</VirtualHost>
<VirtualHost *:443>
SSLEngine on
SSLCertificateFile tls/cert.pem
SSLCertificateKeyFile tls/key.pem
DocumentRoot /srv
</VirtualHost>
`,
	} {
		t.Run(kind, func(t *testing.T) {
			if _, err := os.Stat("/usr/lib/apache2/modules/mod_ssl.so"); kind == "apache" && err != nil {
				t.Skip(err)
			}
			dir := written(t, map[string]string{"server.conf": main, "tls/cert.pem": cert, "tls/key.pem": key})
			r := serves(t, bench.Server{Kind: kind, ConfigFile: filepath.Join(dir, "server.conf")}, bench.Load{TLS: &bench.TLS{Insecure: true}})
			if !strings.HasPrefix(r.BaseURL(), "https://127.0.0.1:") {
				t.Errorf("URL %s", r.BaseURL())
			}
		})
	}
}

// TestConfigFileApache: a tree with a ServerRoot of its own, several hosts, pipes
// and locks.
func TestConfigFileApache(t *testing.T) {
	dir := written(t, map[string]string{
		"httpd.conf": `ServerRoot "ROOT"
Include mods/*.load
User nobody-here
Group nobody-here
PidFile run/httpd.pid
Mutex file:/nowhere default
Listen 80
Listen [::]:80
Define LOGS /nowhere
ErrorLog "|/bin/cat"
<Directory />
    AllowOverride None
    Require all denied
</Directory>
DocumentRoot "/srv/www"
<Directory "/srv/www">
    Options FollowSymLinks
    AllowOverride All
    Require all granted
    Header set X-Kept yes
</Directory>
LogFormat "%h \"%r\" %>s" short
CustomLog ${LOGS}/access.log short
IncludeOptional none/*.conf
IncludeOptional hosts
`,
		"mods/a.load":  "LoadModule mpm_worker_module MODULES/mod_mpm_worker.so\nLoadModule authz_core_module MODULES/mod_authz_core.so\n",
		"mods/b.load":  "LoadModule alias_module MODULES/mod_alias.so\nLoadModule headers_module MODULES/mod_headers.so\nLoadModule mime_module MODULES/mod_mime.so\nTypesConfig types\n",
		"types":        "text/html html\n",
		"hosts/0.conf": "<VirtualHost *:80>\nServerName a\nRedirect permanent / https://a/\n</VirtualHost>\n<IfModule mod_ssl.c>\n<VirtualHost *:443>\nSSLEngine on\nSSLCertificateFile none\n</VirtualHost>\n</IfModule>\n",
		"hosts/1.conf": "<VirtualHost *:80 [::1]:80>\nServerName b\nDocumentRoot /srv/www\nErrorLog ${LOGS}/b.log\n</VirtualHost>\n",
	})
	for _, name := range []string{"httpd.conf", "mods/a.load", "mods/b.load"} {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		filled := strings.NewReplacer("ROOT", dir, "MODULES", "/usr/lib/apache2/modules").Replace(string(text))
		filled = strings.ReplaceAll(filled, "Document"+dir, "DocumentRoot")
		filled = strings.ReplaceAll(filled, "Server"+dir, "ServerRoot")
		if err := os.WriteFile(path, []byte(filled), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := serves(t, bench.Server{Kind: "apache", ConfigFile: filepath.Join(dir, "httpd.conf")}, bench.Load{})
	a, err := http.Get(r.URL("/small.html"))
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if a.Header.Get("X-Kept") != "yes" || a.Header.Get("Content-Type") != "text/html" {
		t.Errorf("the configuration is not what serves: %v", a.Header)
	}
}

// TestConfigFileLighttpd: names, conditions, other sockets, output of programs and
// logs that cannot be written.
func TestConfigFileLighttpd(t *testing.T) {
	dir := written(t, map[string]string{
		"lighttpd.conf": `var.sub = "sub"
server.modules = ( "mod_access", # a comment
	"mod_accesslog", "mod_setenv" )
server.port = 80
server.bind = "/nowhere/sock"
server.chroot = "/nowhere"
server.document-root = "/srv"
server.errorlog = "/nowhere/error.log"
server.pid-file = "/nowhere/" + sub + "/pid"
server.username = "nobody-here"
server.groupname = "nobody-here"
include sub + "/*.conf"
include_shell "./types.sh " + server.port
$SERVER["socket"] == ":81" { server.document-root = "/srv" }
$HTTP["url"] =~ "\.html{0,1}$" { setenv.add-response-header = ( "X-Kept" => "yes" ) }
else $HTTP["url"] =~ "^/x" { url.access-deny = ( "" ) }
`,
		"sub/a.conf": "accesslog.filename = \"/nowhere/access.log\"\n",
		"types.sh":   "#!/bin/sh\ncat types\n",
		"types":      "mimetype.assign = ( \".html\" => \"text/html\" )\n",
	})
	r := serves(t, bench.Server{Kind: "lighttpd", ConfigFile: filepath.Join(dir, "lighttpd.conf"), Config: `server.tag := "mine"`}, bench.Load{})
	a, err := http.Get(r.URL("/small.html"))
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if a.Header.Get("X-Kept") != "yes" || a.Header.Get("Content-Type") != "text/html" || a.Header.Get("Server") != "mine" {
		t.Errorf("the configuration is not what serves: %v", a.Header)
	}
}

// TestConfigFileTomcat: a server.xml alone in its folder, with other connectors.
func TestConfigFileTomcat(t *testing.T) {
	dir := written(t, map[string]string{"server.xml": `<Server port="8005" shutdown="SHUTDOWN">
  <Service name="Catalina">
    <Connector port="8443" SSLEnabled="true"/>
    <Connector port="80" protocol="HTTP/1.1" maxThreads="7" server="mine"/>
    <Connector port="8009" protocol="AJP/1.3"/>
    <Engine name="Catalina" defaultHost="localhost">
      <Host name="localhost" appBase="webapps">
        <Context path="" docBase="none"/>
        <Valve className="org.apache.catalina.valves.AccessLogValve" directory="/nowhere"/>
      </Host>
    </Engine>
  </Service>
</Server>
`})
	r := serves(t, bench.Server{Kind: "tomcat", ConfigFile: filepath.Join(dir, "server.xml")}, bench.Load{})
	if r.Info().Version == "" || !strings.Contains(r.Info().Config, `maxThreads="7"`) {
		t.Errorf("info %+v", r.Info())
	}
}

// TestConfigFileCommand: of a program that matrix does not know, placeholders are
// replaced, and what stands beside the file is beside it still.
func TestConfigFileCommand(t *testing.T) {
	need(t, "nginx")
	bin, err := nginx.tool.path()
	if err != nil {
		t.Fatal(err)
	}
	dir := written(t, map[string]string{
		"my.conf": "daemon off; pid {dir}/pid; error_log {dir}/e.log; events {} http { include mime/t; access_log off; client_body_temp_path {dir}/b; proxy_temp_path {dir}/p; fastcgi_temp_path {dir}/f; uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s; server { listen 127.0.0.1:{port}; root {docroot}; } }",
		"mime/t":  "types { text/html html; }",
	})
	srv := bench.Server{Kind: "command", ConfigFile: filepath.Join(dir, "my.conf"), Argv: []string{bin, "-e", "{dir}/e.log", "-c", "{config_file}"}, Ready: "http://127.0.0.1:{port}/"}
	site, m := newSite(t)
	if err := os.MkdirAll(site.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := start(t, site, srv)
	if err := r.Verify(t.Context(), bench.Load{}, m); err != nil && !strings.Contains(err.Error(), "403") { // a worker of another user
		t.Error(err)
	}
	if !strings.Contains(r.Info().Config, site.Docroot) {
		t.Errorf("config %s", r.Info().Config)
	}
}

// TestConfigFileBelowHome: ~/ is the home folder, as a shell has it.
func TestConfigFileBelowHome(t *testing.T) {
	dir := written(t, map[string]string{"nginx.conf": "events {} http { server { } }"})
	t.Setenv("HOME", dir)
	srv := bench.Server{Kind: "nginx", ConfigFile: "~/nginx.conf"}
	if err := ReadConfig(t.Context(), &srv, "/nowhere"); err != nil || srv.ConfigPath != filepath.Join(dir, "nginx.conf") {
		t.Errorf("%v, %s", err, srv.ConfigPath)
	}
	srv.ConfigFile = "~/none.conf"
	if err := ReadConfig(t.Context(), &srv); err == nil || err.Error() != "there is no file "+filepath.Join(dir, "none.conf") {
		t.Error(err)
	}
}

// TestConfigFileChanged: a file that was changed since the plan was made is not
// what the cells are of.
func TestConfigFileChanged(t *testing.T) {
	need(t, "nginx")
	dir := written(t, map[string]string{"nginx.conf": "events {} http { include a; server { } }", "a": "gzip on;"})
	srv := bench.Server{Kind: "nginx", ConfigFile: "nginx.conf"}
	if err := ReadConfig(t.Context(), &srv, "/nowhere", dir); err != nil {
		t.Fatal(err)
	}
	if srv.ConfigPath != filepath.Join(dir, "nginx.conf") || srv.ConfigDigest == "" {
		t.Errorf("%+v", srv)
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("gzip off;"), 0o644); err != nil {
		t.Fatal(err)
	}
	site, _ := newSite(t)
	_, err := tryStart(t.Context(), site, srv)
	if err == nil || err.Error() != "nginx.conf, or what it includes, was changed after this run had begun" {
		t.Error(err)
	}
}

// TestAskServer: the server's own words, with the line of the author's file.
func TestAskServer(t *testing.T) {
	dir := written(t, map[string]string{
		"nginx.conf": "events {}\nhttp {\n  include sub;\n  server { }\n}", "sub": "gzip on;\nsendfil on;\n",
		"apache.conf":   "Include /etc/apache2/mods-enabled/*.load\n\nNonsense on\n",
		"lighttpd.conf": "server.port = 80\nfoo bar\n",
		"server.xml":    "<Server>\n<Service>\n<Connector port=\"1\"/><Engine defaultHost=\"a\"><Host name=\"b\"/></Engine>\n</Service></Server>",
	})
	for _, c := range []struct {
		kind, file, config, want string
	}{
		{"nginx", "nginx.conf", "", `nginx -t refuses it:` + "\n\t" + `nginx: [emerg] unknown directive "sendfil" in ` + dir + "/sub:2"},
		{"nginx", "", "gzip on;\nsendfile offf;", `it must be "on" or "off" in config:2`},
		{"apache", "apache.conf", "", "Syntax error on line 3 of " + dir + "/apache.conf"},
		{"apache", "", "ServerTokens Prod\nNonsense on", "Syntax error on line 2 of config"},
		{"lighttpd", "lighttpd.conf", "", dir + "/lighttpd.conf line: 2"},
		{"lighttpd", "", "nonsense", "lighttpd -tt refuses it"},
		{"tomcat", "", "<Valve", "configtest of Tomcat refuses it"},
	} {
		t.Run(c.kind+c.file, func(t *testing.T) {
			need(t, c.kind)
			srv := bench.Server{Kind: c.kind, Config: c.config}
			if c.file != "" {
				srv.ConfigFile = filepath.Join(dir, c.file)
			}
			err := asked(t, srv)
			if err == nil || errors.As(err, new(Unasked)) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestAskServerThatIsNotThere: nothing is known then, and that is not fine.
func TestAskServerThatIsNotThere(t *testing.T) {
	absent := nginx
	absent.tool.bins = []string{"no-such-nginx"}
	site, _ := newSite(t)
	err := absent.ask(t.Context(), bench.System{Labels: labels("nginx"), Server: &bench.Server{Kind: "nginx"}}, site, nil)
	if !errors.As(err, new(Unasked)) || !strings.Contains(err.Error(), "nginx is not installed") {
		t.Error(err)
	}
}

// TestAskIsBounded: a check that hangs is ended, with what came of it.
func TestAskIsBounded(t *testing.T) {
	err := verdictOf(t.Context(), "x -t", t.TempDir(), []string{"/bin/sh", "-c", "sleep 1000 & sleep 1000"}, 50*time.Millisecond)
	if !errors.As(err, new(Unasked)) || err.Error() != "x -t did not end within 50ms" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := verdictOf(ctx, "x -t", t.TempDir(), []string{"/bin/sh", "-c", "exit 1"}, time.Minute); !errors.As(err, new(Unasked)) {
		t.Errorf("interrupted: %v", err)
	}
}
