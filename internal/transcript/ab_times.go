package transcript

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"matrix/internal/bench"
)

// abTimes reads how long the run took and the rates that ab derived from it.
func abTimes(r *Report, f *fields) {
	rate, hasRate := f.decimal("Requests per second", "Requests per seconds")
	if hasRate {
		r.Printed.RequestsPerSecond = &rate
	}
	if taken, ok := f.raw("Time taken for tests"); ok {
		r.Elapsed = abElapsed(taken, r, rate)
	}
	if kilo, ok := f.decimal("Transfer rate"); ok {
		r.Printed.BytesPerSecond = new(kilo * abKilo(r, kilo))
	}
}

// abElapsed reads "Time taken for tests". Versions 2.0.35 to 2.2.8 print the
// microseconds behind the dot without leading zeros: 10.203 is 10.000203 s.
//
// Other versions round to milliseconds, which for a short run is coarse: where
// the printed rate, with its two decimals, tells the time more exactly and
// within that rounding, the rate is believed.
func abElapsed(taken string, r *Report, rate float64) time.Duration {
	plain, err := strconv.ParseFloat(taken, 64)
	if err != nil || plain < 0 || plain > 1e9 {
		return 0
	}
	byRate := math.NaN()
	if rate > 0 && r.Issued > 0 {
		byRate = float64(r.Issued) / rate
	}
	if micro, ok := unpadded(taken); ok && micro != plain && believed(micro, plain, byRate, r) {
		return seconds(micro)
	}
	whole, fraction, _ := strings.Cut(taken, ".")
	if known := r.Version != "" || r.Printed.Tool == "zb" || !math.IsNaN(byRate); !known && len(fraction) != 3 && len(fraction) != 6 {
		return 0 // it has as many digits as in those versions, of which it may be
	}
	exact := fmt.Sprintf("%.2f", float64(r.Issued)/plain) == fmt.Sprintf("%.2f", rate)
	if _, err := strconv.Atoi(whole); err == nil && len(fraction) == 3 && !exact && math.Abs(byRate-plain) <= 0.00051 {
		return seconds(byRate)
	}
	return seconds(plain)
}

// unpadded reads the digits behind the dot as a number of microseconds.
func unpadded(taken string) (float64, bool) {
	whole, fraction, ok := strings.Cut(taken, ".")
	if !ok || len(fraction) > 6 {
		return 0, false
	}
	s, err1 := strconv.ParseUint(whole, 10, 32)
	us, err2 := strconv.ParseUint(fraction, 10, 32)
	return float64(s) + float64(us)/1e6, err1 == nil && err2 == nil
}

// believed decides between the two readings of a time: by the rate where there
// is one, else by the version.
func believed(micro, plain, byRate float64, r *Report) bool {
	if !math.IsNaN(byRate) {
		return math.Abs(micro-byRate) < math.Abs(plain-byRate)
	}
	major, minor, _ := strings.Cut(r.Revision, ".")
	minor, _, _ = strings.Cut(minor, ".")
	n, err := strconv.Atoi(minor)
	return err == nil && major == "1" && n >= 93 && n <= 146 && strings.HasPrefix(r.Version, "2.")
}

func seconds(s float64) time.Duration {
	return time.Duration(math.Round(s*1e6)) * time.Microsecond
}

// abKilo is the number of bytes in the kilobyte of ab's transfer rate: 1000 in
// 1.x and 1024 later. Where the version was lost, the figures themselves tell.
func abKilo(r *Report, kilo float64) float64 {
	switch {
	case strings.HasPrefix(r.Version, "1."), r.Printed.Tool == "zb":
		return 1000
	case r.Version != "" || r.Elapsed == 0:
		return 1024
	}
	rate := float64(r.WireBytes) / r.Elapsed.Seconds()
	if math.Abs(kilo*1000-rate) < math.Abs(kilo*1024-rate) {
		return 1000
	}
	return 1024
}

// abBudget takes the requests that were completed for those asked for, unless a
// time limit may have ended the run: then it took a whole number of seconds and
// a little, and made some number of requests that nobody asks for.
func abBudget(r *Report) {
	over := (r.Elapsed % time.Second).Seconds()
	limited := r.Elapsed >= time.Second && over < 0.02+0.001*r.Elapsed.Seconds() && r.Issued > 1000 && r.Issued%100 != 0
	if r.Requests == 0 && r.Duration == 0 && !limited {
		r.Requests = r.Issued
	}
}

// abAborted reads a run that ab gave up midway, or that was ended before its
// report.
func abAborted(r *Report, run part) {
	done, total := run.aborted()
	class, words, ok := abEnd(run)
	if !ok {
		class, words = bench.Other, r.ended()
	}
	r.abort(class, words, done, total)
}

// ended are the words of a run that began and has no report.
func (r *Report) ended() string {
	return r.Printed.Tool + " ended before its report, or the log is cut short"
}

// abort makes a report of a run that its tool gave up midway, after so many
// requests; where total is false, after so many at least.
func (r *Report) abort(class bench.Failure, words string, done int64, total bool) {
	if !total {
		r.Notes = append(r.Notes, bench.Note{Code: "partial-count", Text: r.Printed.Tool + " gave up and did not tell how many requests were complete by then"})
	}
	r.Abort = clip(words)
	r.Printed.Resolution = 0
	r.OK, r.Issued = done, done+1
	r.Fail(class, 1, r.Abort)
}
