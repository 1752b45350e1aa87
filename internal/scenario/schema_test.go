package scenario

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	return compile(t, Schema(testKnown))
}

func compile(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is what an editor makes of YAML before it asks the schema: keys are
// texts, timestamps stay texts.
func asJSON(t *testing.T, n *yaml.Node) any {
	t.Helper()
	switch n.Kind {
	case yaml.AliasNode:
		return asJSON(t, n.Alias)
	case yaml.DocumentNode:
		return asJSON(t, n.Content[0])
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, asJSON(t, item))
		}
		return list
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			m[n.Content[i].Value] = asJSON(t, n.Content[i+1])
		}
		return m
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
	case "!!bool":
		return n.Value == "true"
	}
	return n.Value
}

func readYAML(t *testing.T, path string) any {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var n yaml.Node
	if err := yaml.Unmarshal(src, &n); err != nil {
		t.Fatal(err)
	}
	return asJSON(t, &n)
}

func TestSchemaTakesValidScenarios(t *testing.T) {
	schema := compiled(t)
	valid, _ := filepath.Glob("testdata/valid/*.yaml")
	shipped, _ := filepath.Glob("../../scenarios/*.yaml")
	if len(valid) < 4 || len(shipped) < 3 {
		t.Fatalf("%d valid scenarios and %d in scenarios/", len(valid), len(shipped))
	}
	for _, path := range valid {
		if err := schema.Validate(readYAML(t, path)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	// Those that are shipped name real drivers, servers and metrics.
	text, err := os.ReadFile("../../scenarios/scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema = compile(t, text)
	for _, path := range shipped {
		if err := schema.Validate(readYAML(t, path)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestSchemaRefusesBrokenScenarios names the mistakes that an editor can show;
// the others need the whole scenario.
func TestSchemaRefusesBrokenScenarios(t *testing.T) {
	schema := compiled(t)
	for _, name := range []string{
		"a-list", "counts", "durations", "enums", "file-names", "list-where-one", "missing-sections",
		"servers", "sizes", "system-reach", "unknown-deep", "unknown-top", "urls", "zip",
	} {
		if err := schema.Validate(readYAML(t, "testdata/broken/"+name+".yaml")); err == nil {
			t.Errorf("%s: the schema takes it", name)
		}
	}
}

func TestGenerated(t *testing.T) {
	golden(t, "testdata/schema.json", string(Schema(testKnown)))
	golden(t, "testdata/reference.golden", string(Reference(testKnown)))
	for _, f := range fields {
		if !strings.Contains(string(Reference(testKnown)), "| `"+f.name+"` |") {
			t.Errorf("the reference lacks %s", f.name)
		}
	}
}

// TestExamples reads the example and the default of every setting and key.
func TestExamples(t *testing.T) {
	base := "files: {small: 1kB, large: 2kB}\nsystems: [{labels: {OS: FreeBSD 4.2, Server: nginx}, server: embedded}]\n"
	grid := "grid: [{file: small, concurrency: 1, requests: 100}]\n"
	for _, f := range fields {
		for _, text := range []string{f.example, f.def} {
			if text == "" {
				continue
			}
			src := base + "load: {file: small, concurrency: 1, requests: 100}\ngrid:\n  - " + f.name + ": " + text + "\n"
			if _, err := Parse("e.yaml", []byte(src), testKnown); err != nil {
				t.Errorf("%s: %v", f.name, err)
			}
		}
	}
	for _, k := range topKeys() {
		src := base + grid
		switch k.name {
		case "files", "systems", "grid", "exclude", "include":
			continue
		}
		if _, err := Parse("e.yaml", []byte(src+k.name+": "+k.example+"\n"), testKnown); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}
