//go:build !unix

package load

func fileLimit(int) uint64 { return 1 << 20 }

func limitFiles(*run) (restore func(), err error) { return func() {}, nil }

func usage() (user, system float64, rss int64) { return 0, 0, 0 }
