package scenario

import (
	"strings"
	"testing"
)

const secretive = `files: {a: 1} # stays
systems:
  - labels: {n: one}
    url: http://user:hunter2@192.0.2.1/x/   # a comment
  - labels: {n: two}
    url: "http://user:hunter2@192.0.2.2/"
    headers: {Cookie: 'it''s hunter2', Accept: text/html, X-Csrf-Token: &t hunter2 , Authorization: "a \"hunter2\" b"}
  - labels: {n: three}
    url: http://${USER}:${PASS}@192.0.2.3/
    headers:
      Authorization: Bearer ${TOKEN}
      X-Session-Id: *t
      Proxy-Authorization:
        Basic hunter2
        and hunter2
      X-Secret: >-
        hunter2
        hunter2
      Accept-Language: de
  - labels: {n: four}
    url: "http:\x2f\x2fuser:hunter2@192.0.2.4/"
    body: |
      {"password": "hunter2",
        "x": "hunter2"}
    method: POST
  - labels: {n: hunter-free}
    url: http://192.0.2.5/
    body: plain
grid: [{file: a, concurrency: 1, requests: 1}]
`

const redacted = `files: {a: 1} # stays
systems:
  - labels: {n: one}
    url: http://***@192.0.2.1/x/   # a comment
  - labels: {n: two}
    url: "http://***@192.0.2.2/"
    headers: {Cookie: "***", Accept: text/html, X-Csrf-Token: &t "***" , Authorization: "***"}
  - labels: {n: three}
    url: http://***@192.0.2.3/
    headers:
      Authorization: Bearer ${TOKEN}
      X-Session-Id: *t
      Proxy-Authorization:
        "***"
      X-Secret: "***"
      Accept-Language: de
  - labels: {n: four}
    url: "http://***@192.0.2.4/"
    body: "***"
    method: POST
  - labels: {n: hunter-free}
    url: http://192.0.2.5/
    body: plain
grid: [{file: a, concurrency: 1, requests: 1}]
`

func TestRedacted(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"as it is": func(s string) string { return s },
		"crlf":     func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"bom":      func(s string) string { return "\ufeff" + s },
	} {
		t.Run(name, func(t *testing.T) {
			got := string(mustParse(t, change(secretive)).Redacted())
			if want := strings.TrimPrefix(change(redacted), "\ufeff"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestRedactedSecretsAreInThePlan(t *testing.T) {
	p, err := mustParse(t, secretive).Plan(func(string) (string, bool) { return "v", true })
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Cells[1].Load.Header; len(got) != 4 || got[0].Value != "it's hunter2" || got[3].Value != `a "hunter2" b` {
		t.Errorf("headers are %q", got)
	}
	if got, want := p.Cells[2].Load.URLs[0], "http://v:v@192.0.2.3/a.html"; got != want {
		t.Errorf("URL is %s, want %s", got, want)
	}
	if got, want := string(p.Cells[3].Load.Body), "{\"password\": \"hunter2\",\n  \"x\": \"hunter2\"}\n"; got != want {
		t.Errorf("body is %q, want %q", got, want)
	}
}
