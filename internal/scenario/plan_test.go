package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
)

const small = `title: T
files: {a: 1kB, set: {size: 10, count: 3}}
systems: [{labels: {n: x}, url: "http://192.0.2.1/base/"}, {labels: {n: y}, server: embedded}]
load: {headers: {A: b}, body: c, method: GET}
grid: [{file: a, concurrency: 2, requests: 10}, {file: set, concurrency: 1, requests: 10, check_length: true, check_content: 5}]
`

func planOf(t *testing.T, src string) *bench.Plan {
	t.Helper()
	p, err := mustParse(t, src).Plan(testEnv)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanLoad(t *testing.T) {
	p := planOf(t, small)
	want := bench.Load{
		URLs:   []string{"http://192.0.2.1/base/set/0.html", "http://192.0.2.1/base/set/1.html", "http://192.0.2.1/base/set/2.html"},
		Method: "GET", Header: []bench.Header{{Name: "A", Value: "b"}}, Body: []byte("c"), Protocol: bench.HTTP11,
		Conns: 1, Requests: 10, Timeout: 30 * time.Second, Seed: 1,
		Expect: bench.Expect{SampleOne: 5, Length: map[string]int64{"/base/set/0.html": 10, "/base/set/1.html": 10, "/base/set/2.html": 10}},
	}
	if diff := cmp.Diff(want, p.Cells[1].Load); diff != "" {
		t.Error(diff)
	}
	if got := p.Cells[0].Load.Expect; got.Length != nil {
		t.Errorf("a running system's lengths are expected without being asked for: %v", got)
	}
	if got := p.Cells[2].Load; got.URLs != nil || got.Expect.Length["/a.html"] != 1000 {
		t.Errorf("a server's load has URLs %v and expects %v", got.URLs, got.Expect)
	}
}

func TestDigest(t *testing.T) {
	before := planOf(t, small).Cells[0]
	for change, differs := range map[string]bool{
		"title: T=>title: U": false,
		"{n: y}=>{n: z}":     false,
		"requests: 10}, {=>requests: 10}, {think: 1s, ": false,
		"{A: b}=>{A: c}":                        true,
		"body: c=>body: ''":                     true,
		"method: GET=>method: PUT":              true,
		"a: 1kB=>a: 2kB":                        true,
		"192.0.2.1=>192.0.2.2":                  true,
		"load: {=>load: {insecure: yes, ":       true,
		"load: {=>load: {check_length: yes, ":   true,
		"load: {=>load: {check_content: 2, ":    true,
		"load: {=>seed: 7\nload: {":             true,
		"load: {=>load: {limit: 5s, ":           true,
		"load: {=>load: {expect_failure: yes, ": false,
		"load: {=>rounds: {max: 9, until: 5%}\nbudget: 1h\ncool_down: on\nwarmup_trials: 1\nlimits: [{metric: time_s, max: 1}]\norder: random\nload: {": false,
	} {
		from, to, _ := strings.Cut(change, "=>")
		if !strings.Contains(small, from) {
			t.Fatalf("%q is not in the scenario", from)
		}
		after := planOf(t, strings.Replace(small, from, to, 1)).Cells[0]
		if got := after.Digest != before.Digest; got != differs {
			t.Errorf("%s: digest differs: %v, want %v", change, got, differs)
		}
		if after.Key != before.Key {
			t.Errorf("%s: the key became %s", change, after.Key)
		}
	}
	if a, b := planOf(t, small), planOf(t, small+"# comment\n"); a.Digest == b.Digest {
		t.Error("the plan's digest is of the file as read")
	}
}

func TestExplain(t *testing.T) {
	s := mustParse(t, `files: {a: 1}
systems: [{labels: {n: x}, server: embedded, timeout: 2s}, {labels: {n: y}, server: embedded}]
load:
  timeout: 1s
  driver: ab
grid:
  - {file: a, concurrency: [1, 2], requests: 10}
  - {file: a, concurrency: 3, requests: 10, timeout: 3s, driver: native}
`)
	var got []Origin
	for _, o := range s.Explain() {
		if o.Setting == "timeout" || o.Setting == "driver" {
			got = append(got, o)
		}
	}
	want := []Origin{
		{"driver", "native", "grid", 8, 2}, {"driver", "ab", "load", 5, 4},
		{"timeout", "3s", "grid", 8, 2}, {"timeout", "2s", "system", 2, 2}, {"timeout", "1s", "load", 4, 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTemplate(t *testing.T) {
	if p := planOf(t, string(Template())); len(p.Cells) != 8 {
		t.Errorf("the template has %d cells, want 8", len(p.Cells))
	}
}

func TestShipped(t *testing.T) {
	for name, cells := range map[string]int{"quickstart": 12, "freebsd-vs-redhat": 54, "nginx-apache-lighttpd": 162} {
		path := filepath.Join("../../scenarios", name+".yaml")
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(path, src, testKnown)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Plan(testEnv)
		if err != nil {
			t.Fatal(err)
		}
		unique(t, p)
		if len(p.Cells) != cells || p.Scenario != name || len(s.Notices()) > 0 {
			t.Errorf("%s: %d cells of %s, want %d; notices %v", path, len(p.Cells), p.Scenario, cells, s.Notices())
		}
		if !strings.HasPrefix(string(src), "# yaml-language-server: $schema=./scenario.schema.json\n") {
			t.Errorf("%s: editors find no schema in its first line", path)
		}
	}
}

// TestPublishedPoints holds the scenario against the page's first table.
func TestPublishedPoints(t *testing.T) {
	for _, name := range []string{"freebsd-vs-redhat", "nginx-apache-lighttpd"} {
		src, err := os.ReadFile(filepath.Join("../../scenarios", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, c := range planOf(t, string(src)).Cells {
			if c.System == 0 && c.Driver == "native" {
				_, n := c.Budget()
				got.WriteString(strings.Join([]string{c.File.Name, canonical(c.Load.Conns), n}, " ") + "\n")
			}
		}
		want, err := os.ReadFile("testdata/points.txt")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-page +scenario):\n%s", name, diff)
		}
	}
}

// TestVariableWithoutBraces: it would be a host's name that nobody has.
func TestVariableWithoutBraces(t *testing.T) {
	_, err := Parse("x.yaml", []byte("files: {a: 1}\nsystems: [{labels: {n: a}, url: http://$HOST/}]\ngrid: [{file: a, concurrency: 1, requests: 1}]\n"), testKnown)
	if err == nil || !strings.Contains(err.Error(), "write ${NAME} for a variable of the environment") {
		t.Error(err)
	}
}

// TestVariableThatIsNotSet: item 18: the example is what the variable stands for,
// and a scenario that is only checked is whole with it.
func TestVariableThatIsNotSet(t *testing.T) {
	for url, want := range map[string]string{
		"${X}":                      "http://host/",
		"${X}/files/":               "http://host",
		"${X}:8080/":                "http://host",
		"${X}files/":                "http://host/",
		"${X}://192.0.2.1/":         "http",
		"http://${X}:1/":            "host",
		"http://${X}/":              "host",
		"http://u:p@${X}/":          "host",
		"http://192.0.2.1:${X}/":    "8080",
		"http://u:p@192.0.2.1:${X}": "8080",
		"http://web${X}.example/":   "1",
		"http://192.0.2.1:80${X}/":  "1",
		"http://192.0.2.1/${X}/":    "...",
		"http://${X}:p@192.0.2.1/":  "...",
		"http://u:${X}@192.0.2.1/":  "...",
	} {
		s := mustParse(t, "files: {a: 1}\nsystems: [{labels: {n: a}, url: '"+url+"', headers: {Y: '${Z}'}}]\ngrid: [{file: a, concurrency: 1, requests: 1}]\n")
		_, err := s.Plan(nil)
		if err == nil || !strings.Contains(err.Error(), "environment variable X is not set: export X="+want+"\n") {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
		if _, err := s.Check(nil); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
}
