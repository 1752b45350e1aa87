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

// refuseNative says what of a load several generators cannot do.
func refuseNative(l bench.Load) error {
	r := refusal{tool: "native"}
	r.cannot(l.Generators > l.Conns, "%d generators cannot share %d connections", l.Generators, l.Conns)
	r.cannot(l.Requests > 0 && int64(l.Generators) > l.Requests, "%d generators cannot share %d requests", l.Generators, l.Requests)
	return r.err()
}

// Run makes the load within this process, or where several generators or another
// nice level are asked for, in others.
func (native) Run(ctx context.Context, t bench.Trial, _ io.Writer) (bench.Measurement, error) {
	l := t.Cell.Load
	if l.Generators <= 1 && l.Nice == 0 {
		return load.Run(ctx, l)
	}
	if err := refuseNative(l); err != nil {
		return bench.Measurement{}, err
	}
	return generate(ctx, l)
}
