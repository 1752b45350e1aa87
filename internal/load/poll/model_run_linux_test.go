package poll

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
)

// modelClient asks over a model, as the engine does over the kernel.
type modelClient struct {
	t      *testing.T
	m      *model
	u      *uring
	choose func(int) int
	slots  []modelSlot
	turns  int
	told   int // completions
}

type modelSlot struct {
	open    bool // asked for and not shut
	made    bool
	waiting int // turns in which nothing was reported though there was something to report
}

func newModelClient(t *testing.T, slots int, choose func(int) int) *modelClient {
	c := &modelClient{t: t, choose: choose, slots: make([]modelSlot, slots)}
	c.m = newModel(slots, choose)
	addrs, err := newAddresses(Config{Addrs: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:9")}})
	if err != nil {
		t.Fatal(err)
	}
	c.u = &uring{ring: c.m.ring, config: Config{Slots: slots}, handle: c.handle, addrs: addrs, slots: make([]uringSlot, slots)}
	for i := range c.u.slots {
		c.u.slots[i].fd = -1
	}
	return c
}

// data is a request: long at times.
func (c *modelClient) data() []byte {
	if c.choose(8) == 0 {
		return make([]byte, Long)
	}
	return make([]byte, 100)
}

func (c *modelClient) open(slot int32) {
	c.slots[slot] = modelSlot{open: true}
	op := Op{Verb: Open, Slot: slot}
	if c.choose(2) == 0 {
		op.Data = make([]byte, 100) // longer ones take a socket of this process
	}
	c.u.Submit(op)
	c.slots[slot].made = op.Data != nil
}

func (c *modelClient) shut(slot int32) {
	c.slots[slot] = modelSlot{}
	c.u.Submit(Op{Verb: Shut, Slot: slot})
}

func (c *modelClient) handle(d Done) {
	c.told++
	s := &c.slots[d.Slot]
	if !s.open {
		c.t.Fatalf("slot %d is shut, and %+v is reported of it", d.Slot, d)
	}
	s.waiting = 0
	switch {
	case d.Err != nil && d.What != Sent, d.End, d.Early:
		c.shut(d.Slot)
	case d.What == Opened:
		if !s.made { // else the request went with it
			s.made = true
			c.u.Submit(Op{Verb: Send, Slot: d.Slot, Data: c.data()})
		}
	case d.What == Received:
		switch c.choose(8) {
		case 0:
			c.shut(d.Slot)
		case 1, 2:
			c.u.Submit(Op{Verb: Recv, Slot: d.Slot})
		case 3:
			c.u.Submit(Op{Verb: Discard, Slot: d.Slot, N: int64(1 + c.choose(9000))})
		default:
			c.u.Submit(Op{Verb: Send, Slot: d.Slot, Data: c.data()})
		}
	}
}

// turn is one pass of the engine's loop.
func (c *modelClient) turn() {
	const most = 6 // turns: two for a doubt, one to cancel, one to look, one to be told; one to spare
	for i := range c.slots {
		slot := int32(i)
		s := &c.slots[i]
		switch {
		case !s.open && c.choose(2) == 0:
			c.open(slot)
		case s.open && c.choose(60) == 0:
			c.shut(slot) // a timeout
		}
		if s.open && c.u.slots[i].waiting && c.m.unseen(slot) {
			if s.waiting++; s.waiting > most {
				c.t.Fatalf("turn %d: slot %d has something to be told of and is told nothing for %d turns: %+v; the socket: %+v",
					c.turns, slot, s.waiting, c.u.slots[i], *c.m.files[slot])
			}
		}
	}
	if err := c.u.Wait(time.Second, 0); err != nil {
		c.t.Fatal(err)
	}
	c.turns++
	c.m.live = alive(c.m)
}

// alive drops the sockets that nothing can happen to any more.
func alive(m *model) (live []*modelSocket) {
	for _, s := range m.live {
		if s.recv != nil || s.chain != nil || m.files[s.slot] == s {
			live = append(live, s)
		}
	}
	return live
}

// TestRingModel: whatever peers do and whenever, each slot that has something to
// be told of is told within a bounded number of turns.
func TestRingModel(t *testing.T) {
	told := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := newModelClient(t, 1+r.IntN(5), r.IntN)
		for range 300 {
			c.turn()
		}
		told += c.told
	}
	if told < 50_000 {
		t.Errorf("only %d completions: the model is idle", told)
	}
}

func FuzzRingModel(f *testing.F) {
	f.Add([]byte("\x01\x01\x00\x02\x01\x02\x03\x04\x05"))
	f.Add([]byte("reset with the answer"))
	f.Fuzz(func(t *testing.T, script []byte) {
		at := 0
		choose := func(n int) int {
			if at >= len(script) {
				return (at*7 + n/2) % n
			}
			at++
			return int(script[at-1]) % n
		}
		c := newModelClient(t, 3, choose)
		for range min(2*len(script), 400) {
			c.turn()
		}
	})
}
