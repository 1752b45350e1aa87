// Package system starts, tunes, checks and stops the servers under test.
//
// A bench.System and a Site (where the server may write, what it serves) come
// in; a Running comes out, whose base URL answers and which is stopped for
// certain: a guard, a process of this same binary, ends the server when it is
// asked to and also when this process ends in any way. What differs between
// nginx, Apache and the others is in one file a kind; the list is Kinds.
//
// The package makes no load, measures nothing, and writes nothing outside
// Site.Dir.
package system
