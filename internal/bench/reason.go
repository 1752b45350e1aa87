package bench

import (
	"fmt"
	"regexp"
)

// GivenUp is the reason of a trial whose system could not be brought up so many
// times before, and was not tried again.
func GivenUp(reason string, times int) string {
	return fmt.Sprintf("%s (not tried again after %d times)", reason, times)
}

var givenUp = regexp.MustCompile(` \(not tried again after [0-9]+ times\)$`)

// First is the reason that the system of a trial was given up for, and whether it
// was: of any other trial its own.
func First(reason string) (first string, up bool) {
	first = givenUp.ReplaceAllString(reason, "")
	return first, first != reason
}
