//go:build !linux

package poll

import (
	"context"
	"syscall"
)

func bindLate(bool, int) func(context.Context, string, string, syscall.RawConn) error { return nil }
