package bench

import "time"

// Until says when a cell has enough rounds: when it has Min and the interval of
// its median is narrow enough. It has at most Plan.Rounds.
type Until struct {
	Min   int     `json:"min"`   // rounds that every cell has, 1 or more
	Share float64 `json:"share"` // half width of the 95 % interval of the median requests per second, as a share of that median: 0.02 is 2 %
}

// Stop is why a cell gets no further round.
type Stop string

// The stops. "" is none: the cell is to go on.
const (
	StopNarrow Stop = "interval" // the interval of the median is narrow enough
	StopMost   Stop = "rounds"   // it has all the rounds that it may have
	StopBudget Stop = "budget"   // the budget of the sweep was spent
	StopFailed Stop = "failed"   // its first Until.Min rounds yielded no figures
)

// CoolDown is what a host must come down to before a trial begins.
type CoolDown struct {
	TimeWait int           `json:"time_wait"` // most TCP sockets in TIME_WAIT; below 0: any number
	Load     float64       `json:"load"`      // greatest load average over one minute; 0: any
	Max      time.Duration `json:"max_ns"`    // the trial begins after this time all the same
}

// AtRest is the condition of a host that `cool_down: true` waits for.
var AtRest = CoolDown{TimeWait: 5000, Load: 2, Max: 30 * time.Second}

// RestingLoad is the load average over one minute that a host of so many cores
// may have and still pass for one at rest, where nothing else is known of it.
func RestingLoad(cores int) float64 { return max(AtRest.Load, float64(cores)) }

// Limit is a figure that cells must keep.
type Limit struct {
	Metric string   `json:"metric"`
	Max    *float64 `json:"max,omitempty"`   // in the unit of the metric; nil: none. At least one of the two is set
	Min    *float64 `json:"min,omitempty"`   // likewise
	Where  string   `json:"where,omitempty"` // the filter that chose the cells, as written; "": all
}
