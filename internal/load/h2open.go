package load

import "slices"

// opens counts how many streams of a group were open at once. A server may yet
// refuse what has been sent to it, and then that was never open: so each opening
// waits until it, and all before it, are known to have been taken or refused.
type opens struct {
	line []*sending // by the time of opening
	now  int        // streams that are open
	peak int
}

// sending is what is known of one sending of a request.
type sending struct {
	beside  int  // streams that were open then, itself included; refused ones are taken off
	known   bool // the server has taken it
	counted bool // its request belongs to the measurement
}

// mostUnknown bounds what waits behind a stream of which nothing is heard, as a
// multiple of the open streams.
const mostUnknown = 64

func (p *opens) opened(o *stream) {
	p.now++
	o.sending = &sending{beside: p.now, counted: o.counted}
	p.line = append(p.line, o.sending)
}

// took hears that the server has taken a stream.
func (p *opens) took(o *stream) {
	if o.sending != nil {
		o.sending.known = true
	}
	p.settle()
}

// closed hears that a stream ended which had been open to the server, too.
func (p *opens) closed(o *stream) {
	if o.sending == nil {
		return
	}
	p.now--
	o.sending.known = true
	o.sending = nil
	p.settle()
}

// refused hears that a stream was never open: those opened after it were beside
// one fewer.
func (p *opens) refused(o *stream) {
	p.now--
	for i := len(p.line) - 1; i >= 0; i-- {
		if p.line[i] == o.sending {
			p.line = slices.Delete(p.line, i, i+1)
			break
		}
		p.line[i].beside--
	}
	o.sending = nil
	p.settle()
}

func (p *opens) settle() {
	for len(p.line) > 0 && (p.line[0].known || len(p.line) > mostUnknown*(p.now+1)) {
		if first := p.line[0]; first.counted {
			p.peak = max(p.peak, first.beside)
		}
		p.line = p.line[1:]
	}
}
