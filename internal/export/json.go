package export

import (
	"encoding/json"
	"fmt"
	"io"

	"matrix/internal/table"
)

// JSON writes the whole report: title, tables, notes, conditions, the header of
// the run and every record. Counters are integers of up to 64 bits, figures
// that were not measured are absent, and <, > and & are escaped, so that the
// text may stand within a page. Links are left out: they are of the page, and
// tell where it stands.
func JSON(w io.Writer, r *table.Report) error {
	unlinked := *r
	unlinked.Links = nil
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(&unlinked); err != nil {
		return fmt.Errorf("writing json: %w", err)
	}
	return nil
}
