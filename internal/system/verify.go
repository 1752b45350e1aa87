package system

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"matrix/internal/fixtures"
)

// picks is how many files of a large set are asked for beside its first and
// last.
const picks = 16

// headTime is how long a server may take to begin an answer; the body, which
// may be of gigabytes, has as long as the context gives.
const headTime = 30 * time.Second

// Verify asks the server at base for each file of the manifest once - of a
// large set for the first, the last and 16 others - and compares length and
// checksum. The error tells of the first file that is not as it should be:
// "GET /small.html on nginx: 404 Not Found, expected 1500 bytes".
func Verify(ctx context.Context, base string, m fixtures.Manifest) error {
	u, err := checkURL(base)
	if err != nil {
		return fmt.Errorf("reading the URL of the server: %w", err)
	}
	return verify(ctx, u.Host, strings.TrimRight(base, "/"), m)
}

func verify(ctx context.Context, name, base string, m fixtures.Manifest) error {
	client := newClient()
	defer client.CloseIdleConnections()
	for _, path := range chosen(m.Paths()) {
		if err := verifyFile(ctx, client, base+path, m.Files[path]); err != nil {
			return fmt.Errorf("GET %s on %s: %w", path, name, err)
		}
	}
	return nil
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

func verifyFile(ctx context.Context, client *http.Client, url string, want fixtures.Entry) error {
	answer, err := get(ctx, client, url)
	if err != nil {
		return fmt.Errorf("%w, expected %d bytes", err, want.Size)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s, expected %d bytes", plain(answer.Status, 100), want.Size)
	}
	h := sha256.New()
	// One byte more tells a longer file without reading all of an endless one.
	n, err := io.Copy(h, io.LimitReader(answer.Body, want.Size+1))
	switch {
	case err != nil:
		return fmt.Errorf("%w after %d bytes, expected %d", cause(err), n, want.Size)
	case n > want.Size:
		return fmt.Errorf("more than the expected %d bytes", want.Size)
	case n < want.Size:
		return fmt.Errorf("%d bytes, expected %d", n, want.Size)
	case hex.EncodeToString(h.Sum(nil)) != want.SHA256:
		return fmt.Errorf("the right length, %d bytes, but another content than the test file's", n)
	}
	return nil
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
// decompressed, no proxy in between.
func newClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableCompression: true, ResponseHeaderTimeout: headTime},
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
