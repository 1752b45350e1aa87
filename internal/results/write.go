package results

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"matrix/internal/bench"
	"matrix/internal/file"
)

// Write makes dir the folder of a run that was measured elsewhere, such as a
// published one: header and journal, each whole or not at all. Unlike Create it
// takes the folder and the ID of info as they are; a run that dir held before is
// replaced. The same run gives the same bytes.
func Write(dir string, info bench.RunInfo, records []bench.Record) error {
	info.Version = format
	header, err := encodeHeader(info)
	if err != nil {
		return err
	}
	var journal bytes.Buffer
	for _, r := range records {
		line, _, err := encode(r)
		if err != nil {
			return err
		}
		journal.Write(line)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("creating run: %w", err)
	}
	for name, text := range map[string][]byte{headerName: header, journalName: journal.Bytes()} {
		if err := file.Write(filepath.Join(dir, name), text); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}
