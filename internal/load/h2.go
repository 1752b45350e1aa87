package load

import "errors"

func (r *run) threadH2(int) (*tally, error) {
	return newTally(r.load), errors.New("HTTP/2 is not built in yet")
}
