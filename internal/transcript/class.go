package transcript

import (
	"matrix/internal/bench"
)

// systemErrors sorts what the system's libraries call errors, for tools that
// print no number beside the words.
var systemErrors = []struct {
	words pattern
	class bench.Failure
}{
	{lazily(`(?i)connection refused|no route to host|(?:network|host) is (?:unreachable|down)`), bench.Connect},
	{lazily(`(?i)connection reset|connection (?:closed|aborted)`), bench.Reset},
	{lazily(`(?i)timed out`), bench.Timeout},
	{lazily(`(?i)broken pipe`), bench.Write},
	{lazily(`(?i)too many open files|cannot assign requested address|can't assign requested address|no buffer space|cannot allocate memory|address already in use|unknown host|name or service not known|name resolution|no address associated`), bench.Client},
}

// classOf sorts an error by its words; false for words that are none of those.
func classOf(words string) (bench.Failure, bool) {
	for _, e := range systemErrors {
		if e.words().MatchString(words) {
			return e.class, true
		}
	}
	return "", false
}
