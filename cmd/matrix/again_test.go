package main

import "testing"

// The command that goes on with a run is one that a shell reads back.
func TestAgain(t *testing.T) {
	f := runFlags{results: "other dir", only: `S="a b"`, sets: []string{"x=$y"}}
	want := `matrix run 'a b.yaml' --resume 'other dir/n/1' --results 'other dir' --set 'x=$y' --only 'S="a b"'`
	if got := f.again("a b.yaml", "other dir/n/1"); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	if got, want := (runFlags{results: defaultResults}).again("n.yaml", "results/n/1"), "matrix run n.yaml --resume results/n/1"; got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}
