package bench

// Chart asks for pictures of the cells that a table shows.
type Chart struct {
	Kind ChartKind `json:"kind"`
	X    string    `json:"x,omitempty"` // label or axis along the picture; "": the first axis of numbers that varies, or else label
	Y    []string  `json:"y,omitempty"` // metrics, each in a picture of its own; nil: requests_per_second
}

// ChartKind is how the values of a chart are drawn.
type ChartKind string

// The kinds.
const (
	Lines ChartKind = "line" // a line for each system, by value along x where those are numbers
	Bars  ChartKind = "bar"  // a bar for each system at each value of x, from 0
)
