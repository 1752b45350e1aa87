package results

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
)

func TestWriteReplacesAndRepeats(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "published", "old-page")
	info := bench.RunInfo{ID: "published/old-page", Plan: bench.Plan{Title: "Old page", Rounds: 1}}
	record := bench.Record{Trial: bench.Trial{Cell: bench.Cell{Key: "OS=a"}, Round: 1}, State: bench.StateOK,
		AsPrinted: map[string]bench.Figure{"time_s": {Text: "3.8 = 6.3", Value: new(3.8)}, "errors": {}}}
	var first [2][]byte
	for i := range 2 {
		if err := Write(dir, info, []bench.Record{record}); err != nil {
			t.Fatal(err)
		}
		for j, name := range []string{headerName, journalName} {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && string(b) != string(first[j]) {
				t.Errorf("%s differs the second time", name)
			}
			first[j] = b
		}
	}
	run, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]bench.Record{record}, run.Records()); d != "" || run.Info().Plan.Title != "Old page" {
		t.Error(d, run.Info().Plan.Title)
	}
	if err := Write(dir, info, []bench.Record{{State: bench.StateOK}}); err == nil {
		t.Error("a record without a key was written")
	}
}
