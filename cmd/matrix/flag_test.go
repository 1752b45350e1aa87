package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// every calls do with the words of each command, those of cobra included.
func every(c *cobra.Command, do func(c *cobra.Command, words []string)) {
	do(c, strings.Fields(c.CommandPath())[1:])
	for _, below := range c.Commands() {
		every(below, do)
	}
}

// TestStandardFlags: item 18: -h, --help, -V and --version are heeded by every
// command, whatever else it needs, and print on the standard output.
func TestStandardFlags(t *testing.T) {
	every(rootCommand(), func(_ *cobra.Command, words []string) {
		for flag, want := range map[string]string{"-h": "Usage:", "--help": "Usage:", "-V": "matrix ", "--version": "matrix "} {
			root := rootCommand()
			var out, fault bytes.Buffer
			root.SetOut(&out)
			root.SetErr(&fault)
			root.SetArgs(append(append([]string{}, words...), flag))
			if err := root.ExecuteContext(t.Context()); err != nil || fault.Len() > 0 || !strings.Contains(out.String(), want) || want == "matrix " && out.String() != versionLine() {
				t.Errorf("%s %s: %v %s%s", words, flag, err, fault.String(), out.String())
			}
		}
	})
}

// TestNumbersInFlags: item 18: what is no number in a scenario is none in a flag,
// of any command; pflag's own numbers would take them.
func TestNumbersInFlags(t *testing.T) {
	odd := []string{"010", "0x10", "0b1", "0o7", "1_000", "1e3", "+5", "-5", "5.", ".5", "1,000", "\uff15", "\u0665", "", " 5", "inf", "NaN", "99999999999999999999"}
	flags := 0
	every(rootCommand(), func(c *cobra.Command, words []string) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			switch f.Value.Type() {
			case "int", "int64", "uint", "uint64", "float64", "int32", "uint32":
				t.Errorf("%s --%s: pflag reads it", words, f.Name)
			case "duration":
				flags++
				for _, text := range odd {
					if f.Value.Set(text+"s") == nil && text != "" && text != "99999999999999999999" {
						t.Errorf("%s --%s %ss is taken for %s", words, f.Name, text, f.Value)
					}
				}
				if err := f.Value.Set("1m30s"); err != nil || f.Value.String() != "1m30s" {
					t.Errorf("%s --%s: %s, %v", words, f.Name, f.Value, err)
				}
			case "count", "number":
				flags++
				for _, text := range odd {
					if f.Value.Type() == "number" && (text == "99999999999999999999" || text == "1e3") {
						continue
					}
					if f.Value.Set(text) == nil {
						t.Errorf("%s --%s %s is taken for %s", words, f.Name, text, f.Value)
					}
				}
				if err := f.Value.Set("10"); err != nil || f.Value.String() != "10" {
					t.Errorf("%s --%s: %s, %v", words, f.Name, f.Value, err)
				}
			}
		})
	})
	if flags < 15 {
		t.Errorf("%d flags with numbers", flags)
	}
}
