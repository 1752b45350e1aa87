package scenario

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"matrix/internal/unit"
)

// kind is how the text of a scalar becomes a value, what it is called in the
// reference and what the schema says of it.
type kind struct {
	words  string
	parse  func(text string) (any, error)
	schema any
}

func counts[T int | int64 | uint64](low, high T) kind {
	return kind{
		words: fmt.Sprintf("whole number, %d to %d", low, high),
		parse: func(text string) (any, error) {
			n, err := unit.ParseCount(text)
			switch {
			case errors.As(err, new(unit.TooLarge)):
				return nil, fmt.Errorf("%s is out of range: write a number from %d to %d", text, low, high)
			case err != nil:
				return nil, err
			case n < int64(low) || n > int64(high):
				return nil, fmt.Errorf("%d is out of range: write a number from %d to %d", n, low, high)
			}
			return T(n), nil
		},
		schema: either(map[string]any{"type": "integer", "minimum": low, "maximum": high}, matching(`^(0|[1-9][0-9]*)$`)),
	}
}

// niceLevels are the priorities of processes, the greatest for the nicest.
func niceLevels() kind {
	const low, high = -20, 19
	return kind{
		words: fmt.Sprintf("whole number, %d to %d", low, high),
		parse: func(text string) (any, error) {
			n, err := strconv.Atoi(text)
			if err != nil || strconv.Itoa(n) != text || n < low || n > high {
				return nil, fmt.Errorf("%q is no nice level: write a number from %d to %d", text, low, high)
			}
			return n, nil
		},
		schema: either(map[string]any{"type": "integer", "minimum": low, "maximum": high}, matching(`^(0|-?[1-9][0-9]?)$`)),
	}
}

// truths are the spellings of yes and no. YAML 1.1 and 1.2 differ in which of
// them are booleans; here all are.
var truths = map[string]bool{"true": true, "yes": true, "on": true, "false": false, "no": false, "off": false}

func truth() kind {
	return kind{
		words: "true or false",
		parse: func(text string) (any, error) {
			b, ok := truths[strings.ToLower(text)]
			if !ok {
				return nil, fmt.Errorf("%q is neither true nor false", text)
			}
			return b, nil
		},
		schema: either(map[string]any{"type": "boolean"}, matching(`^([Tt]rue|TRUE|[Yy]es|YES|[Oo]n|ON|[Ff]alse|FALSE|[Nn]o|NO|[Oo]ff|OFF)$`)),
	}
}

// maxDuration bounds every duration of a scenario.
const maxDuration = 7 * 24 * time.Hour

func durations(low time.Duration) kind {
	return kind{
		words: "duration, such as 500ms, 30s, 2m30s",
		parse: func(text string) (any, error) {
			d, err := unit.ParseDuration(text)
			switch {
			case err != nil:
				return nil, err
			case d < low:
				return nil, fmt.Errorf("%s is too short: write %s or more", text, low)
			case d > maxDuration:
				return nil, fmt.Errorf("%s is longer than a week", text)
			}
			return d, nil
		},
		schema: either(map[string]any{"const": 0}, matching(`^(0|((0|[1-9][0-9]*)(\.[0-9]+)?(ns|us|µs|μs|ms|s|m|h))+)$`)),
	}
}

func rates() kind {
	return kind{
		words: "number above 0",
		parse: func(text string) (any, error) {
			f, err := unit.ParseNumber(text)
			if errors.As(err, new(unit.Octal)) {
				return nil, err
			}
			if err != nil || !(f > 0) || math.IsInf(f, 0) {
				return nil, fmt.Errorf("%q is not a number above 0: write requests each second, such as 500 or 0.5", text)
			}
			if f > 1e8 {
				return nil, fmt.Errorf("%s is out of range: write a rate up to 100000000", text)
			}
			return f, nil
		},
		schema: either(map[string]any{"type": "number", "exclusiveMinimum": 0, "maximum": 1e8}, matching(`^(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)),
	}
}

func sizes(high int64) kind {
	return kind{
		words: "size, such as 1500, 1.5kB (1000), 64KiB (1024)",
		parse: func(text string) (any, error) {
			n, err := unit.ParseBytes(text)
			if err == nil && n > high {
				err = fmt.Errorf("%s is out of range: write up to %d", text, high)
			}
			return n, err
		},
		schema: either(map[string]any{"type": "integer", "minimum": 0}, matching(`^(0|[1-9][0-9]*)(\.[0-9]+)? *(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)?$`)),
	}
}

func oneOf[T ~string](choices ...T) kind {
	list := make([]string, len(choices))
	for i, c := range choices {
		list[i] = string(c)
	}
	return kind{
		words: "one of " + strings.Join(list, ", "),
		parse: func(text string) (any, error) {
			for _, c := range choices {
				if string(c) == text {
					return c, nil
				}
			}
			return nil, fmt.Errorf("%q is not one of %s%s", text, strings.Join(list, ", "), didYouMean(text, list))
		},
		schema: map[string]any{"enum": list},
	}
}

// texts takes any text; check, when not nil, refuses some.
func texts(words string, check func(string) error) kind {
	return kind{
		words: words,
		parse: func(text string) (any, error) {
			if check != nil {
				if err := check(text); err != nil {
					return nil, err
				}
			}
			return text, nil
		},
		schema: scalarSchema(),
	}
}

func isMethod(text string) error {
	for _, c := range text {
		if (c < 'A' || c > 'Z') && c != '-' {
			return fmt.Errorf("%q is not an HTTP method: write capital letters, such as GET", text)
		}
	}
	return bounded(text, 1, 32)
}

func isPath(text string) error {
	if strings.ContainsRune(text, 0) {
		return errors.New("a path cannot hold a NUL byte")
	}
	return bounded(text, 1, 4096)
}

func bounded(text string, low, high int) error {
	if len(text) < low {
		return errors.New("the text is empty: write one, or leave the key out")
	}
	if len(text) > high {
		return fmt.Errorf("the text is %d bytes long: at most %d are allowed", len(text), high)
	}
	return nil
}

// canonical is the text by which two values are compared: numbers by value,
// durations in one spelling.
func canonical(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

func either(schemas ...any) map[string]any { return map[string]any{"anyOf": schemas} }

func matching(pattern string) map[string]any {
	return map[string]any{"type": "string", "pattern": pattern}
}

// scalarSchema allows whatever YAML makes of a plain word: labels and texts
// keep their source text, so 7.0 and No are as good as quoted.
func scalarSchema() map[string]any {
	return map[string]any{"type": []string{"string", "number", "boolean"}}
}
