package browser

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

var looks = map[string]Look{
	"light": {Width: 1280, Height: 900}, "dark": {Width: 1280, Height: 900, Dark: true}, "narrow": {Width: 360, Height: 640}, "wide": {Width: 2560, Height: 1440},
}

// TestEveryPage opens all pages in every look: axe-core finds nothing, the body
// is no wider than the window, and the console is silent.
func TestEveryPage(t *testing.T) {
	for _, name := range append([]string{"fake", "full", "hostile"}, published...) {
		for look, how := range looks {
			t.Run(name+"/"+look, func(t *testing.T) {
				p := open(t, name, "", how)
				if wide := value[int](t, p, `document.documentElement.scrollWidth`); wide > int(how.Width) {
					t.Errorf("the page is %d wide: %s", wide, value[string](t, p, `[...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll')).slice(0, 5).map(e => e.tagName + '.' + e.className).join()`))
				}
				found, err := p.Axe(axePath)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range found {
					t.Error(v)
				}
			})
		}
	}
}

func TestDark(t *testing.T) {
	const colours = `(s => [s.backgroundColor, s.color])(getComputedStyle(document.body))`
	light, dark := value[[]string](t, open(t, "fake", "", Look{}), colours), value[[]string](t, open(t, "fake", "", Look{Dark: true}), colours)
	if light[0] != "rgb(255, 255, 255)" || dark[0] != "rgb(20, 23, 27)" || dark[1] != "rgb(227, 231, 235)" {
		t.Errorf("light %v, dark %v", light, dark)
	}
}

// TestWithoutScripts holds that the page is whole: every table, row and chart is
// seen, and nothing that would do nothing.
func TestWithoutScripts(t *testing.T) {
	const count = `['table.data tbody tr', 'figure svg', 'table.heat', '#notes', '#conditions', '#scenario', '#reproduce'].map(s =>
		[...document.querySelectorAll(s)].filter(e => e.checkVisibility() && e.getBoundingClientRect().height > 0).length)`
	with, without := open(t, "fake", "", Look{}), open(t, "fake", "", Look{NoScript: true})
	a, b := value[[]int](t, with, count), value[[]int](t, without, count)
	for i := range a {
		if a[i] != b[i] || a[i] == 0 {
			t.Errorf("visible with scripts %v, without %v", a, b)
			break
		}
	}
	if n := value[int](t, without, `document.querySelectorAll('button, input, select, .tip').length`); n != 0 {
		t.Errorf("%d controls without a script", n)
	}
}

func TestPrint(t *testing.T) {
	for _, name := range []string{"fake", "full", "solaris-2002"} {
		p := open(t, name, "", Look{Dark: true})
		pdf, err := chromedp.Run(p, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPreferCSSPageSize()))
		if err != nil {
			t.Fatal(err)
		}
		if pages := bytes.Count(pdf, []byte("/Type /Page\n")); !bytes.HasPrefix(pdf, []byte("%PDF")) || pages == 0 {
			t.Errorf("%s: %d pages in %d bytes", name, pages, len(pdf))
		}
	}
}

// TestHostile holds that no word of a stranger becomes an element or runs.
func TestHostile(t *testing.T) {
	p := open(t, "hostile", "", Look{})
	if n := value[int](t, p, `document.querySelectorAll('script').length`); n != 1 {
		t.Errorf("%d scripts", n)
	}
	if n := value[int](t, p, `[...document.querySelectorAll('a')].filter(a => !/^(file|https?):/.test(a.href)).length`); n != 0 {
		t.Errorf("%d links lead elsewhere", n)
	}
}

// TestLarge holds that all of 10,000 cells are there, that those asked for are
// found among them, and that all are drawn on demand, on paper and without scripts.
func TestLarge(t *testing.T) {
	const drawn = `[...document.querySelectorAll('table.data tbody tr')].filter(r => r.checkVisibility()).length`
	p := open(t, "large", "#filter=Server%3Dalpha&filter=Size%3D1.5+kB&filter=Kernel%3D6.12", Look{})
	all, shown := value[int](t, p, `document.querySelectorAll('table.data tbody tr').length`), value[int](t, p, drawn)
	if all != 10000 || shown != 200 {
		t.Errorf("%d of %d rows are drawn", shown, all)
	}
	if got := value[string](t, p, status); got != "250 of 10000 rows match, 200 of them are drawn." {
		t.Errorf("status: %s", got)
	}
	choose(t, p, "Server", "all")
	if got := value[string](t, p, status); got != "1250 of 10000 rows match, 200 of them are drawn." {
		t.Errorf("status: %s", got)
	}
	value[bool](t, p, `[...document.querySelectorAll('#tools button')].find(b => b.textContent === 'Draw all').click(), true`)
	if got := value[int](t, p, drawn); got != 1250 {
		t.Errorf("%d rows are drawn", got)
	}
	if got := value[int](t, open(t, "large", "", Look{NoScript: true}), drawn); got != 10000 {
		t.Errorf("without scripts %d rows are drawn", got)
	}
}

// BenchmarkLarge tells how long the page of 10,000 cells takes to open, until
// its first frame, to show what a filter leaves, and to sort: by the clock, and by
// the CPU time of the page's own thread, which other work does not change.
func BenchmarkLarge(b *testing.B) {
	const frame = `new Promise(r => requestAnimationFrame(() => setTimeout(() => r(true))))`
	total := map[string]float64{}
	for b.Loop() {
		p := open(b, "about", "", Look{})
		if _, err := chromedp.Call(p, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
			b.Fatal(err)
		}
		timed := func(name string, f func()) {
			cpu, start := busy(b, p), time.Now()
			f()
			value[bool](b, p, frame)
			total[name+"-ms"] += time.Since(start).Seconds() * 1000
			total[name+"-cpu-ms"] += (busy(b, p) - cpu) * 1000
		}
		timed("open", func() { do(b, p, chromedp.Navigate("file://"+filepath.Join(folder, "large.html"))) })
		value[bool](b, p, `document.querySelector('#tools input').focus(), true`)
		timed("filter", func() {
			if _, err := chromedp.Call(p, input.InsertText, input.InsertTextParams{Text: "gamma 6.12"}); err != nil {
				b.Fatal(err)
			}
		})
		timed("sort", func() { value[bool](b, p, `document.querySelector('table.data th button').click(), true`) })
	}
	for name, v := range total {
		b.ReportMetric(v/float64(b.N), name)
	}
}

// busy is the seconds of CPU that the page's thread has used for tasks.
func busy(b *testing.B, p *Page) float64 {
	b.Helper()
	got, err := chromedp.Call(p, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range got.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	b.Fatal("the browser does not tell")
	return 0
}
