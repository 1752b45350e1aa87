package main

import (
	"fmt"
	"strconv"
	"strings"
)

// readThreshold reads the flag --threshold, a percentage from 0 to 1000, as a
// share; usual is the example that a mistake names.
func readThreshold(text, usual string) (share float64, err error) {
	digits, isPercent := strings.CutSuffix(text, "%")
	percent, err := strconv.ParseFloat(digits, 64)
	if err != nil || !isPercent || !(percent >= 0 && percent <= 1000) {
		return 0, fmt.Errorf("--threshold %q is not a percentage such as %s", text, usual)
	}
	return percent / 100, nil
}
