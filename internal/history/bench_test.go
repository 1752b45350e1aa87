package history

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkLoad reads 1000 nights of 300 cells from their indexes; with
// MATRIX_HISTORY_ROUNDS=3 (and minutes of time) it also makes these of journals
// with distributions, as a first look at an old results folder does.
func BenchmarkLoad(b *testing.B) {
	g := slower(300, 500)
	g.rounds = 1
	const nights = 1000
	if os.Getenv("MATRIX_HISTORY_ROUNDS") == "3" {
		g.rounds, g.hists = 3, true
	}
	root := g.nights(b, nights)
	b.Run("rebuild", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			for _, dir := range must(os.ReadDir(root + "/nightly")) {
				_ = os.Remove(root + "/nightly/" + dir.Name() + "/" + indexName)
			}
			b.StartTimer()
			must(Load(root, Options{}))
		}
	})
	b.Run("read", func(b *testing.B) { // the least that a list can take: the bytes of the indexes alone
		defer cpu(b)()
		for b.Loop() {
			for _, dir := range must(os.ReadDir(root + "/nightly")) {
				must(os.ReadFile(root + "/nightly/" + dir.Name() + "/" + indexName))
			}
		}
	})
	b.Run("list", func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			must(Load(root, Options{}))
		}
	})
	h := must(Load(root, Options{}))
	b.Run("report", func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			h.Report()
		}
	})
}

// cpu reports what CPU time the process takes for one, which other work on the
// machine changes less than the time that passes.
func cpu(b *testing.B) func() {
	before := cpuTime()
	return func() { b.ReportMetric(float64((cpuTime()-before).Milliseconds())/float64(b.N), "cpu-ms/op") }
}

func cpuTime() time.Duration {
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
		panic(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
