package scenario

import "testing"

func TestAPortThatTheRunnerChoosesMayStandInReady(t *testing.T) {
	const src = `
files: {small: 1kB}
systems:
  - labels: {S: python}
    server: {kind: command, argv: [python3, -m, http.server, "{port}"], ready: "http://127.0.0.1:{port}/x/"}
grid: [{file: small, concurrency: 1, requests: 1}]
`
	s, err := Parse("port.yaml", []byte(src), testKnown)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Systems[0].Server.Ready, "http://127.0.0.1:{port}/x/"; got != want {
		t.Errorf("ready %q, want %q", got, want)
	}
}
