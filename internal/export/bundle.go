package export

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

// Entry is a file of a bundle.
type Entry struct {
	Name     string    // with slashes, relative; see fs.ValidPath
	Modified time.Time // of the run, so that the same run gives the same bytes
	Write    func(io.Writer) error
}

// earliest is the first moment that a zip file can tell.
var earliest = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Bundle writes the entries in their order as one zip file; none is held whole in
// memory here. Its errors are those of the writer and of the entries, and a name
// that would lead out of the folder that the zip is unpacked to.
func Bundle(w io.Writer, entries []Entry) error {
	z := zip.NewWriter(w)
	for _, e := range entries {
		if e.Name == "." || !fs.ValidPath(e.Name) || strings.ContainsAny(e.Name, `\:`) {
			return fmt.Errorf("writing bundle: %q is no name of a file in it", e.Name)
		}
		modified := e.Modified.UTC()
		if modified.Before(earliest) {
			modified = earliest
		}
		header := &zip.FileHeader{Name: e.Name, Method: zip.Deflate, Modified: modified}
		header.SetMode(0o644)
		out, err := z.CreateHeader(header)
		if err == nil {
			err = e.Write(out)
		}
		if err != nil {
			return fmt.Errorf("writing %s of the bundle: %w", e.Name, err)
		}
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("writing bundle: %w", err)
	}
	return nil
}
