package wire

import (
	"bufio"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"matrix/internal/bench"
)

func TestRequest(t *testing.T) {
	tests := []struct {
		name, url string
		load      bench.Load
		want      string
	}{
		{"1.1 without keep-alive", "http://h:8080/a?b=c", bench.Load{}, "GET /a?b=c HTTP/1.1\r\nHost: h:8080\r\nUser-Agent: matrix\r\nConnection: close\r\n\r\n"},
		{"1.1 with keep-alive", "http://h/", bench.Load{KeepAlive: true}, "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: matrix\r\n\r\n"},
		{"1.0 without keep-alive", "http://h:80/", bench.Load{Protocol: bench.HTTP10}, "GET / HTTP/1.0\r\nHost: h\r\nUser-Agent: matrix\r\n\r\n"},
		{"1.0 with keep-alive", "https://h:443/", bench.Load{Protocol: bench.HTTP10, KeepAlive: true}, "GET / HTTP/1.0\r\nHost: h\r\nUser-Agent: matrix\r\nConnection: keep-alive\r\n\r\n"},
		{"IPv6", "http://[::1]/", bench.Load{KeepAlive: true}, "GET / HTTP/1.1\r\nHost: [::1]\r\nUser-Agent: matrix\r\n\r\n"},
		{"IPv6 and port", "http://[::1]:81/", bench.Load{KeepAlive: true}, "GET / HTTP/1.1\r\nHost: [::1]:81\r\nUser-Agent: matrix\r\n\r\n"},
		{"body", "http://h/", bench.Load{KeepAlive: true, Method: "POST", Body: []byte("a=b")}, "POST / HTTP/1.1\r\nHost: h\r\nUser-Agent: matrix\r\nContent-Length: 3\r\n\r\na=b"},
		{"PUT of nothing", "http://h/", bench.Load{KeepAlive: true, Method: "PUT"}, "PUT / HTTP/1.1\r\nHost: h\r\nUser-Agent: matrix\r\nContent-Length: 0\r\n\r\n"},
		{"user", "http://u:p%40@h/", bench.Load{KeepAlive: true}, "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: matrix\r\nAuthorization: Basic dTpwQA==\r\n\r\n"},
		{"own headers replace", "http://h/", bench.Load{Header: []bench.Header{{Name: "host", Value: "other"}, {Name: "Connection", Value: "TE"}, {Name: "Cookie", Value: "a=1; b=2"}}},
			"GET / HTTP/1.1\r\nUser-Agent: matrix\r\nhost: other\r\nConnection: TE\r\nCookie: a=1; b=2\r\n\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := url.Parse(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Request(u, tt.load)
			if err != nil || string(got) != tt.want {
				t.Fatalf("got %q, %v; want %q", got, err, tt.want)
			}
			if _, err := http.ReadRequest(bufio.NewReader(strings.NewReader(string(got)))); err != nil {
				t.Errorf("a server cannot read it: %v", err)
			}
		})
	}
}

func TestRequestRefuses(t *testing.T) {
	u := &url.URL{Scheme: "http", Host: "h", Path: "/"}
	for name, l := range map[string]bench.Load{
		"method of two words": {Method: "GET /x"},
		"method with a break": {Method: "GET\r\n"},
		"name with a colon":   {Header: []bench.Header{{Name: "A: b", Value: "c"}}},
		"empty name":          {Header: []bench.Header{{Name: "", Value: "c"}}},
		"value with a break":  {Header: []bench.Header{{Name: "A", Value: "b\r\nC: d"}}},
	} {
		if b, err := Request(u, l); err == nil {
			t.Errorf("%s: accepted as %q", name, b)
		}
	}
}
