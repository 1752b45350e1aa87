package system

import (
	"context"
	"fmt"
	"strings"
	"time"

	"matrix/internal/bench"
)

// startExternal starts nothing: it asks the system whether it is there, once,
// and what it calls itself.
func startExternal(ctx context.Context, s bench.System, site Site) (*Running, error) {
	u, err := checkURL(s.URL)
	if err != nil {
		return nil, fmt.Errorf("reading the url of %s: %w", s.Where(), err)
	}
	u.RawQuery, u.Fragment = "", ""
	r := &Running{name: s.Where(), base: strings.TrimRight(u.String(), "/"), info: bench.ServerInfo{System: s.ID()}}
	path := "/"
	if len(site.Files) > 0 && site.Files[0].Name != "" {
		path = site.Files[0].Paths()[0]
	}
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	client := newClient()
	defer client.CloseIdleConnections()
	started := time.Now()
	answer, err := get(ctx, client, r.base+path)
	if err != nil {
		return nil, fmt.Errorf("nothing answers at %s (after %v): %w", r.name, time.Since(started).Round(time.Millisecond), err)
	}
	defer answer.Body.Close()
	r.info.Version = plain(answer.Header.Get("Server"), 200)
	return r, nil
}
