package scenario

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"matrix/internal/bench"
)

// TestMask: what is secret in a server's configuration, and what only looks so.
func TestMask(t *testing.T) {
	for in, want := range map[string]string{
		`proxy_pass http://user:hunter2@192.0.2.1/;`:                               `proxy_pass http://***@192.0.2.1/;`,
		`proxy_set_header Authorization "Basic hunter2";`:                          `proxy_set_header Authorization "***";`,
		`RequestHeader set Authorization 'Bearer hunter2'`:                         `RequestHeader set Authorization '***'`,
		`AuthLDAPBindPassword hunter2`:                                             `AuthLDAPBindPassword ***`,
		`DBDParams "host=x user=y pass=hunter2"`:                                   `DBDParams "host=x user=y pass=***"`,
		`auth.backend.ldap.bind-pw = "hunter2"`:                                    `auth.backend.ldap.bind-pw = "***"`,
		`<Certificate certificateKeystorePassword="hunter2" type="RSA"/>`:          `<Certificate certificateKeystorePassword="***" type="RSA"/>`,
		`<Connector keystorePass='hunter2'/>`:                                      `<Connector keystorePass='***'/>`,
		`<Connector protocol="AJP/1.3" secret="hunter2"/>`:                         `<Connector protocol="AJP/1.3" secret="***"/>`,
		`setenv.add-request-header = ( "X-Api-Key" => "hunter2" )`:                 `setenv.add-request-header = ( "X-Api-Key" => "***" )`,
		`server_tokens off; ServerTokens Prod`:                                     `server_tokens off; ServerTokens Prod`,
		`proxy_pass http://backend; proxy_set_header Authorization $http_auth;`:    `proxy_pass http://backend; proxy_set_header Authorization $http_auth;`,
		`ssl_password_file /etc/x; auth_basic "Restricted"; ssl_session_cache s:1`: `ssl_password_file /etc/x; auth_basic "Restricted"; ssl_session_cache s:1`,
		`proxy_cookie_path / /x; SSLPassPhraseDialog builtin`:                      `proxy_cookie_path / /x; SSLPassPhraseDialog builtin`,
		`gzip on;`: `gzip on;`,
	} {
		if got := Mask(in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}

// TestConfigIsRedacted: neither the scenario that a run keeps nor its plan holds a
// secret of a config, and the server gets it all the same.
func TestConfigIsRedacted(t *testing.T) {
	s := mustParse(t, `files: {a: 1}
systems:
  - labels: {n: one}
    server:
      kind: nginx
      config: |
        gzip off;
        proxy_set_header Authorization "Basic hunter2"; # why
  - labels: {n: two}
    server: {kind: nginx, config: 'set $password "hunter2"; set $secret ''hunter2'';'}
  - labels: {n: three}
    server: {kind: nginx, config: "set $password \"hunter2\"; set $secret 'hunter2';"}
grid: [{file: a, concurrency: 1, requests: 1}]
`)
	text := string(s.Redacted())
	if strings.Contains(text, "hunter2") || !strings.Contains(text, `        proxy_set_header Authorization "***"; # why`) {
		t.Errorf("%s", text)
	}
	if _, err := Parse("again.yaml", []byte(text), testKnown); err != nil {
		t.Error(err)
	}
	p, err := s.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := json.Marshal(Kept(*p))
	if err != nil || strings.Contains(string(kept), "hunter2") || !strings.Contains(string(kept), "gzip off;") {
		t.Errorf("%s, %v", kept, err)
	}
	if !strings.Contains(p.Systems[0].Server.Config, "hunter2") {
		t.Error("the server does not get its configuration")
	}
}

// TestConfigFileIsRead: when the plan is made, from beside the scenario, and what
// is in it is part of what a cell is.
func TestConfigFileIsRead(t *testing.T) {
	src := []byte(`files: {a: 1}
systems:
  - labels: {n: one}
    server: {kind: nginx, config_file: n.conf}
grid: [{file: a, concurrency: 1, requests: 1}]
`)
	digest, fault := "one", error(nil)
	known := testKnown
	known.Config = func(srv *bench.Server, folder string) error {
		if srv.Kind != "nginx" || srv.ConfigFile != "n.conf" || folder != "sub" {
			t.Errorf("%+v in %s", srv, folder)
		}
		srv.ConfigDigest = digest
		return fault
	}
	s, err := Parse("sub/x.yaml", src, known)
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	digest = "two"
	second, err := s.Plan(nil)
	if err != nil || first.Cells[0].Digest == second.Cells[0].Digest {
		t.Errorf("%v, a changed file changes no cell", err)
	}
	fault = errors.New("there is no file n.conf")
	if _, err := s.Plan(nil); err == nil || err.Error() != "sub/x.yaml:4:40: config_file: there is no file n.conf" {
		t.Error(err)
	}
}
