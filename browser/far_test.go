package browser

import "testing"

// TestFarIsLaidOutNear holds that a chart below the window takes no time of a
// page that opens, but its room, and is there once one comes to it.
func TestFarIsLaidOutNear(t *testing.T) {
	p := open(t, "large", "", Look{})
	const last = `[...document.querySelectorAll('figure')].at(-1)`
	const there = last + `.querySelector('svg').checkVisibility({contentVisibilityAuto: true})`
	if value[bool](t, p, there) {
		t.Error("the last chart is laid out at once")
	}
	if h := value[float64](t, p, last+`.getBoundingClientRect().height`); h < 200 {
		t.Errorf("its room is %v high", h)
	}
	const come = `new Promise(r => { ` + last + `.scrollIntoView(); requestAnimationFrame(() => requestAnimationFrame(() => r(true))); })`
	value[bool](t, p, come)
	if !value[bool](t, p, there) {
		t.Error("one that came to the last chart sees none")
	}
}
