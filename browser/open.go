package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Start starts a browser that keeps its profile in dir and asks nothing of the
// network on its own. Pages are opened in the context that it returns; cancel
// ends it.
func Start(ctx context.Context, dir string) (context.Context, context.CancelFunc, error) {
	options := []chromedp.ExecAllocatorOption{
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.DisableGPU, chromedp.NoSandbox,
		chromedp.UserDataDir(dir), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true),
	}
	allocated, stop := chromedp.NewExecAllocator(ctx, options...)
	browser, end := chromedp.NewContext(allocated)
	cancel := func() { end(); stop() }
	if err := chromedp.Do(browser); err != nil {
		cancel()
		return nil, nil, fmt.Errorf("starting the browser: %w", err)
	}
	return browser, cancel, nil
}

// Look is how a page is looked at.
type Look struct {
	Width, Height int64 // CSS pixels; 0: 1280 by 900
	Dark          bool
	NoScript      bool
}

// Page is a page in a tab of its own. Its context runs chromedp's actions.
type Page struct {
	context.Context

	mu       sync.Mutex
	troubles []string
	requests []string
}

// Open opens an address in a new tab of browser. cancel closes the tab.
func Open(browser context.Context, address string, look Look) (*Page, context.CancelFunc, error) {
	if look.Width == 0 {
		look.Width, look.Height = 1280, 900
	}
	p := &Page{}
	tab, cancel := chromedp.NewContext(browser, chromedp.WithListener(p.hear))
	p.Context = tab
	err := chromedp.Do(tab, chromedp.Func(look.apply), chromedp.Navigate(address))
	if err != nil {
		cancel()
		return nil, nil, fmt.Errorf("opening %s: %w", address, err)
	}
	return p, cancel, nil
}

// apply makes a tab look so, and tell what happens in it.
func (l Look) apply(ctx context.Context, t *chromedp.Target) error {
	scheme := "light"
	if l.Dark {
		scheme = "dark"
	}
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	_, media := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
	_, script := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.NoScript})
	_, size := cdp.Call(ctx, t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.Width, Height: l.Height, DeviceScaleFactor: 1})
	_, told := cdp.Call(ctx, t, log.Enable, cdp.Empty{})
	_, asked := cdp.Call(ctx, t, network.Enable, network.EnableParams{})
	return errors.Join(media, script, size, told, asked)
}

func (p *Page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.troubles = append(p.troubles, e.ExceptionDetails.Text+": "+e.ExceptionDetails.Exception.Description)
	case *runtime.EventConsoleAPICalled:
		p.troubles = append(p.troubles, "console: "+string(e.Type))
	case *log.EventEntryAdded:
		p.troubles = append(p.troubles, fmt.Sprintf("%s: %s", e.Entry.Source, e.Entry.Text))
	}
}

// Troubles is what the console told so far: exceptions, messages, and what the
// policy refused.
func (p *Page) Troubles() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.troubles...)
}

// Outside is the addresses asked for that are neither a file nor in the page.
func (p *Page) Outside() (list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, url := range p.requests {
		if !strings.HasPrefix(url, "file:") && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "about:") {
			list = append(list, url)
		}
	}
	return list
}

// Eval evaluates a script of the debugger's, which no policy binds. A promise is
// waited for.
func Eval[T any](p *Page, script string) (T, error) {
	v, err := chromedp.Run(p, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		return v, fmt.Errorf("evaluating in the page: %w", err)
	}
	return v, nil
}

// Picture is the whole page, or as much of it as is most pixels high, as PNG.
func (p *Page) Picture(width, most int64) ([]byte, error) {
	height, err := Eval[int64](p, `document.querySelectorAll('figure, .long').forEach(e => { e.style.contentVisibility = 'visible'; }),
		document.documentElement.scrollHeight`) // of all that the page lays out only when it is near
	if err != nil {
		return nil, err
	}
	size := chromedp.EmulateViewport(width, min(height, most))
	if err := chromedp.Do(p, size); err != nil {
		return nil, fmt.Errorf("sizing the page: %w", err)
	}
	png, err := chromedp.Run(p, chromedp.CaptureScreenshot())
	if err != nil {
		return nil, fmt.Errorf("taking a picture: %w", err)
	}
	return png, nil
}

// Axe runs axe-core, read from a file, and tells its violations.
func (p *Page) Axe(path string) (violations []string, err error) {
	axe, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading axe-core: %w", err)
	}
	if _, err := Eval[int](p, string(axe)+"\n;0"); err != nil {
		return nil, err
	}
	return Eval[[]string](p, `axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v => v.id + ': ' + v.help + ': ' +
		v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + (n.any[0]?.message ?? '')).join(' | ')))`)
}
