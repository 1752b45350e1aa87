package browser

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// column is the texts of a column of the first table, as its visible rows stand.
const column = `(name => {
	const table = document.querySelector('table.data');
	const at = [...table.tHead.rows[0].cells].findIndex(c => c.textContent.startsWith(name));
	return [...table.tBodies].flatMap(b => [...b.rows]).filter(r => r.checkVisibility()).map(r => r.cells[at].textContent.trim());
})`

const status = `document.querySelector('#tools [role=status]').textContent`

// choose picks an option by its text, as one who reads would.
func choose(t *testing.T, p *Page, label, option string) {
	t.Helper()
	value[bool](t, p, `(() => {
		const label = [...document.querySelectorAll('#tools label')].find(l => l.firstChild.data === '`+label+`');
		const select = label.querySelector('select');
		select.selectedIndex = [...select.options].findIndex(o => o.text === '`+option+`');
		select.dispatchEvent(new Event('change', {bubbles: true}));
		return true;
	})()`)
}

func TestSort(t *testing.T) {
	p := open(t, "fake", "", Look{})
	original := value[[]string](t, p, column+`('Server')`)
	head := `[...document.querySelectorAll('table.data th')].find(c => c.textContent.startsWith('Requests per second'))`
	for i, c := range []struct{ aria, edge string }{{"ascending", "least"}, {"descending", "greatest"}, {"", ""}} {
		value[bool](t, p, head+`.querySelector('button').focus(), true`)
		do(t, p, chromedp.KeyEvent("\r"))
		if got := value[string](t, p, head+`.getAttribute('aria-sort') ?? ''`); got != c.aria {
			t.Fatalf("press %d: aria-sort is %q, want %q", i+1, got, c.aria)
		}
		if c.aria == "" {
			if got := value[[]string](t, p, column+`('Server')`); !slices.Equal(got, original) {
				t.Errorf("the third press does not bring the order of the page back: %v", got)
			}
			continue
		}
		sorted := value[bool](t, p, column+`('Requests per second').filter(s => s !== '').map(parseFloat).every((v, i, all) => i === 0 || (`+
			map[string]string{"least": "all[i-1] <= v", "greatest": "all[i-1] >= v"}[c.edge]+`))`)
		rates := value[[]string](t, p, column+`('Requests per second')`)
		servers := value[[]string](t, p, column+`('Server')`)
		if !sorted || len(rates) != 24 || rates[0] == "" || rates[23] != "" {
			t.Errorf("%s first: %v", c.edge, rates)
		}
		for _, s := range servers[16:] {
			if !strings.HasPrefix(s, "gamma") {
				t.Errorf("%s first: those that failed are not last: %v", c.edge, servers)
			}
		}
	}
}

func TestFilterAndItsLink(t *testing.T) {
	p := open(t, "fake", "", Look{})
	if got := value[string](t, p, status); got != "24 of 24 rows shown." {
		t.Errorf("at first: %s", got)
	}
	choose(t, p, "Server", "alpha")
	choose(t, p, "Size", "1.5 kB")
	if got := value[string](t, p, status); got != "4 of 24 rows shown." {
		t.Errorf("filtered: %s", got)
	}
	if got := value[string](t, p, "location.hash"); got != "#filter=Server%3Dalpha&filter=Size%3D1.5+kB" {
		t.Errorf("fragment is %s", got)
	}
	do(t, p, chromedp.SendKeys[chromedp.Search]("#tools input", "1000"))
	fragment := value[string](t, p, "location.hash")
	if !strings.HasSuffix(fragment, "&q=1000") {
		t.Errorf("fragment is %s", fragment)
	}
	want := value[[]string](t, p, column+`('Requests per second')`)

	linked := open(t, "fake", fragment, Look{})
	if got := value[[]string](t, linked, column+`('Requests per second')`); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("the link shows %v, want %v", got, want)
	}
	if got := value[string](t, linked, `document.querySelector('#tools input').value`); got != "1000" {
		t.Errorf("the link searches for %q", got)
	}
	value[bool](t, linked, `[...document.querySelectorAll('#tools button')].find(b => b.textContent === 'Show all').click(), true`)
	if got := value[string](t, linked, status); got != "24 of 24 rows shown." {
		t.Errorf("after all: %s", got)
	}
}

func TestBackAndForward(t *testing.T) {
	p := open(t, "fake", "", Look{})
	choose(t, p, "Server", "alpha")
	choose(t, p, "Server", "beta")
	rows := func(want string) {
		t.Helper()
		if _, err := chromedp.Run(p, chromedp.Poll[bool](status+` === '`+want+` of 24 rows shown.'`)); err != nil {
			t.Errorf("%s rows: %v, %s", want, err, value[string](t, p, status))
		}
	}
	server := func(want string) {
		t.Helper()
		if _, err := chromedp.Run(p, chromedp.Poll[bool](column+`('Server').every(s => s === '`+want+`')`)); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
	server("beta")
	value[bool](t, p, "history.back(), true")
	server("alpha")
	value[bool](t, p, "history.back(), true")
	rows("24")
	value[bool](t, p, "history.forward(), true")
	server("alpha")
	rows("8")
	value[bool](t, p, "location.hash = '#notes', true") // a place in the page is no view
	rows("8")
}

func TestHostileFragments(t *testing.T) {
	for _, fragment := range []string{
		"#q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "#filter=Server%3D%3Cscript%3E&filter=__proto__%3Dx&filter=%3D&filter", "#sort=0:0&sort=1:999&sort=x&sort=1:-&sort=99:1&sort=1:1e9",
		"#=", "#%E0%A4%A&q=%", "#q=" + strings.Repeat("a", 100000), "#filter=constructor%3D1&sort=constructor:1",
	} {
		p := open(t, "fake", fragment, Look{})
		if got := value[int](t, p, `document.querySelectorAll('img, main script, iframe').length`); got != 0 {
			t.Errorf("%.50s made %d elements", fragment, got)
		}
		want := 24
		switch {
		case strings.HasSuffix(fragment, "q=%"), strings.HasPrefix(fragment, "#q="): // which no row has
			want = 0
		}
		if got := len(value[[]string](t, p, column+`('Server')`)); got != want {
			t.Errorf("%.50s shows %d rows, want %d", fragment, got, want)
		}
	}
}

func TestPointsOfCharts(t *testing.T) {
	p := open(t, "fake", "", Look{})
	value[bool](t, p, `document.querySelector('figure svg').focus(), true`)
	do(t, p, chromedp.KeyEvent("\u0303")) // the right arrow
	tip := `(t => t.hidden ? '' : t.textContent)(document.querySelector('.tip'))`
	first := value[string](t, p, tip)
	if !strings.Contains(first, "alpha") || !strings.Contains(first, "Requests per second") {
		t.Errorf("the first point tells %q", first)
	}
	do(t, p, chromedp.KeyEvent("\u0303"))
	if second := value[string](t, p, tip); second == first || second == "" {
		t.Errorf("the second point tells %q", second)
	}
	do(t, p, chromedp.KeyEvent("\u001b"))
	if got := value[string](t, p, tip); got != "" {
		t.Errorf("after Escape it still tells %q", got)
	}
}
