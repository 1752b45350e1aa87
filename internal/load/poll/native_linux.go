package poll

import "fmt"

func newNative(name string, c Config, handle func(Done)) (Poller, error) {
	return nil, fmt.Errorf("back end %s: %w", name, ErrUnsupported)
}
