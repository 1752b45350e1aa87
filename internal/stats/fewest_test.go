package stats

import "testing"

// TestFewestForStep: docs/history.md tells that no step is found in fewer than 22
// runs of a grid of 300 cells; with one run fewer than the number told, none is
// found however great it is, and with as many it is.
func TestFewestForStep(t *testing.T) {
	for alpha, want := range map[float64]int{0.05: 12, 0.05 / 8: 16, 0.05 / 300: 22, 1e-300: MostForStep} {
		n := FewestForStep(alpha)
		if n != want {
			t.Errorf("%v: %d values, not %d", alpha, n, want)
		}
		if n == MostForStep {
			continue
		}
		for _, count := range []int{n - 1, n} {
			v := make([]float64, count)
			for i := range v {
				v[i] = float64(i) / 1000
				if i >= count/2 {
					v[i] += 100
				}
			}
			steps := 0
			for _, s := range Steps(v, StepOptions{Alpha: alpha}) {
				if !s.Recent {
					steps++
				}
			}
			if found := steps > 0; found != (count == n) {
				t.Errorf("%v: a step in %d values is found: %v", alpha, count, found)
			}
		}
	}
}
