package main

import (
	"os"
	"os/signal"
	"syscall"
)

// endings are the signals that interrupt a command, which then keeps and reports
// what it has: Ctrl-C, what systemd sends, and a terminal that closes unless the
// program was started to outlive that (nohup).
func endings() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// surviveReaders lets a sweep go on when whoever read its output has gone, as
// with "| head": writing then is an error instead of the end of the process.
func surviveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
