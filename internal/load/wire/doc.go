// Package wire is HTTP/1 as bytes: a Request goes in and its bytes come out;
// the bytes of an answer go in, cut anywhere, and status, framing and
// persistence come out, by RFC 9112.
//
// It opens no connection, keeps no body, follows no redirect, decodes no
// content and reads no clock. Parsing an answer whose head arrives in one piece
// allocates nothing.
package wire
