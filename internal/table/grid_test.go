package table

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
)

// largeRun is a run of cells on 4 systems, in 3 rounds each: 5 files by what
// concurrencies are needed. Every 100th cell of the last system failed. Its
// histograms are packed, as a journal has them.
func largeRun(cells int) (bench.RunInfo, []bench.Record) {
	servers := []string{"nginx", "apache", "lighttpd", "embedded"}
	random := rand.New(rand.NewPCG(1, 2))
	read := readHists(random)
	info := plannedFor(servers...)
	info.Plan.Rounds = 3
	var records []bench.Record
	for point := range cells / len(servers) {
		for s, server := range servers {
			c := at(server, s, point, 2000)
			c.File = bench.File{Name: fmt.Sprintf("file%d", point%5), Size: int64(1000) << (2 * (point % 5))}
			c.Load.Conns = 1 + point/5
			c.Axes = pairs("file", c.File.Name, "concurrency", fmt.Sprint(c.Load.Conns), "requests", "2000")
			c.Key = bench.KeyOf(slices.Concat(c.Labels, c.Axes))
			for round := 1; round <= 3; round++ {
				if s == 3 && point%25 == 0 {
					records = append(records, failed(c, round, bench.StateFailed, "socket: too many open files"))
					continue
				}
				records = append(records, measured(c, round, random, read))
			}
		}
	}
	return info, records
}

// measured is a trial with a distribution of each kind.
func measured(c bench.Cell, round int, random *rand.Rand, read []*hist.Hist) bench.Record {
	took := time.Duration(float64(time.Second) * (1 + float64(c.System)/4) * (0.9 + random.Float64()/5))
	r := ok(c, round, took)
	for _, h := range []**hist.Hist{&r.Connect, &r.FirstByte, &r.Latency} {
		*h = read[random.IntN(len(read))]
	}
	r.Host.Peak = bench.Host{Load1: new(random.Float64()), Zombies: new(0)}
	return r
}

// readHists are some distributions with a long tail, of 2,000 times each, as read
// from a journal.
func readHists(random *rand.Rand) (list []*hist.Hist) {
	for range 20 {
		h := hist.New(0)
		for range 2000 {
			h.Record(time.Duration((100 + 400*random.ExpFloat64()*random.ExpFloat64()) * float64(time.Microsecond)))
		}
		b, err := h.MarshalJSON()
		read := new(hist.Hist)
		if err == nil {
			err = read.UnmarshalJSON(b)
		}
		if err != nil {
			panic(err)
		}
		list = append(list, read)
	}
	return list
}

// BenchmarkBuild10000 reports the CPU time that a report of 10,000 cells takes,
// collecting garbage included: the clock of a busy machine tells less.
func BenchmarkBuild10000(b *testing.B) {
	info, records := largeRun(10_000)
	before := cpuTime()
	for b.Loop() {
		r := Build(info, records)
		if len(r.Tables[0].Rows) != 10_000 || len(r.Charts) < 4 {
			b.Fatalf("%d rows, %d groups", len(r.Tables[0].Rows), len(r.Charts))
		}
	}
	b.ReportMetric((cpuTime()-before).Seconds()/float64(b.N), "cpu-s/op")
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
