package driver

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
)

// fake computes a plausible measurement from the cell and the round alone: no
// network, no waiting, and the same figures each time. Larger files and, by a
// little, some systems take longer; rounds differ by a few per cent.
//
// Load headers called X-Fake make it misbehave; see knobs.
type fake struct{}

const mostFake = 2_000_000 // requests, each of which is computed

func (fake) Check(context.Context) (string, error) { return "1", nil }

func (fake) Run(ctx context.Context, t bench.Trial, raw io.Writer) (m bench.Measurement, err error) {
	k, err := readKnobs(t.Cell.Load, t.Round)
	if err != nil {
		return m, err
	}
	if err := ctx.Err(); err != nil {
		return m, err
	}
	switch {
	case k.hang:
		// Said first, so that whoever means to interrupt it can wait for that.
		if _, err := io.WriteString(raw, "hanging\n"); err != nil {
			return m, fmt.Errorf("saying that it hangs: %w", err)
		}
		<-ctx.Done()
		n := min(int64(max(t.Cell.Load.Conns, 1)), max(t.Cell.Load.Requests, 1))
		return bench.Measurement{Issued: n, Aborted: n}, nil
	case k.broken:
		return m, errors.New("fake could not work, as asked")
	}
	return k.measure(t), nil
}

// measure computes the figures of a trial.
func (k knobs) measure(t bench.Trial) bench.Measurement {
	l := t.Cell.Load
	conns := float64(max(l.Conns, 1))
	r := k.chance(string(t.Cell.Key), t.Round)
	mean := service(t.Cell) * k.slow * math.Exp(r.NormFloat64()*k.noise) * k.unrest(t)
	n := l.Requests
	if l.Duration > 0 {
		n = min(max(int64(l.Duration.Seconds()*conns/mean), 1), mostFake)
	}
	m := bench.Measurement{Issued: n, OK: n, Address: "fake"}
	k.spoil(&m)
	m.Connect, m.FirstByte, m.Latency = hist.New(0), hist.New(0), hist.New(0)
	total := 0.0
	for range m.OK {
		took := mean * (0.6 + 0.4*r.ExpFloat64())
		total += took
		m.Latency.Record(duration(took))
		m.FirstByte.Record(duration(took * 0.7))
		if !l.KeepAlive {
			m.Connect.Record(duration(took * 0.1))
		}
	}
	if m.OK == 0 {
		m.Connect, m.FirstByte, m.Latency = nil, nil, nil
		total = mean * float64(n)
	} else if l.KeepAlive {
		m.Connect.Record(duration(mean * 0.1))
	}
	m.Elapsed = max(duration(total/conns), time.Microsecond)
	if l.Duration > 0 {
		m.Elapsed = l.Duration
	}
	const head = 200 // bytes of an answer's head
	m.BodyBytes = m.OK * t.Cell.File.Size
	m.WireBytes = m.OK * (t.Cell.File.Size + head)
	if m.OK > 0 {
		m.Status = map[int]int64{200: m.OK}
	}
	m.AchievedConns = int(min(int64(conns), n))
	m.Client = &bench.ClientCost{CPUUser: m.Elapsed.Seconds() * 0.1, CPUSystem: m.Elapsed.Seconds() * 0.2, MaxRSS: 10 << 20, Threads: 1}
	return m
}

// chance is what makes up the figures of one thing in one round.
func (k knobs) chance(of string, round int) *rand.Rand {
	if k.seed != 0 {
		of += "#" + strconv.FormatInt(k.seed, 10)
	}
	return rand.New(rand.NewPCG(seed(of), uint64(round)))
}

// unrest is the factor by which a trial takes longer for reasons that are not its
// cell's: the machine's wandering, which remembers four fifths of itself from one
// round to the next, a bad moment, another day.
func (k knobs) unrest(t bench.Trial) float64 {
	const memory = 0.8
	at := 0.0
	for round := 1; round <= t.Round && k.drift > 0; round++ {
		step := k.chance("drift", round).NormFloat64() * k.drift
		if round == 1 {
			at = step
		} else {
			at = memory*at + math.Sqrt(1-memory*memory)*step
		}
	}
	at += k.chance("shift "+string(t.Cell.Key), 0).NormFloat64() * k.shift
	if k.chance("outlier "+string(t.Cell.Key), t.Round).Float64() < k.outliers {
		at += math.Log(1.5)
	}
	return math.Exp(at)
}

// service is the mean time of one request in seconds: one millisecond, a
// hundred MB/s for the body, and up to a quarter more or less for the system.
func service(c bench.Cell) float64 {
	of := float64(seed(string(bench.KeyOf(c.Labels)))%1000) / 1000
	return (0.001 + float64(c.File.Size)/100e6) * (0.75 + of/2)
}

func seed(s string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, s) // a hash takes everything
	return h.Sum64()
}

func duration(s float64) time.Duration { return time.Duration(s * 1e9) }
