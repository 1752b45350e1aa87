// Package site makes a static site of a results folder: runs come in, a folder
// of pages that any web server can hand out goes out. There is a front page, a
// page a run with its data beside it, a page a scenario with its history, the
// last two runs compared, and an Atom feed of what became worse.
//
// A pass makes anew only what its sources, its neighbours or the program changed;
// a manifest in the folder holds what was made of what, and nothing that it does
// not list is ever removed. The same results give the same bytes.
//
// Handler and Watch show such a folder to a browser and reload its pages as they
// change. The package measures nothing, and neither computes nor lays out what
// packages table, compare and history do.
package site
