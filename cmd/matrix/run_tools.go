package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"matrix/internal/bench"
	"matrix/internal/driver"
	"matrix/internal/system"
)

// checkTools makes each driver that the plan needs and asks whether this
// machine has it, and each server kind likewise: every absence is told at once.
func checkTools(ctx context.Context, plan *bench.Plan) (map[string]driver.Driver, map[string]string, error) {
	drivers, tools := map[string]driver.Driver{}, map[string]string{"matrix": version(), "go": runtime.Version()}
	var missing []error
	for _, c := range plan.Cells {
		if drivers[c.Driver] != nil {
			continue
		}
		kind, err := driver.Find(c.Driver)
		if err != nil {
			return nil, nil, failure{exitAuthor, err}
		}
		d := kind.New()
		v, err := d.Check(ctx)
		if err != nil {
			missing = append(missing, fmt.Errorf("driver %s: %w", c.Driver, err))
		}
		drivers[c.Driver], tools[c.Driver] = d, v
	}
	for _, s := range plan.Systems {
		parts, err := system.Parts(s)
		if err != nil {
			return nil, nil, failure{exitAuthor, err}
		}
		for _, part := range parts {
			if _, asked := tools[part.Name]; asked {
				continue
			}
			v, err := part.Check(ctx)
			if err != nil {
				missing = append(missing, fmt.Errorf("server %s: %w", part.Name, err))
			}
			tools[part.Name] = v
		}
	}
	if err := errors.Join(missing...); err != nil {
		return nil, nil, failure{exitAuthor, err}
	}
	return drivers, tools, nil
}
