package scenario

import (
	"slices"
	"strings"
	"testing"

	"matrix/internal/bench"
)

const filtered = `files: {small: 1kB, large: 100kB}
systems:
  - {labels: {OS: Red Hat 7.0, v: "a,b"}, server: embedded}
  - {labels: {OS: FreeBSD, Tuned: ""}, server: nginx, timeout: 60s}
load: {driver: [native, ab], concurrency: [1, 10, 150], protocol: HTTP/1.0}
grid: [{file: [small, large], requests: 1000}, {file: small, duration: 60s}]
`

func TestOnly(t *testing.T) {
	plan, err := mustParse(t, filtered).Plan(nil)
	if err != nil || len(plan.Cells) != 2*3*2*3 {
		t.Fatalf("%v, %d cells", err, len(plan.Cells))
	}
	tests := []struct {
		filter                string
		cells, systems, files int
	}{
		{"", 36, 2, 2},
		{"  ", 36, 2, 2},
		{"OS='Red Hat 7.0'", 18, 1, 2},
		{`OS="Red Hat 7.0" concurrency=10,150 driver=ab`, 6, 1, 2},
		{`O'S'=FreeBSD,"Red Hat 7.0" file=large`, 12, 2, 1},
		{"duration=1m", 12, 2, 1},
		{"duration=60s timeout=1m", 6, 1, 1},
		{"requests=1000 keep_alive=no", 24, 2, 2},
		{"v='a,b' protocol=HTTP/1.0", 18, 1, 2},
		{"Tuned=''", 18, 1, 2},
		{"concurrency=10 concurrency=10,1", 12, 2, 2},
	}
	for _, test := range tests {
		got, err := Only(plan, test.filter)
		if err != nil {
			t.Errorf("%s: %v", test.filter, err)
			continue
		}
		if len(got.Cells) != test.cells || len(got.Systems) != test.systems || len(got.Files) != test.files {
			t.Errorf("%s: %d cells, %d systems, %d files; want %v", test.filter, len(got.Cells), len(got.Systems), len(got.Files), test)
		}
		for _, c := range got.Cells {
			if !slices.Equal(got.Systems[c.System].Labels, c.Labels) {
				t.Errorf("%s: cell %s points to system %s", test.filter, c.Key, got.Systems[c.System].ID())
			}
			if !slices.ContainsFunc(plan.Cells, func(b bench.Cell) bool { return b.Key == c.Key && b.Digest == c.Digest }) {
				t.Errorf("%s: cell %s is not of the plan", test.filter, c.Key)
			}
		}
	}
	if len(plan.Cells) != 36 || len(plan.Systems) != 2 {
		t.Error("the plan was changed")
	}
}

func TestOnlyRefuses(t *testing.T) {
	plan, err := mustParse(t, filtered).Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	for filter, want := range map[string]string{
		"os=FreeBSD":                  `"os" is no label and no setting of this scenario; did you mean OS?`,
		"OS=FreeBDS":                  "no cell has OS=FreeBDS; did you mean FreeBSD?",
		"concurrency=15":              "no cell has concurrency=15: there is 1, 10 and 150",
		"concurrency=010":             `concurrency: "010" begins with a 0, which YAML may read as octal: write 10`,
		"keep_alive=maybe":            `keep_alive: "maybe" is neither true nor false`,
		"file=small,huge":             "no cell has file=huge: there is large and small",
		"timeout=1m OS='Red Hat 7.0'": "no cell has all of timeout=1m OS='Red Hat 7.0'",
		"driver":                      `reading the filter: "driver" has no =: write name=value`,
		"driver=":                     "reading the filter: driver= has an empty value: write one, or '' for the empty text",
		"OS='Red":                     "reading the filter: a quote (') is not closed",
		"headers=x":                   `"headers" is no label and no setting of this scenario`,
	} {
		if _, err := Only(plan, filter); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error is %v, want %s", filter, err, want)
		}
	}
}

func FuzzOnly(f *testing.F) {
	f.Add("OS='Red Hat 7.0' concurrency=10,150")
	f.Add(`a=b,c "d=e"=,f`)
	s, err := Parse("x.yaml", []byte(filtered), testKnown)
	if err != nil {
		f.Fatal(err)
	}
	plan, err := s.Plan(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, filter string) {
		got, err := Only(plan, filter)
		if err != nil {
			return
		}
		if len(got.Cells) == 0 || len(got.Cells) > len(plan.Cells) || len(got.Systems) == 0 {
			t.Errorf("%q keeps %d cells of %d systems", filter, len(got.Cells), len(got.Systems))
		}
	})
}
