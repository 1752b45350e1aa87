package driver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"matrix/internal/bench"
	"matrix/internal/load"
)

// order is a load as it is given to a generator, with what bench.Load keeps out
// of journals. It goes through a pipe: a command line could be read by others.
type order struct {
	Load   bench.Load
	URLs   []string
	Header []bench.Header
	Body   []byte // nil and empty are told apart
	TLS    *bench.TLS
	Expect bench.Expect
}

func orderOf(l bench.Load) order {
	return order{l, l.URLs, l.Header, l.Body, l.TLS, l.Expect}
}

func (o order) load() bench.Load {
	l := o.Load
	l.URLs, l.Header, l.Body, l.TLS, l.Expect = o.URLs, o.Header, o.Body, o.TLS, o.Expect
	return l
}

// yield is what a generator answers.
type yield struct {
	Measurement bench.Measurement
	Error       string // why it could not work; "" when it could
}

// longestYield bounds the answer of a generator, in bytes: a dozen distributions
// and the seconds of a week.
const longestYield = 64 << 20

// ready is the line by which a generator says that it has read its order.
const ready = "ready\n"

// Generate is the subcommand that a generator is: it reads one load from in, says
// that it is ready, begins at the next line that comes, and writes what it
// measured to out. When in ends, or ctx, the load ends early and its measurement
// is written all the same.
func Generate(ctx context.Context, in io.Reader, out io.Writer) error {
	r := bufio.NewReader(in)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("reading the load: %w", err)
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("reading the load: %w", err)
	}
	if _, err := io.WriteString(out, ready); err != nil {
		return err
	}
	if _, err := r.ReadBytes('\n'); err != nil {
		return fmt.Errorf("waiting for the start: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		io.Copy(io.Discard, r)
		stop()
	}()
	var y yield
	if y.Measurement, err = load.Run(ctx, o.load()); err != nil {
		y.Error = err.Error()
	}
	return json.NewEncoder(out).Encode(y)
}

// generator is a process that makes a part of a load.
type generator struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err *bounded

	once sync.Once
	over chan struct{} // closed when it has ended
}

// generate makes the load in processes of their own, which begin together, and
// adds up what they measured.
func generate(ctx context.Context, l bench.Load) (m bench.Measurement, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The kernel ends the generators together with the thread that started
		// them, and they inherit its nice level. It ends with this goroutine: a
		// level once raised may not be lowered again.
		runtime.LockOSThread()
		m, err = generateHere(ctx, l)
	}()
	<-done
	return m, secrets(l).err(err)
}

func generateHere(ctx context.Context, l bench.Load) (bench.Measurement, error) {
	if err := beNice(l.Nice); err != nil {
		return bench.Measurement{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return bench.Measurement{}, fmt.Errorf("finding this program's own file: %w", err)
	}
	var all []*generator
	defer func() {
		for _, g := range all {
			g.end()
		}
	}()
	for _, part := range l.Split() {
		part.Nice = 0 // it has it already
		g, err := startGenerator(self, part)
		if err != nil {
			return bench.Measurement{}, fmt.Errorf("starting a generator: %w", err)
		}
		all = append(all, g)
	}
	defer context.AfterFunc(ctx, func() {
		for _, g := range all {
			g.hurry()
		}
	})()
	for _, g := range all {
		if err := g.awaitReady(); err != nil {
			return bench.Measurement{}, err
		}
	}
	for _, g := range all {
		io.WriteString(g.in, "go\n") // one that is gone tells of it in its answer
	}
	return gather(all)
}

// gather waits for all generators. What the others measured is no measurement of
// the load when one could not work, but is told beside the error.
func gather(all []*generator) (bench.Measurement, error) {
	parts := make([]bench.Measurement, len(all))
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, g := range all {
		wg.Go(func() { parts[i], errs[i] = g.answer() })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil { // the others most likely say the same
			return bench.Merge(parts), err
		}
	}
	return bench.Merge(parts), nil
}

func startGenerator(self string, l bench.Load) (*generator, error) {
	text, err := json.Marshal(orderOf(l))
	if err != nil {
		return nil, err
	}
	g := &generator{cmd: exec.Command(self, "generate"), err: &bounded{most: 64 << 10}, over: make(chan struct{})}
	g.cmd.Stderr, g.cmd.WaitDelay = g.err, patience
	isolate(g.cmd)
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	g.out = bufio.NewReader(io.LimitReader(out, longestYield))
	if g.in, err = g.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := g.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := g.in.Write(append(text, '\n')); err != nil {
		g.end()
		return nil, g.trouble(err)
	}
	return g, nil
}

func (g *generator) awaitReady() error {
	if line, err := g.out.ReadString('\n'); err != nil || line != ready {
		return g.trouble(errors.Join(err, fmt.Errorf("it said %.100q", line)))
	}
	return nil
}

func (g *generator) answer() (bench.Measurement, error) {
	var y yield
	if err := json.NewDecoder(g.out).Decode(&y); err != nil {
		return bench.Measurement{}, g.trouble(err)
	}
	if y.Error != "" {
		return y.Measurement, errors.New(y.Error)
	}
	return y.Measurement, nil
}

// trouble tells why a generator gave no answer, with its last words.
func (g *generator) trouble(err error) error {
	g.end()
	return fmt.Errorf("a generator gave no answer: %s", lastWords(g.err.String(), err))
}

// hurry makes a generator end early; one that does not is killed.
func (g *generator) hurry() {
	g.in.Close()
	go func() {
		select {
		case <-g.over:
		case <-time.After(patience):
			killGroup(g.cmd.Process.Pid)
		}
	}()
}

// end ends a generator that may have ended; calling it again does nothing.
func (g *generator) end() {
	g.once.Do(func() {
		g.in.Close()
		killGroup(g.cmd.Process.Pid)
		_ = g.cmd.Wait() // it was killed, or has told what there is to tell
		close(g.over)
	})
}
