//go:build unix

package driver

import (
	"fmt"
	"syscall"
)

// beNice sets the nice level that what the calling thread starts will have. On
// Linux it is the thread's own; elsewhere that of this whole program.
func beNice(level int) error {
	if level == 0 {
		return nil
	}
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, level); err != nil {
		return fmt.Errorf("setting the nice level of the load generator to %d (below 0 is for root): %w", level, err)
	}
	return nil
}
