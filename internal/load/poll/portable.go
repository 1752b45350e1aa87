package poll

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// portable runs each connection in a goroutine of its own, which carries out
// the slot's operations one after the other. A line belongs to one connection,
// not to its slot, so that what it reports after Shut can be told apart.
type portable struct {
	config Config
	handle func(Done)
	done   chan portableDone
	lines  []*line // by slot; nil: shut
	quiet  []*line // whose receive has been reported in this turn
	source int
	timer  *time.Timer
	wg     sync.WaitGroup
}

type portableDone struct {
	line *line
	Done
}

// line is one connection and the goroutine that serves it.
type line struct {
	p      *portable
	slot   int32
	ops    chan Op
	ctx    context.Context
	cancel context.CancelFunc
	buf    []byte
	asked  bool     // the poller's: a receive is under way
	spare  [64]byte // for what comes unasked: buf may not have been looked at yet

	mu   sync.Mutex
	idle net.Conn // being read from while nothing is asked for; nil: it is not
}

const portableBuffer = 4 << 10

func newPortable(c Config, handle func(Done)) *portable {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &portable{
		config: c, handle: handle, timer: timer,
		done:  make(chan portableDone, 256),
		lines: make([]*line, c.Slots),
	}
}

func (p *portable) Submit(op Op) {
	if op.Verb == Open {
		p.open(op)
		return
	}
	l := p.lines[op.Slot]
	if l == nil {
		return
	}
	if op.Verb == Shut {
		l.cancel()
		p.lines[op.Slot] = nil
		return
	}
	l.asked = true
	l.ops <- op // never full: at most one receive and one send are under way
	l.wake()
}

func (p *portable) open(op Op) {
	l := &line{p: p, slot: op.Slot, asked: true, ops: make(chan Op, 4), buf: make([]byte, portableBuffer)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	p.lines[op.Slot] = l
	var source netip.Addr
	if n := len(p.config.Sources); n > 0 {
		source = p.config.Sources[p.source%n]
		p.source++
	}
	p.wg.Go(func() { l.run(op, source) })
}

func (p *portable) Wait(d, _ time.Duration) error {
	for _, l := range p.quiet {
		if !l.asked && p.lines[l.slot] == l {
			l.ops <- Op{Verb: Open} // no other: it means that the line is idle
		}
	}
	p.quiet = p.quiet[:0]
	p.timer.Reset(max(d, 0))
	select {
	case done := <-p.done:
		p.report(done)
	case <-p.timer.C:
		return nil
	}
	for range cap(p.done) {
		select {
		case done := <-p.done:
			p.report(done)
		default:
			return nil
		}
	}
	return nil
}

func (p *portable) report(d portableDone) {
	if p.lines[d.Slot] == d.line {
		if d.What == Received {
			d.line.asked = false
			p.quiet = append(p.quiet, d.line)
		}
		p.handle(d.Done)
	}
}

func (p *portable) Close() error {
	for _, l := range p.lines {
		if l != nil {
			l.cancel()
		}
	}
	p.wg.Wait()
	p.timer.Stop()
	return nil
}

// post hands a completion over, or drops it when the slot was shut meanwhile.
func (l *line) post(d Done) bool {
	d.Slot = l.slot
	select {
	case l.p.done <- portableDone{l, d}:
		return true
	case <-l.ctx.Done():
		return false
	}
}

func (l *line) run(op Op, source netip.Addr) {
	conn, opened := Dial(l.ctx, &l.p.config, op.Addr, source)
	if conn == nil {
		l.post(opened)
		<-l.ctx.Done()
		return
	}
	// A deadline in the past ends a read or write that is under way; only this
	// goroutine closes, so that the descriptor is gone when it is.
	var writes sync.WaitGroup
	stop := context.AfterFunc(l.ctx, func() {
		l.mu.Lock() // not before listen sets another
		defer l.mu.Unlock()
		_ = conn.SetDeadline(time.Unix(1, 0))
	})
	defer func() {
		stop()
		_ = conn.SetDeadline(time.Unix(1, 0))
		writes.Wait()
		conn.Close()
	}()
	if !l.post(opened) {
		return
	}
	var ok bool
	if op.Data == nil {
		if op, ok = l.next(); !ok {
			return
		}
	}
	var sent chan struct{} // closed when a long request is out; nil: none is under way
	for ok = true; ok; {
		if len(op.Data) >= Long {
			over, data := make(chan struct{}), op.Data
			sent = over
			writes.Go(func() {
				l.send(conn, data)
				close(over)
			})
		} else if op.Data != nil {
			l.send(conn, op.Data)
		}
		d := l.receive(conn, op.N)
		sent = settle(sent)
		if !l.post(d) {
			return
		}
		op, ok = l.listen(conn)
	}
}

// next waits for an operation; false when the slot has been shut.
func (l *line) next() (op Op, ok bool) {
	select {
	case op = <-l.ops:
		return op, true
	case <-l.ctx.Done():
		return op, false
	}
}

// listen is next, but when Wait found the line idle it looks whether the
// server closes, or speaks out of turn, and reports that: then the line is at
// its end, and nothing more is sent over it.
func (l *line) listen(conn net.Conn) (op Op, ok bool) {
	if op, ok = l.next(); !ok || op.Verb != Open {
		return op, ok
	}
	l.mu.Lock()
	l.idle = conn
	asked := len(l.ops) > 0 // or else Submit will wake the read
	l.mu.Unlock()
	var n int
	err := os.ErrDeadlineExceeded
	if !asked {
		n, err = conn.Read(l.spare[:])
	}
	l.mu.Lock()
	l.idle = nil
	if l.ctx.Err() == nil {
		_ = conn.SetReadDeadline(time.Time{})
	}
	l.mu.Unlock()
	if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		d := received(l.spare[:n], n, err)
		d.Early, d.Unsent = true, true
		l.post(d)
		<-l.ctx.Done()
		return op, false
	}
	return l.next()
}

// wake ends the reading of an idle line.
func (l *line) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.idle != nil {
		_ = l.idle.SetReadDeadline(time.Unix(1, 0))
	}
}

// settle gives a write that the server has evidently read to its end, since it
// answers, a moment to return: else an answer would seem to overtake it. What
// it returns is sent, or nil when that is over.
func settle(sent chan struct{}) chan struct{} {
	if sent == nil {
		return nil
	}
	select {
	case <-sent:
		return nil
	case <-time.After(time.Millisecond):
		return sent
	}
}

func (l *line) send(conn net.Conn, data []byte) {
	_, err := conn.Write(data)
	if err != nil || len(data) >= Long {
		l.post(Done{What: Sent, Err: err, Step: "send"})
	}
}

// receive reads once; bytes to be discarded go through the same buffer, since
// net.Conn has no way past it.
func (l *line) receive(conn net.Conn, discard int64) Done {
	buf := l.buf
	if discard > 0 {
		buf = buf[:min(discard, int64(len(buf)))]
	}
	n, err := conn.Read(buf)
	if discard > 0 {
		return received(nil, n, err)
	}
	return received(buf[:n], n, err)
}

func received(data []byte, n int, err error) Done {
	d := Done{What: Received, N: n, Data: data, Step: "recv"}
	switch {
	case errors.Is(err, io.EOF):
		d.End = true
	case n == 0:
		d.Err = err
	}
	return d
}
