package transcript

import (
	"regexp"
	"sync"
)

// pattern is a regular expression, compiled when it is first asked for.
type pattern func() *regexp.Regexp

// lazily returns a regular expression that is compiled when it is first asked
// for: there are some sixty, and most runs of the program need none of them.
func lazily(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
