package poll

func newNative(name string, c Config, handle func(Done)) (Poller, error) {
	if name == Epoll {
		return newEpoll(c, handle)
	}
	return newUring(c, handle)
}
