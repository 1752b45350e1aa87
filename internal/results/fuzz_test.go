package results

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// FuzzJournal reads a stranger's journal. Whatever is in it, the bytes up to
// the tear are whole lines, each a record that can be written and read again,
// and a record appended behind them is read as one more.
func FuzzJournal(f *testing.F) {
	line, _, err := encode(record("c=1", 1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(""))
	f.Add(line)
	f.Add(append(bytes.Clone(line), line[:40]...))
	f.Add(append(bytes.Clone(line), "garbage\n"...))
	f.Add([]byte(`{"cell":{"key":"a"},"round":1,"state":"ok","measurement":{"failed":{"reset":3}}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := readJournal(bytes.NewReader(text), "journal")
		if s.whole < 0 || s.whole > int64(len(text)) {
			t.Fatalf("%d whole bytes of %d", s.whole, len(text))
		}
		whole := text[:s.whole]
		if n := bytes.Count(whole, []byte("\n")); n != len(s.records)+len(s.broken) {
			t.Fatalf("%d records and %d broken lines from %d lines", len(s.records), len(s.broken), n)
		}
		if err == nil && s.whole+s.torn != int64(len(text)) {
			t.Fatalf("%d whole and %d torn bytes of %d", s.whole, s.torn, len(text))
		}
		var again []byte
		for _, r := range s.records {
			line, _, err := encode(r)
			if err != nil {
				return // a stranger's times or numbers may not be writable; reading them is enough
			}
			if ok, err := unseal(line); !ok || err != nil {
				t.Fatalf("a line that was written is not sealed: %v\n%s", err, line)
			}
			back, err := decode(line)
			if err != nil {
				t.Fatalf("a record does not read back: %v\n%s", err, line)
			}
			twice, _, err := encode(back)
			if err != nil || !bytes.Equal(line, twice) {
				t.Fatalf("a record changes when written again: %v\n%s\n%s", err, line, twice)
			}
			again = append(again, line...)
		}
		next := record("next", 1)
		next.Started = time.Unix(0, 0).UTC()
		line, _, err := encode(next)
		if err != nil {
			t.Fatal(err)
		}
		longer, err := readJournal(bytes.NewReader(append(bytes.Clone(whole), line...)), "journal")
		if err != nil || len(longer.records) != len(s.records)+1 {
			t.Fatalf("after appending: %d records of %d, %v", len(longer.records), len(s.records)+1, err)
		}
		if diff := cmp.Diff(ids(s.records), ids(longer.records[:len(s.records)])); diff != "" {
			t.Fatal(diff)
		}
		if s, err = readJournal(bytes.NewReader(again), "journal"); err != nil || s.torn != 0 || len(s.broken) != 0 {
			t.Fatalf("written again: %v, broken %v", err, s.broken)
		}
	})
}
