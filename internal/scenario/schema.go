package scenario

import (
	"encoding/json"
	"maps"
	"slices"

	"matrix/internal/bench"
)

type object = map[string]any

// Schema is the JSON Schema (draft 2020-12) of a scenario, for editors. It
// checks the shape; what only the whole tells, such as a file that a block
// names and nobody made, is Parse's to find.
func Schema(known Known) []byte {
	properties, required := object{}, []string{}
	for _, k := range topKeys() {
		properties[k.name] = described(k.schema(known), k.doc, k.def)
		if k.required {
			required = append(required, k.name)
		}
	}
	text, err := json.MarshalIndent(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "matrix scenario, version 1", "description": "A benchmark matrix: files, systems and the grid of loads that each system gets.",
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	}, "", "  ")
	if err != nil {
		panic("scenario: schema: " + err.Error()) // made of literals
	}
	return append(text, '\n')
}

// described adds a description to a copy of a schema.
func described(schema any, doc, def string) any {
	out := object{}
	maps.Copy(out, schema.(object))
	out["description"] = doc
	if def != "" {
		out["description"] = doc + " Default: " + def + "."
	}
	return out
}

func plainSchema(Known) any { return scalarSchema() }

func kindSchema(k kind) func(Known) any { return func(Known) any { return k.schema } }

func closed(properties object, required ...string) object {
	o := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

func listOf(item any) object { return object{"type": "array", "minItems": 1, "items": item} }

func sourceSchema(Known) any {
	return either(scalarSchema(), closed(object{"title": scalarSchema(), "date": scalarSchema(), "url": scalarSchema()}))
}

func filesSchema(Known) any {
	size := sizes(1 << 62).schema
	return object{"type": "object", "minProperties": 1,
		"propertyNames": object{"pattern": fileName.String()},
		"additionalProperties": either(size, closed(object{
			"size": size, "count": described(counts(1, maxCount).schema, "Make this many equal files.", ""),
		}, "size"))}
}

func fieldSchema(f *field, k Known) object {
	one := f.kind.schema
	if f.name == "driver" && len(k.Drivers) > 0 {
		one = object{"enum": names(k.Drivers)}
	}
	if f.axis {
		one = either(one, listOf(one))
	}
	return described(one, f.doc, f.def).(object)
}

// groupSchema is of load and, with zip, of a block of the grid.
func groupSchema(k Known, zip bool) object {
	properties, zipped := object{}, object{}
	for i := range fields {
		f := &fields[i]
		properties[f.name] = fieldSchema(f, k)
		if f.axis {
			zipped[f.name] = listOf(scalarSchema())
		}
	}
	if zip {
		properties["zip"] = object{"type": "object", "properties": zipped, "additionalProperties": false, "minProperties": 1, "description": zipDoc}
	}
	return object{"type": "object", "properties": properties, "additionalProperties": false,
		"not": object{"required": []string{"requests", "duration"}}}
}

const zipDoc = "Lists that are walked together: the first values, then the second, and so on. They must be equally long."

func gridSchema(k Known) any { return listOf(groupSchema(k, true)) }

func systemsSchema(k Known) any {
	s := groupSchema(k, false)
	properties := s["properties"].(object)
	properties["labels"] = object{"type": "object", "minProperties": 1, "additionalProperties": scalarSchema(),
		"description": "What tells this system from the others; each label is a column, as written."}
	properties["url"] = object{"type": "string", "pattern": `^https?://|\$\{`,
		"description": "Base URL of a system that is running and serves the files. ${NAME} is taken from the environment."}
	properties["server"] = described(serverSchema(k), "A server that the runner starts, checks and stops: its kind, or a mapping of the kind and its settings.", "")
	s["required"] = []string{"labels"}
	s["oneOf"] = []any{object{"required": []string{"url"}}, object{"required": []string{"server"}}}
	return listOf(s)
}

func serverSchema(k Known) any {
	var short []string
	choices := []any{}
	for _, kind := range k.Servers {
		properties := object{"kind": object{"const": kind.Name, "description": kind.Doc}}
		required := []string{"kind"}
		for _, s := range serverKeys {
			if !slices.Contains(kind.Settings, s.name) {
				continue
			}
			properties[s.name] = described(s.schema, s.doc, "")
			if s.name == "argv" || s.name == "ready" {
				required = append(required, s.name)
			}
		}
		if len(required) == 1 {
			short = append(short, kind.Name)
		}
		choices = append(choices, closed(properties, required...))
	}
	if len(short) > 0 {
		choices = append([]any{object{"enum": short}}, choices...)
	}
	return either(choices...)
}

func termsSchema(Known) any {
	return listOf(object{"type": "object", "minProperties": 1, "additionalProperties": either(scalarSchema(), listOf(scalarSchema()))})
}

func metricSchema(k Known) any {
	if len(k.Metrics) == 0 {
		return scalarSchema()
	}
	choices := []any{object{"enum": k.Metrics}}
	for _, pattern := range k.Further {
		choices = append(choices, matching(pattern))
	}
	return either(choices...)
}

func columnsSchema(k Known) any {
	metric := metricSchema(k)
	return listOf(either(metric, closed(object{"metric": metric, "heading": scalarSchema()}, "metric")))
}

func wordsSchema() object { return object{"type": "object", "additionalProperties": scalarSchema()} }

func tablesSchema(k Known) any {
	return listOf(closed(object{
		"title":    described(scalarSchema(), "Stands above the table.", "the scenario's title"),
		"layout":   described(oneOf(bench.Flat, bench.Pivot).schema, "One row a cell and one column a metric, or values of labels and axes in both directions.", "flat"),
		"rows":     described(scalarSchema(), "Labels and axes that tell the rows apart, such as file,concurrency.", ""),
		"columns":  described(scalarSchema(), "Likewise of the columns, of a pivot only; .metric stands for the metrics.", ""),
		"metrics":  described(columnsSchema(k), "What is shown.", "columns"),
		"filter":   described(scalarSchema(), "Which cells are shown, such as Server:nginx.", "all"),
		"headings": described(wordsSchema(), "Headings by the name of a column, or by the values that head it.", ""),
		"over":     described(either(scalarSchema(), listOf(scalarSchema())), "Labels and axes that a figure may be taken over, such as driver; whatever else varies tells the rows apart.", ""),
		"chart":    described(chartSchema(k), "Pictures of what the table shows: line, bar, or a mapping of kind, x and y.", ""),
	}))
}

func baselineSchema(Known) any { return either(matching("="), wordsSchema()) }

func referenceSchema(Known) any {
	return either(scalarSchema(), closed(object{
		"run":    described(scalarSchema(), "Name under results/published, or the folder of a run.", ""),
		"rename": described(wordsSchema(), "Values of labels and axes here, and what they are called there.", ""),
		"ignore": described(listOf(object{"enum": fieldNames()}), "Axes that need not agree.", ""),
	}, "run"))
}
