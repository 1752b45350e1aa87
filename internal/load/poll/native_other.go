//go:build !linux

package poll

import "fmt"

func newNative(name string, _ Config, _ func(Done)) (Poller, error) {
	return nil, fmt.Errorf("back end %s: %w", name, ErrUnsupported)
}
