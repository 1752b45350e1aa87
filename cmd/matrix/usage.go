package main

import (
	"errors"
	"strings"

	"matrix/internal/scenario"
)

// isUsage tells cobra's own complaints about the command line, which have no
// type of their own, from other errors.
func isUsage(err error) bool {
	for _, start := range []string{"unknown command", "unknown flag", "unknown shorthand", "accepts ", "requires at least", "required flag", "if any flags in the group"} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}

// collect adds the problems of a scenario to all and returns any other error.
func collect(all *scenario.Problems, err error) error {
	var problems scenario.Problems
	if errors.As(err, &problems) {
		*all = append(*all, problems...)
		return nil
	}
	return err
}
