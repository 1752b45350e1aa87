package export

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

func entry(name, text string, at time.Time) Entry {
	return Entry{Name: name, Modified: at, Write: func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}}
}

func TestBundleReadsBack(t *testing.T) {
	entries := []Entry{entry("report.txt", "a table", start), entry("raw/x.txt", "", start), entry("old", "x", time.Time{})}
	var one, two bytes.Buffer
	for _, out := range []*bytes.Buffer{&one, &two} {
		if err := Bundle(out, entries); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the same data gave other bytes")
	}
	z, err := zip.NewReader(bytes.NewReader(one.Bytes()), int64(one.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		name, text string
		at         time.Time
	}{{"report.txt", "a table", start}, {"raw/x.txt", "", start}, {"old", "x", time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}} {
		f := z.File[i]
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil || f.Name != want.name || string(text) != want.text || !f.Modified.Equal(want.at) || f.Mode() != 0o644 {
			t.Errorf("%s of %v, %v: %q, %v; want %+v", f.Name, f.Modified, f.Mode(), text, err, want)
		}
	}
}

func TestBundleRefusesNamesThatLeadOut(t *testing.T) {
	for _, name := range []string{"", ".", "/etc/passwd", "../x", "raw/../../x", `..\x`, "c:x", "raw//x", "raw/"} {
		if err := Bundle(io.Discard, []Entry{entry(name, "", start)}); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
}

func TestBundleTellsErrors(t *testing.T) {
	if err := Bundle(brokenPipe{}, []Entry{entry("x", "y", start)}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("of the writer: %v", err)
	}
	gone := Entry{Name: "x", Write: func(io.Writer) error { return os.ErrNotExist }}
	if err := Bundle(io.Discard, []Entry{gone}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of an entry: %v", err)
	}
}
