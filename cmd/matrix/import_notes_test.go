package main

import "testing"

// Two targets differ in what both of them tell, and in nothing else.
func TestElsewhere(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"10.0.0.1:80/x", "10.0.0.1:80/x", false}, {"10.0.0.1:80/x", "10.0.0.2:80/x", true}, {"10.0.0.1:80/x", "10.0.0.1:81/x", true},
		{"10.0.0.1:80/x", "10.0.0.1/x", false}, {"10.0.0.1:80/x", "10.0.0.2/x", true}, {"10.0.0.1:80/x", "10.0.0.1:80/y", true},
		{"10.0.0.1:80", "10.0.0.1:80/y", false}, {"/x", "10.0.0.1:80/x", false}, {"/x", "10.0.0.1:80/y", true}, {"", "h/x", false},
		{"[::1]:80/x", "[::1]:80/x", false}, {"[::1]:80/x", "[::2]:80/x", true},
	} {
		if got := elsewhere(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
		if got := elsewhere(c.b, c.a); got != c.want {
			t.Errorf("%s and %s: %t", c.b, c.a, got)
		}
	}
}
