package results

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Stamp is a text that changes whenever header or journal of the run in dir do:
// of their sizes and the times when they were last written to, without reading
// them. It is for telling whether something made from a run is stale.
func Stamp(dir string) string {
	var parts []string
	for _, name := range []string{headerName, journalName} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			parts = append(parts, name+" none")
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %d %d", name, info.Size(), info.ModTime().UnixNano()))
	}
	return strings.Join(parts, ", ")
}
