package driver

import (
	"fmt"
	"strconv"
	"strings"

	"matrix/internal/bench"
)

// knobs are what the values of a load's X-Fake headers ask of the fake driver,
// each a word or a word with a number, joined by commas: "slow=1.1, reset=3".
// With "@2" behind it a knob turns in round 2 only.
//
//	fail        every connection is refused
//	timeout     every request times out
//	slow=F      requests take F times as long
//	noise=F     rounds differ by a factor of about 1+F (0.02 unless told)
//	drift=F     all cells wander together, from round to round, within about 1+F
//	outliers=F  this share of rounds, 0 to 1, takes half as long again
//	shift=F     each cell is off by a factor of about 1+F for the whole run
//	seed=N      a run of its own: with another seed, chance turns out otherwise
//	reset=N     N requests are reset
//	non2xx=N    N requests are answered with status 503
//	client=N    N requests fail for want of descriptors
//	broken      the driver could not work at all
//	hang        the trial lasts until it is stopped
type knobs struct {
	fail, timeout, hang, broken bool
	slow, noise                 float64
	drift, outliers, shift      float64
	reset, non2xx, client, seed int64
}

// refuseFake checks the knobs and bounds the work.
func refuseFake(l bench.Load) error {
	if l.Requests > mostFake {
		return fmt.Errorf("fake makes at most %d requests, not %d", mostFake, l.Requests)
	}
	_, err := readKnobs(l, 0)
	return err
}

// readKnobs reads the knobs that hold in a round; of all rounds for round 0.
func readKnobs(l bench.Load, round int) (knobs, error) {
	k := knobs{slow: 1, noise: 0.02}
	for _, h := range l.Header {
		if !strings.EqualFold(h.Name, "X-Fake") {
			continue
		}
		for word := range strings.SplitSeq(h.Value, ",") {
			word, only, limited := strings.Cut(strings.TrimSpace(word), "@")
			if limited {
				n, err := strconv.Atoi(only)
				if err != nil || n < 1 {
					return k, fmt.Errorf("X-Fake: %q is not a round", only)
				}
				if round != 0 && n != round {
					continue
				}
			}
			if err := k.turn(word); err != nil {
				return k, err
			}
		}
	}
	return k, nil
}

func (k *knobs) turn(word string) error {
	name, value, _ := strings.Cut(word, "=")
	switches := map[string]*bool{"fail": &k.fail, "timeout": &k.timeout, "hang": &k.hang, "broken": &k.broken}
	factors := map[string]*float64{"slow": &k.slow, "noise": &k.noise, "drift": &k.drift, "outliers": &k.outliers, "shift": &k.shift}
	counts := map[string]*int64{"reset": &k.reset, "non2xx": &k.non2xx, "client": &k.client, "seed": &k.seed}
	if on, ok := switches[name]; ok && value == "" {
		*on = true
		return nil
	}
	if f, ok := factors[name]; ok {
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x >= 0 && x <= 1000) || (name == "slow" && x == 0) {
			return fmt.Errorf("X-Fake: %q is no factor between 0 and 1000", word)
		}
		*f = x
		return nil
	}
	if n, ok := counts[name]; ok {
		x, err := strconv.ParseInt(value, 10, 64)
		if err != nil || x < 0 {
			return fmt.Errorf("X-Fake: %q is no count", word)
		}
		*n = x
		return nil
	}
	return fmt.Errorf("X-Fake: %q is not one of fail, timeout, hang, broken, slow=F, noise=F, drift=F, outliers=F, shift=F, reset=N, non2xx=N, client=N, seed=N", word)
}

// spoil moves requests of a measurement from OK to the failures asked for.
func (k knobs) spoil(m *bench.Measurement) {
	move := func(class bench.Failure, n int64, message string) {
		n = min(n, m.OK)
		m.OK -= n
		m.Fail(class, n, message)
	}
	if k.fail {
		move(bench.Connect, m.OK, "connect: connection refused")
	}
	if k.timeout {
		move(bench.Timeout, m.OK, "no answer in time")
	}
	move(bench.Client, k.client, "socket: too many open files")
	move(bench.Reset, k.reset, "read: connection reset by peer")
	move(bench.Non2xx, k.non2xx, "503 Service Unavailable")
}
