package system

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/fixtures"
	"matrix/internal/load"
)

// picks is how many files of a large set are asked for beside its first and
// last.
const picks = 16

// headTime is how long a server that comes up may take to begin an answer.
const headTime = 30 * time.Second

// Verify asks for each file of the manifest once - of a large set for the first,
// the last and 16 others - with the native engine and as the trials of l will:
// the same headers, socket, TLS and protocol. Every answer must be a success. Of
// a server that is ours length and checksum must be the manifest's; of another
// one only where l has them checked. The error tells of the first file that is
// not as it should be: "GET /small.html on nginx: status 404".
func (r *Running) Verify(ctx context.Context, l bench.Load, m fixtures.Manifest) error {
	ours := r.guard != nil
	length, content := ours || l.Expect.Length != nil, ours || l.Expect.SampleOne > 0
	for _, file := range chosen(m.Paths()) {
		got, err := load.Run(ctx, once(l, r.URL(file), m.Files[file], length, content))
		if err == nil && got.OK != 1 {
			_, reason := got.State()
			if !ours && method(l) == http.MethodGet {
				reason += absent(reason)
			}
			err = errors.New(reason)
		}
		if err != nil {
			return fmt.Errorf("%s %s on %s: %w", method(l), file, r.name, err)
		}
		if r.info.Version == "" {
			r.info.Version = plain(got.Server, 200)
		}
	}
	return nil
}

// absent says how the files come to a server that is not ours, where its answer
// tells that they are not there.
func absent(reason string) string {
	switch {
	case strings.HasPrefix(reason, "status 404"), strings.HasPrefix(reason, "status 410"):
		return "; the test files do not seem to be there: `matrix fixtures` writes them, for you to copy"
	case strings.HasPrefix(reason, "a body of"), strings.HasPrefix(reason, "the body's SHA-256"):
		return "; it is not the file that `matrix fixtures` writes"
	}
	return ""
}

func method(l bench.Load) string {
	if l.Method == "" {
		return http.MethodGet
	}
	return l.Method
}

// once is the load l reduced to one request for one file.
func once(l bench.Load, target string, want fixtures.Entry, length, content bool) bench.Load {
	l.URLs, l.Conns, l.Requests, l.Duration = []string{target}, 1, 1, 0
	l.Rate, l.Warmup, l.Think, l.Ramp, l.Streams, l.Threads, l.OpenFiles = 0, 0, 0, 0, 0, 0, 0
	l.Expect = bench.Expect{}
	u, err := url.Parse(target)
	if err != nil || method(l) != http.MethodGet { // what else is asked for need not be the file
		return l
	}
	if length {
		l.Expect.Length = map[string]int64{u.Path: want.Size}
	}
	if content {
		l.Expect.SHA256, l.Expect.SampleOne = map[string]string{u.Path: want.SHA256}, 1
	}
	return l
}

// chosen leaves out most of each large directory. The choice depends on the
// paths alone, so that a run can be repeated.
func chosen(paths []string) []string {
	sets := map[string][]string{}
	for _, p := range paths {
		sets[path.Dir(p)] = append(sets[path.Dir(p)], p)
	}
	var all []string
	for dir, set := range sets {
		if dir == "/" || len(set) <= picks+2 {
			all = append(all, set...)
			continue
		}
		all = append(all, set[0], set[len(set)-1])
		r := rand.New(rand.NewPCG(uint64(len(set)), 0))
		for _, i := range r.Perm(len(set) - 2)[:picks] {
			all = append(all, set[i+1])
		}
	}
	slices.Sort(all)
	return all
}

func get(ctx context.Context, client *http.Client, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, cause(err)
	}
	answer, err := client.Do(req)
	if err != nil {
		return nil, cause(err)
	}
	return answer, nil
}

// newClient takes answers as they are: no redirects followed, nothing
// decompressed, no proxy in between, any certificate: it only asks whether a
// server of ours is up.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{DisableCompression: true, ResponseHeaderTimeout: headTime,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// cause takes the URL, which may hold a password, out of an error.
func cause(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
