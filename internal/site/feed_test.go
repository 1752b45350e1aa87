package site

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// tagURI is that of RFC 4151, as far as the feed makes any.
var tagURI = regexp.MustCompile(`^tag:[a-z0-9.-]+,\d{4}(-\d{2}-\d{2})?:[A-Za-z0-9._~%/-]+$`)

// atom reads the feed of a site, and holds it against RFC 4287.
func atom(t *testing.T, o Options) atomFeed {
	t.Helper()
	var f atomFeed
	if err := xml.Unmarshal([]byte(read(t, o, feedName)), &f); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{f.ID: true}
	check := func(id, updated, title, href string) {
		if !tagURI.MatchString(id) {
			t.Errorf("%q is no tag URI", id)
		}
		if _, err := time.Parse(time.RFC3339, updated); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if u, err := url.Parse(href); err != nil || u.IsAbs() != (o.URL != "") || title == "" {
			t.Errorf("%s: title %q, link %q (%v)", id, title, href, err)
		}
	}
	if f.XMLName.Space != "http://www.w3.org/2005/Atom" || f.Author.Name == "" || len(f.Links) == 0 {
		t.Errorf("the feed lacks what RFC 4287 asks for: %+v", f)
	}
	for _, l := range f.Links {
		check(f.ID, f.Updated, f.Title, l.Href)
	}
	for _, e := range f.Entries {
		check(e.ID, e.Updated, e.Title, e.Link.Href)
		if ids[e.ID] {
			t.Errorf("%s is there twice", e.ID)
		}
		ids[e.ID] = true
		if e.Content.Type != "html" || e.Content.Text == "" {
			t.Errorf("%s says %q", e.ID, e.Content)
		}
	}
	return f
}

// worseAndWorse is a scenario whose second cell fails from the fourth night on,
// and whose first is slower from the ninth.
func worseAndWorse(t *testing.T, o Options, nights int) {
	for n := range nights {
		cells := map[string][]int{"a": steady(100 + n%3), "b <b>": steady(200 + n%2)}
		if n >= 3 {
			cells["b <b>"] = []int{0, 0}
		}
		if n >= 8 {
			cells["a"] = steady(150 + n%3)
		}
		night(t, o.Results, "night", n, cells)
	}
}

func titles(f atomFeed) (list []string) {
	for _, e := range f.Entries {
		list = append(list, e.Updated[:10]+" "+e.Title)
	}
	return list
}

func TestFeed(t *testing.T) {
	o := options(t)
	o.URL = "https://example.org/bench"
	worseAndWorse(t, o, 24)
	build(t, o)
	f := atom(t, o)
	want := []string{
		"2026-11-09 night: 1 cell worse than in the run before",
		"2026-11-09 night: 1 step for the worse",
		"2026-11-04 night: 1 cell worse than in the run before",
	}
	if got := titles(f); !slices.Equal(got, want) {
		t.Fatalf("the feed says\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if f.ID != "tag:example.org,2026:bench/feed" || f.Updated != "2026-11-24T03:00:00Z" || f.Links[0].Href != "https://example.org/bench/feed.xml" {
		t.Errorf("the feed is %s, of %s, at %s", f.ID, f.Updated, f.Links[0].Href)
	}
	slower := f.Entries[0]
	if slower.ID != "tag:example.org,2026-11-09:bench/night/20261109T030000Z" || slower.Link.Href != "https://example.org/bench/night/20261109T030000Z/index.html" {
		t.Errorf("an entry is %s, at %s", slower.ID, slower.Link.Href)
	}
	if failed := f.Entries[2].Content.Text; strings.Contains(failed, "<b>") || !strings.Contains(failed, "failed now") {
		t.Errorf("the entry of the failure says %s", failed)
	}

	night(t, o.Results, "night", 24, map[string][]int{"a": steady(150), "b <b>": {0, 0}})
	build(t, o)
	after := atom(t, o)
	for i, e := range after.Entries {
		if e.ID != f.Entries[i].ID || e.Updated != f.Entries[i].Updated {
			t.Errorf("with a further night, %s of %s became %s of %s", f.Entries[i].ID, f.Entries[i].Updated, e.ID, e.Updated)
		}
	}
}

func TestFeedWithoutAnAddress(t *testing.T) {
	o := options(t)
	worseAndWorse(t, o, 5)
	build(t, o)
	f := atom(t, o)
	if len(f.Entries) != 1 || f.ID != "tag:matrix.invalid,2026:feed" || f.Note == "" {
		t.Errorf("feed %s, note %q, entries %v", f.ID, f.Note, titles(f))
	}
	checkLinks(t, o)
}

func TestFeedIsBounded(t *testing.T) {
	p := &pass{now: &manifest{Runs: map[string]run{}, Scenarios: map[string]scenario{}}}
	for n := range 2 * mostEntries {
		started := firstNight.AddDate(0, 0, n)
		p.now.Runs["night/"+fmt.Sprint(n)] = run{Started: started, Worse: 1, Findings: slices.Repeat([]string{"x"}, 2*mostFindings)}
	}
	list := p.worse()
	if len(list) != mostEntries || !list[0].of.Started.Equal(firstNight.AddDate(0, 0, 2*mostEntries-1)) {
		t.Errorf("%d entries, the first of %s", len(list), list[0].of.Started)
	}
	if told := list[0].told(); strings.Count(told, "<li>") != mostFindings || !strings.Contains(told, "And 20 more.") {
		t.Errorf("an entry says %s", told)
	}
}

func TestAddresses(t *testing.T) {
	for _, address := range []string{"example.org", "ftp://example.org/", "https://", "https://example.org/?x=1", "https://u:p@example.org/", "javascript:alert(1)", "https://example.org/#x"} {
		o := options(t)
		o.URL = address
		if _, err := Make(t.Context(), o); err == nil || !strings.Contains(err.Error(), ErrURL.Error()) {
			t.Errorf("%s: error %v", address, err)
		}
		if _, err := os.Stat(o.Dir); err == nil {
			t.Errorf("%s: a folder was made", address)
		}
	}
}

// TestFeedOfOddAddresses holds that IDs are tag URIs (RFC 4151) and links are
// addresses wherever the site stands.
func TestFeedOfOddAddresses(t *testing.T) {
	for address, want := range map[string][2]string{
		"http://[::1]:8080/a b/":   {"tag:matrix.invalid,2026:a%20b/feed", "http://[::1]:8080/a%20b/feed.xml"},
		"https://Example.ORG/été/": {"tag:example.org,2026:%C3%A9t%C3%A9/feed", "https://Example.ORG/%C3%A9t%C3%A9/feed.xml"},
	} {
		o := options(t)
		o.URL = address
		night(t, o.Results, "night", 0, map[string][]int{"small": {100}})
		build(t, o)
		text := read(t, o, feedName)
		if !strings.Contains(text, "<id>"+want[0]+"</id>") || !strings.Contains(text, `rel="self" type="application/atom+xml" href="`+want[1]+`"`) {
			t.Errorf("%s gives\n%s", address, text)
		}
	}
}
