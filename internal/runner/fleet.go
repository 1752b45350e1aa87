package runner

import (
	"context"
	"errors"
	"fmt"

	"matrix/internal/bench"
	"matrix/internal/fixtures"
	"matrix/internal/observe"
	"matrix/internal/system"
)

// Site is a system that is up.
type Site struct {
	Base    string        // base URL, without the file's path
	Party   observe.Party // the server's processes, as far as they can be told
	Ended   func() error  // tells why the server is no longer there; nil when it is not ours
	Offline bool          // nothing is asked of it: the host has no part in what comes out
}

// Fleet brings the systems of a plan up when they are first needed.
type Fleet interface {
	// Up returns the site of the cell's system, started and checked on first use.
	// A driver that makes no connections gets a site without starting anything.
	Up(ctx context.Context, c bench.Cell) (Site, error)
	// Lost tells that the server of the system ended by itself: the next Up
	// starts it again.
	Lost(index int)
	// Down stops all that was started.
	Down(ctx context.Context) error
}

// Servers is the Fleet that starts real servers and checks real URLs.
type Servers struct {
	Plan     *bench.Plan
	Site     func(index int) system.Site // where a system's server lives
	Manifest fixtures.Manifest
	Offline  func(driver string) bool            // whether a driver makes no connections
	Started  func(index int, i bench.ServerInfo) // told of each server that came up; may be nil

	up   map[int]Site
	live map[int]*system.Running
	down map[int]*fall
}

// starts is how often a system is brought up in vain before the rest of its
// trials fail at once: each time can take half a minute.
const starts = 3

// fall is how a system could not be brought up.
type fall struct {
	times int
	err   error
}

// Up starts the system's server, or looks whether its URL answers, and checks
// that each file is served as the cell's load expects. A system that could not be brought up three times on end
// is not tried again in this sweep.
func (s *Servers) Up(ctx context.Context, c bench.Cell) (Site, error) {
	index, sys := c.System, s.Plan.Systems[c.System]
	if s.Offline(c.Driver) {
		return Site{Base: sys.URL, Offline: true}, nil
	}
	if site, ok := s.up[index]; ok {
		return site, nil
	}
	if f, ok := s.down[index]; ok && f.times >= starts {
		return Site{}, errors.New(bench.GivenUp(f.err.Error(), f.times))
	}
	site, err := s.bring(ctx, index, sys, c.Load)
	if err != nil {
		if ctx.Err() == nil {
			s.fell(index, err)
		}
		return Site{}, err
	}
	delete(s.down, index)
	put(&s.up, index, site)
	return site, nil
}

func (s *Servers) fell(index int, err error) {
	times := 1
	if f, again := s.down[index]; again {
		times += f.times
	}
	put(&s.down, index, &fall{times, err})
}

func (s *Servers) bring(ctx context.Context, index int, sys bench.System, l bench.Load) (Site, error) {
	k, err := system.KindOf(sys)
	if err != nil {
		return Site{}, err
	}
	running, err := k.Start(ctx, sys, s.Site(index))
	if err != nil {
		return Site{}, err
	}
	if err := running.Verify(ctx, l, s.Manifest); err != nil {
		return Site{}, errors.Join(err, running.Stop(context.WithoutCancel(ctx)))
	}
	if s.Started != nil {
		s.Started(index, running.Info())
	}
	site := Site{Base: running.BaseURL()}
	if sys.Server != nil {
		put(&s.live, index, running)
		site.Party.Server, site.Ended = running.PIDs, running.Alive
	}
	apart, told := running.Apart(ctx, l)
	site.Party.Apart, site.Party.Hidden = apart, !told
	return site, nil
}

// Lost forgets a server that ended by itself, so that the next trial starts it
// anew.
func (s *Servers) Lost(index int) {
	if running, ok := s.live[index]; ok {
		_ = running.Stop(context.Background()) // reaps what is left; it has ended already
	}
	delete(s.live, index)
	delete(s.up, index)
}

// Down stops every server that is still up and returns all that went wrong.
func (s *Servers) Down(ctx context.Context) error {
	var errs []error
	for index, running := range s.live {
		if err := running.Stop(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stopping %s: %w", s.Plan.Systems[index].ID(), err))
		}
	}
	clear(s.live)
	clear(s.up)
	return errors.Join(errs...)
}

func put[K comparable, V any](m *map[K]V, key K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = v
}
