package scenario

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const long = `title: Long
files: {a: 1, b: 2}
systems:
  - {labels: {n: x}, server: embedded}
  - {labels: {n: y}, server: embedded, duration: 10m, keep_alive: true}
load: {concurrency: [1, 10], duration: [60s, 300s]}
grid:
  - file: a
  - {zip: {file: [a, b], concurrency: [2, 3]}, duration: 1h}
exclude:
  - {duration: 1h, file: b}
`

func TestSet(t *testing.T) {
	for _, c := range []struct{ sets, want []string }{
		{[]string{"duration=2s"}, []string{
			"n=x,file=a,concurrency=1,duration=2s", "n=x,file=a,concurrency=10,duration=2s", "n=x,file=a,concurrency=2,duration=2s", "n=x,file=b,concurrency=3,duration=2s",
			"n=y,file=a,concurrency=1,duration=2s", "n=y,file=a,concurrency=10,duration=2s", "n=y,file=a,concurrency=2,duration=2s", "n=y,file=b,concurrency=3,duration=2s"}},
		{[]string{"file=b", "duration=[1s, 2s]", "concurrency=[4, 5]"}, nil}, // the block and the zip become the same points
		{[]string{"concurrency = [4, 5]"}, []string{ // in a zip, as many as the others
			"n=x,file=a,concurrency=4,duration=60s", "n=x,file=a,concurrency=4,duration=300s", "n=x,file=a,concurrency=5,duration=60s", "n=x,file=a,concurrency=5,duration=300s", "n=x,file=a,concurrency=4,duration=1h",
			"n=y,file=a,concurrency=4,duration=10m", "n=y,file=a,concurrency=5,duration=10m", "n=y,file=a,concurrency=4,duration=1h"}},
	} {
		if c.want == nil {
			_, err := ParseSet("l.yaml", []byte(long), testKnown, settings(t, c.sets...))
			if !errors.As(err, new(Problems)) {
				t.Errorf("%s: %v", c.sets, err)
			}
			continue
		}
		s, err := ParseSet("l.yaml", []byte(long), testKnown, settings(t, c.sets...))
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Plan(nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range p.Cells {
			got = append(got, string(x.Key))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s", c.sets, strings.Join(got, "\n"))
		}
	}
}

// TestSetIsTold: what is kept of the scenario says what was replaced, reads again
// as the scenario that it was, and its digest is another.
func TestSetIsTold(t *testing.T) {
	plain, err := Parse("l.yaml", []byte(long), testKnown)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ParseSet("l.yaml", []byte(long), testKnown, settings(t, "duration=2s", "keep_alive=false"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(s.Redacted()); got != "# --set duration=2s\n# --set keep_alive=false\n"+long {
		t.Errorf("kept is\n%s", got)
	}
	if s.plan.Digest == plain.plan.Digest {
		t.Error("the digest is the same")
	}
	same, err := ParseSet("l.yaml", []byte(long), testKnown, nil)
	if err != nil || same.plan.Digest != plain.plan.Digest || string(same.Redacted()) != long {
		t.Errorf("%v", err)
	}
}

func TestSetRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"duration":         `"duration" is no setting: write NAME=VALUE, such as duration=2s`,
		"=3":               `"=3" is no setting`,
		"durations=2s":     `there is no load setting "durations"; did you mean duration?`,
		"headers=a":        "headers is no single value",
		"duration=":        "duration has no value",
		"duration={a: b}":  "duration takes a value or a list",
		"duration=1s\n2s":  "duration has no value",
		"requests=5":       "requests=5 replaces nothing: the scenario l.yaml does not say requests",
		"duration=2":       "l.yaml:6:40: duration: \"2\" is not a duration",
		"keep_alive=maybe": "l.yaml:5:67: keep_alive: \"maybe\" is neither true nor false",
		"file=[a, b, a]":   "file a stands twice in this list",
	} {
		x, err := ReadSetting(text)
		if err == nil {
			_, err = ParseSet("l.yaml", []byte(long), testKnown, []Setting{x})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func settings(t *testing.T, texts ...string) (list []Setting) {
	t.Helper()
	for _, text := range texts {
		x, err := ReadSetting(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, x)
	}
	return list
}

func TestASettingIsSetOnce(t *testing.T) {
	_, err := ParseSet("l.yaml", []byte(long), testKnown, settings(t, "duration=2s", "concurrency=1", "duration=3s"))
	if want := "duration is set twice: give it one value, or of an axis a list, duration=[1, 10]"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
