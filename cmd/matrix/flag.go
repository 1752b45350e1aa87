package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"matrix/internal/unit"
)

// value is a flag whose text is read as the same text in a scenario is: pflag's own
// numbers take 010 for 8, and 0x10 and 1_000.
type value[T any] struct {
	to    *T
	kind  string // in the help text
	parse func(string) (T, error)
	show  func(T) string
}

func (v value[T]) Set(text string) (err error) {
	parsed, err := v.parse(text)
	if err == nil {
		*v.to = parsed
	}
	return err
}
func (v value[T]) String() string {
	if v.to == nil { // of the zero value, which pflag makes to compare with
		return ""
	}
	return v.show(*v.to)
}
func (v value[T]) Type() string { return v.kind }

// countFlag is a whole number, 0 or more, whose value stands in to.
func countFlag[T int | int64 | uint64](s *pflag.FlagSet, to *T, name, short string, usual T, usage string) {
	*to = usual
	s.VarP(value[T]{to, "count", func(text string) (T, error) {
		n, err := unit.ParseCount(text)
		if err == nil && int64(T(n)) != n {
			err = fmt.Errorf("%s is out of range", text)
		}
		return T(n), err
	}, func(n T) string { return fmt.Sprint(n) }}, name, short, usage)
}

// numberFlag is a number, 0 or more, whose value stands in to.
func numberFlag(s *pflag.FlagSet, to *float64, name, short string, usual float64, usage string) {
	*to = usual
	s.VarP(value[float64]{to, "number", func(text string) (float64, error) {
		v, err := unit.ParseNumber(text)
		if err != nil && !errors.As(err, new(unit.Octal)) {
			err = fmt.Errorf("%q is not a number: write one such as 0.5 or 500", text)
		}
		return v, err
	}, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }}, name, short, usage)
}

// durationFlag is a duration, 0 or more, whose value stands in to.
func durationFlag(s *pflag.FlagSet, to *time.Duration, name string, usual time.Duration, usage string) {
	*to = usual
	s.Var(value[time.Duration]{to, "duration", unit.ParseDuration, func(d time.Duration) string {
		if d == 0 {
			return "0" // which help texts leave out
		}
		return unit.Span(d)
	}}, name, usage)
}
