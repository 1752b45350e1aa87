package driver

import (
	"context"
	"io"
	"runtime"

	"matrix/internal/bench"
	"matrix/internal/load"
)

// native is the engine of this program.
type native struct{}

// Check always succeeds: the engine is part of the program, so its version is
// that of the toolchain and platform it was built for.
func (native) Check(context.Context) (string, error) {
	return runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH, nil
}

func (native) Run(ctx context.Context, t bench.Trial, _ io.Writer) (bench.Measurement, error) {
	return load.Run(ctx, t.Cell.Load)
}
