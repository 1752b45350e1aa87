package poll

import "fmt"

func newNative(name string, c Config, handle func(Done)) (Poller, error) {
	if name == Epoll {
		return newEpoll(c, handle)
	}
	return nil, fmt.Errorf("back end %s: %w", name, ErrUnsupported)
}
