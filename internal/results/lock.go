package results

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/gofrs/flock"
)

var holderText = regexp.MustCompile(`^process \d{1,10}\n?$`)

// take locks the run's folder for this process. The lock goes with the process,
// however it ends; the lock file stays, and tells whose it was last.
func (r *Run) take() error {
	path := filepath.Join(r.dir, lockName)
	lock := flock.New(path)
	ok, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("locking run: %w", err)
	}
	if !ok {
		return fmt.Errorf("locking run: %s is being written by another matrix%s; wait for it or end it first", r.dir, holder(path))
	}
	// Only a help for whoever is refused: not being able to write it is no fault.
	_ = os.WriteFile(path, fmt.Appendf(nil, "process %d\n", os.Getpid()), 0o644)
	r.lock = lock
	return nil
}

func holder(path string) string {
	text, err := os.ReadFile(path)
	if err != nil || !holderText.Match(text) {
		return ""
	}
	return " (" + string(text[:len(text)-1]) + ")"
}
