//go:build !linux

package load

// preflight knows only Linux.
func (r *run) preflight() {}
