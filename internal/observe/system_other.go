//go:build !unix

package observe

import "runtime"

func kernel() string { return runtime.GOOS + " " + runtime.GOARCH }

func openFiles() [2]uint64 { return [2]uint64{} }
