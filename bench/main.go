// The program bench compares matrix with other load generators, on this
// machine and side by side. In come the clients' programs and a list of
// workloads; out goes a report (docs/performance.md) and, on request, the raw
// figures. It judges nothing by itself but whether the engine's aims are
// reached, and it sets nothing on the machine.
//
// The program is its own canned servers: see serve.go. It needs Linux with
// io_uring and two processors.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

type options struct {
	matrix, bin, only, out, raw, from string
	reps, seconds                     int
	quick                             bool
}

func main() {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "serve-") {
		complain(serve(os.Args[1:]))
		return
	}
	var o options
	flag.StringVar(&o.matrix, "matrix", "../bin/matrix", "the matrix program")
	flag.StringVar(&o.bin, "bin", "../bin", "folder of hey and bombardier")
	flag.IntVar(&o.reps, "reps", 7, "rounds")
	flag.IntVar(&o.seconds, "seconds", 3, "length of a trial, in s")
	flag.StringVar(&o.only, "only", "", "regular expression: workloads to run, such as 'work/nginx/close'")
	flag.BoolVar(&o.quick, "quick", false, "a smoke run: one round of a second, short stalls")
	flag.StringVar(&o.out, "o", "", "file for the report (default: standard output)")
	flag.StringVar(&o.raw, "json", "", "file for the raw figures")
	flag.StringVar(&o.from, "from", "", "make the report from raw figures instead of measuring")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	complain(o.run(ctx))
}

func complain(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) error {
	b, err := o.book(ctx)
	if err != nil && len(b.Trials) == 0 {
		return err
	}
	// What was measured before an interruption is worth a report.
	return errors.Join(err, o.keep(b))
}

func (o options) book(ctx context.Context) (book, error) {
	if o.from == "" {
		return o.measure(ctx)
	}
	raw, err := os.ReadFile(o.from)
	if err != nil {
		return book{}, fmt.Errorf("reading raw figures: %w", err)
	}
	var b book
	if err := json.Unmarshal(raw, &b); err != nil {
		return book{}, fmt.Errorf("reading raw figures: %w", err)
	}
	return b, nil
}

func (o options) measure(ctx context.Context) (book, error) {
	if runtime.NumCPU() < 2 {
		return book{}, errors.New("two processors are needed: one for the client, one for the server")
	}
	pattern, err := regexp.Compile(o.only)
	if err != nil {
		return book{}, fmt.Errorf("reading -only: %w", err)
	}
	selected := slices.DeleteFunc(workloads(), func(w workload) bool { return !pattern.MatchString(w.name()) })
	present := slices.DeleteFunc(clients(o.matrix, o.bin), missing)
	if len(selected) == 0 || len(present) == 0 {
		return book{}, errors.New("nothing to run: no workload has such a name, or no client is installed")
	}
	s := o.sweep(present)
	b := book{
		Date: time.Now().UTC().Format("2006-01-02 15:04 MST"), Quick: o.quick, Rounds: s.Rounds, Seconds: s.Seconds, Stalls: s.Stalls,
		Machine: machine(), Versions: versions(ctx, present),
	}
	for _, c := range present {
		if c.Notes != "" {
			b.Notes = append(b.Notes, fact{c.Name, c.Notes})
		}
	}
	if !missing(client{Bin: o.matrix}) {
		if b.Startups, err = s.startups(ctx, o.matrix, 3*s.Rounds); err != nil {
			return b, err
		}
	}
	b.Trials, err = s.run(ctx, selected)
	return b, err
}

func (o options) sweep(present []client) *sweep {
	s := &sweep{
		Clients: present, Rounds: o.reps, Seconds: o.seconds,
		Stalls:   stalls{Every: 10 * time.Second, Length: time.Second},
		TimeWait: timeWait{Bound: 2000, Deadline: 70 * time.Second},
		Progress: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format, args...) },
		ports:    ports{next: 20100},
	}
	if o.quick {
		s.Rounds, s.Seconds = 1, 1
		s.Stalls = stalls{Every: 2 * time.Second, Length: 200 * time.Millisecond}
		s.TimeWait.Deadline = time.Second
	}
	return s
}

// missing says so of a client that is not there; the report has no row of it.
func missing(c client) bool {
	_, err := exec.LookPath(c.Bin)
	if err != nil && c.Name != "" {
		fmt.Fprintf(os.Stderr, "bench: %s is left out: %v\n", c.Name, err)
	}
	return err != nil
}

func (o options) keep(b book) error {
	if o.raw != "" {
		raw, err := json.MarshalIndent(b, "", "\t")
		if err != nil {
			return fmt.Errorf("writing raw figures: %w", err)
		}
		if err := os.WriteFile(o.raw, append(raw, '\n'), 0o644); err != nil {
			return fmt.Errorf("writing raw figures: %w", err)
		}
	}
	if o.out == "" {
		return b.write(os.Stdout)
	}
	var page strings.Builder
	if err := b.write(&page); err != nil {
		return err
	}
	if err := os.WriteFile(o.out, []byte(page.String()), 0o644); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
