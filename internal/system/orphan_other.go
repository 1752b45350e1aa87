//go:build !linux

package system

import "io/fs"

// What a guard that was killed leaves cannot be told from other processes here.
func (kin) find() []int     { return nil }
func alive(int) bool        { return true }
func kill(int)              {}
func bootID() string        { return "" }
func mine(fs.FileInfo) bool { return false }
