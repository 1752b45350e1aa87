package export

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// charts are pictures of everything that a chart can hold.
func charts() []table.Chart {
	series := []table.Series{
		{Name: nasty, Points: []table.Point{{X: 1, Y: new(100.0)}, {X: 10, Failed: true}, {X: 100, Y: new(90000.0)}}},
		{Name: "日本語 `|` 👩‍👩‍👧", Points: []table.Point{{X: 1, Y: new(50.0)}, {X: 10, Y: new(700.0)}, {X: 100}}},
		{Name: "two\nlines\x1b[31m\u202e\xff", Points: []table.Point{{X: 10, Failed: true}}},
	}
	lines := table.Chart{Kind: bench.Lines, Title: nasty, About: nasty, XLabel: nasty, YLabel: nasty, Unit: "<b>", XLog: true, YLog: true,
		Ticks: []table.Tick{{At: 1, Text: nasty}, {At: 10, Text: "10"}, {At: 100, Text: strings.Repeat("long", 100)}}, Series: series}
	linear := lines
	linear.XLog, linear.YLog = false, false
	bars := linear
	bars.Kind, bars.Ticks = bench.Bars, []table.Tick{{At: 0, Text: "a"}, {At: 1, Text: "b"}}
	bars.Series = []table.Series{{Name: "down", Points: []table.Point{{X: 0, Y: new(-5.0)}, {X: 1, Y: new(0.0)}}}, {Name: "lost", Points: []table.Point{{X: 0, Failed: true}}}}
	lost := bars
	lost.Series = bars.Series[1:]
	one := lines
	one.XLog, one.YLog, one.Ticks = false, true, one.Ticks[:1]
	one.Series = []table.Series{{Name: "one", Points: []table.Point{{X: 1, Y: new(1.0)}}}}
	return []table.Chart{lines, linear, bars, lost, one}
}

// TestPictureIsClean reads the drawing as XML: the names stand in it as they are,
// and nothing that runs or comes from elsewhere does.
func TestPictureIsClean(t *testing.T) {
	number := regexp.MustCompile(`NaN|Inf`)
	for i, c := range charts() {
		svg, err := picture(c)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := picture(c); again != svg {
			t.Errorf("%d: the same chart gave other bytes", i)
		}
		if bad := number.FindString(string(svg)); bad != "" {
			t.Errorf("%d: %s in %s", i, bad, svg)
		}
		texts := textsOf(t, string(svg))
		for _, s := range c.Series {
			if name := clipped(Visible(s.Name), longestName); !slices.Contains(texts["text"], name) {
				t.Errorf("%d: no %q in %q", i, name, texts["text"])
			}
		}
		if texts["title"][0] != Visible(c.Title) || !slices.Equal(texts["desc"], []string{Visible(c.About)}) {
			t.Errorf("%d: title %q, description %q", i, texts["title"], texts["desc"])
		}
	}
}

// textsOf is the texts of a drawing by their element.
func textsOf(t *testing.T, svg string) map[string][]string {
	t.Helper()
	texts := map[string][]string{}
	allowed := map[string]bool{"svg": true, "title": true, "desc": true, "g": true, "path": true, "text": true, "circle": true}
	dec := xml.NewDecoder(strings.NewReader(svg))
	element := ""
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch tok := token.(type) {
		case xml.StartElement:
			element = tok.Name.Local
			if !allowed[element] {
				t.Errorf("element %s", element)
			}
			for _, a := range tok.Attr {
				outside := a.Name.Local != "xmlns" && (strings.Contains(a.Value, "://") || strings.Contains(a.Value, "url("))
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" || outside {
					t.Errorf("attribute %s=%q", a.Name.Local, a.Value)
				}
			}
		case xml.EndElement:
			element = ""
		case xml.CharData:
			if element != "" && element != "svg" && element != "g" {
				texts[element] = append(texts[element], string(tok))
			}
		}
	}
}

// TestFailedIsMarked holds that a lost cell has a cross of its series' colour and
// breaks the line, and that it says so in the legend.
func TestFailedIsMarked(t *testing.T) {
	points := func(middle table.Point) []table.Point {
		return []table.Point{{X: 1, Y: new(5.0)}, {X: 2, Y: new(6.0)}, middle, {X: 4, Y: new(7.0)}, {X: 5, Y: new(8.0)}}
	}
	c := table.Chart{Kind: bench.Lines, Ticks: []table.Tick{{At: 1, Text: "1"}, {At: 5, Text: "5"}}}
	strokes := map[string]int{}
	for name, middle := range map[string]table.Point{"whole": {X: 3, Y: new(6.5)}, "gap": {X: 3}, "failed": {X: 3, Failed: true}} {
		c.Series = []table.Series{{Name: "s", Points: points(middle)}}
		svg, err := picture(c)
		if err != nil {
			t.Fatal(err)
		}
		strokes[name] = strings.Count(string(svg), `stroke="#0072B2"`)
		if said := strings.Contains(string(svg), "× failed"); said != middle.Failed {
			t.Errorf("%s: the legend says failed: %v", name, said)
		}
	}
	// One more in the legend; a broken line is two, a cross two.
	if strokes["whole"] != 2 || strokes["gap"] != 3 || strokes["failed"] != 5 {
		t.Errorf("strokes %v", strokes)
	}
}

func TestCleanedRefusesStrangers(t *testing.T) {
	for _, raw := range []string{`<svg><script>1</script></svg>`, `<svg><image href="x"/></svg>`, `<svg`, `<a>`} {
		if got, err := cleaned([]byte(raw), "", "", nil); err == nil {
			t.Errorf("%s became %s", raw, got)
		}
	}
	got, err := cleaned([]byte(`<svg viewBox="0 0 1 1" onload="x"><path d="M0,0" style="fill:#010203;stroke:#040506;stroke-width:&quot;2;background:url(x)" onclick="x"/></svg>`), "<t>", "d", []hit{{1, 2.25, "<p>"}})
	want := "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 1 1\">\n<title>&lt;t&gt;</title>\n<desc>d</desc>\n<path d=\"M0,0\" fill=\"currentColor\" stroke=\"currentColor\" stroke-opacity=\"0.2\" stroke-width=\"&#34;2\"/>\n" +
		"<g fill=\"none\" pointer-events=\"all\">\n<circle class=\"hit\" cx=\"1.0\" cy=\"2.2\" r=\"8\"><title>&lt;p&gt;</title></circle>\n</g>\n</svg>\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
}

// TestChartStandsInThePage holds that a page carries the drawing as it is.
func TestChartStandsInThePage(t *testing.T) {
	r := single()
	r.Charts, r.Tables[0].Charts = nil, charts()
	page := string(written(t, HTML, r))
	svg, err := picture(charts()[0])
	if err != nil || !strings.Contains(page, string(svg)) || strings.Count(page, "<svg") != len(charts()) {
		t.Errorf("%v: the page holds %d drawings", err, strings.Count(page, "<svg"))
	}
}

// FuzzPicture draws whatever a run may hold: it is always a whole drawing, with
// the name of the series and no number that is none.
func FuzzPicture(f *testing.F) {
	f.Add("a", 1.0, 2.0, 3.0, true)
	f.Add(nasty, 1e-300, 1e300, 5e-324, false)
	f.Add("", -1.0, 0.0, 1e15, true)
	f.Add("\x00\xff", 6082.0, 5.81, 0.1, false)
	f.Fuzz(func(t *testing.T, name string, x, low, high float64, bars bool) {
		if math.IsNaN(x+low+high) || math.IsInf(x+low+high, 0) || math.Abs(x) > 1e300 || math.Abs(low) > 1e300 || math.Abs(high) > 1e300 {
			return // which the values of a chart never are
		}
		after := max(x+1, math.Nextafter(x, math.Inf(1)))
		c := table.Chart{Kind: bench.Lines, Title: name, XLabel: name, Ticks: []table.Tick{{At: x, Text: name}, {At: after, Text: "next"}},
			Series: []table.Series{{Name: name, Points: []table.Point{{X: x, Y: &low}, {X: after, Y: &high}}}}}
		c.XLog, c.YLog = x > 1e-15 && x < 1e15, min(low, high) > 1e-15 && max(low, high) < 1e18
		if bars {
			c.Kind, c.XLog, c.YLog = bench.Bars, false, false
			c.Ticks[0].At, c.Ticks[1].At = 0, 1
		}
		svg, err := picture(c)
		if err != nil {
			t.Fatal(err)
		}
		texts := textsOf(t, string(svg))
		if want := clipped(Visible(name), longestName); want != "" && !slices.Contains(texts["text"], want) {
			t.Errorf("no %q in %q", want, texts["text"])
		}
		if strings.Contains(strings.Join(regexp.MustCompile(` d="[^"]*"`).FindAllString(string(svg), -1), ""), "NaN") {
			t.Errorf("%s", svg)
		}
	})
}

func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 252, "0 50 100 150 200 250"}, {0, 1, "0 0.2 0.4 0.6 0.8 1"}, {0, 68132, "0 20000 40000 60000"}, {-5.25, 0, "-5 -4 -3 -2 -1 0"},
		{0, 16.8, "0 5 10 15"}, {0, 5e-324, "0"},
	} {
		var got []string
		for _, tick := range (plainTicks{plot.TickerFunc(roundTicks)}).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v to %v: %v, want %s", c.low, c.high, got, c.want)
		}
	}
}

func TestDecades(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
		all       int
	}{
		{0.1, 10, "0.1 1 10", 19}, {1, 1e6, "1 10 100 1000 10000 100000 1000000", 55}, {1e-3, 1e-2, "0.001 0.01", 10}, {1, 1e16, "1 100 10000 1000000 100000000 10000000000 1000000000000 100000000000000 1e+16", 17},
	} {
		var got []string
		ticks := plainTicks{plot.TickerFunc(decades)}.Ticks(c.low, c.high)
		for _, tick := range ticks {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		if strings.Join(got, " ") != c.want || len(ticks) != c.all {
			t.Errorf("%v to %v: %d ticks, %v", c.low, c.high, len(ticks), got)
		}
	}
}

// TestASeriesHasTheLookThatItsChartSays, and that of its place where it says none.
func TestASeriesHasTheLookThatItsChartSays(t *testing.T) {
	two := []table.Series{{Name: "a"}, {Name: "b"}}
	for _, c := range []struct{ looks, want []int }{{nil, []int{0, 1}}, {[]int{0, 4}, []int{0, 4}}, {[]int{-1, 7}, []int{0, 1}}, {[]int{2}, []int{2, 1}}} {
		for i, m := range marksOf(table.Chart{Series: two, Looks: c.looks}) {
			if m.color != looks[c.want[i]].color {
				t.Errorf("%v: series %d is %v", c.looks, i, m.color)
			}
		}
	}
}

// TestBarsOfOneSeriesNeedNoLegend: the axis says what they are.
func TestBarsOfOneSeriesNeedNoLegend(t *testing.T) {
	c := table.Chart{Kind: bench.Bars, YLabel: "Rate", Ticks: []table.Tick{{At: 0, Text: "x"}},
		Series: []table.Series{{Name: "Rate", Points: []table.Point{{X: 0, Y: new(5.0)}}}}}
	for name, want := range map[string]int{"Rate": 1, "a": 2} { // texts that are the name or the label
		c.Series[0].Name = name
		svg, err := picture(c)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(svg), ">Rate</text>") + strings.Count(string(svg), ">a</text>"); got != want {
			t.Errorf("%s: %d texts", name, got)
		}
	}
}
