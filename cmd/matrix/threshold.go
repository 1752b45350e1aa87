package main

import (
	"fmt"

	"matrix/internal/unit"
)

// readThreshold reads the flag --threshold, a percentage from 0 to 1000, as a
// share; usual is the example that a mistake names.
func readThreshold(text, usual string) (share float64, err error) {
	percent, err := unit.ParsePercent(text)
	if err != nil || !(percent >= 0 && percent <= 1000) {
		return 0, fmt.Errorf("--threshold %q is not a percentage such as %s", text, usual)
	}
	return percent / 100, nil
}
