package driver

import (
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"time"

	"matrix/internal/bench"
)

// refusal gathers what of a load a tool cannot do, so that all of it is told at
// once. It must also do for a load whose server is not up yet: its URLs are then
// placeholders of the right number.
type refusal struct {
	tool string
	why  []string
}

func (r *refusal) cannot(is bool, format string, args ...any) {
	if is {
		r.why = append(r.why, fmt.Sprintf(format, args...))
	}
}

func (r *refusal) err() error {
	if len(r.why) == 0 {
		return nil
	}
	return errors.New(r.tool + " cannot make this load: " + strings.Join(r.why, "; "))
}

// common refuses what no external tool does.
func (r *refusal) common(l bench.Load) {
	r.cannot(l.Duration%time.Second != 0, "its time limit is in whole seconds, not %v", l.Duration)
	r.cannot(l.Warmup > 0 || l.Think > 0 || l.Ramp > 0, "it has no warm-up, think time or ramp")
	r.cannot(l.Generators > 1, "it is one generator, not %d", l.Generators)
	r.cannot(l.Backend != "", "it has no back ends")
	r.cannot(l.Unix != "", "it has no unix sockets")
	r.cannot(l.ReceiveLowWater, "it does not set SO_RCVLOWAT")
	r.cannot(l.TLS != nil && (l.TLS.ServerName != "" || l.TLS.CAFile != "" || l.TLS.CertFile != "" || l.TLS.NoResume), "it cannot be told how to shake hands over TLS")
	r.cannot(secure(l) && (l.TLS == nil || !l.TLS.Insecure), "it never checks certificates (say insecure: true)")
}

// plain refuses what only ab does of the settings of sockets and methods.
func (r *refusal) plain(l bench.Load) {
	r.cannot(len(l.Sources) > 0, "it cannot be told which address to connect from")
	r.cannot(l.ReceiveBuffer > 0, "it does not set SO_RCVBUF")
}

func secure(l bench.Load) bool {
	for _, u := range l.URLs {
		if strings.HasPrefix(u, "https:") {
			return true
		}
	}
	return false
}

func get(l bench.Load) bool { return (l.Method == "" || l.Method == "GET") && l.Body == nil }

// threads is how many threads a tool is told to use: those asked for, or as many
// as there are processors, down to a number that divides the connections, since
// such tools give each thread as many of them.
func threads(l bench.Load) int {
	if l.Threads > 0 {
		return l.Threads
	}
	n := max(min(runtime.GOMAXPROCS(0), l.Conns), 1)
	for l.Conns%n != 0 {
		n--
	}
	return n
}

// withoutUser takes user and password out of a URL, as a header of their own, and
// gives it a path.
func withoutUser(s string) (clean string, header []bench.Header, err error) {
	u, err := url.Parse(s)
	if err != nil {
		return "", nil, fmt.Errorf("reading the URL: %w", err)
	}
	if u.User != nil {
		password, _ := u.User.Password()
		header = []bench.Header{{Name: "Authorization", Value: "Basic " + basic(u.User.Username(), password)}}
		u.User = nil
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.Fragment = ""
	return u.String(), header, nil
}
