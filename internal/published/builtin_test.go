package published

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/results"
	builtin "matrix/results/published"
)

// TestBuiltIn: the program has each published run of the repository, with the
// same header, records and logs.
func TestBuiltIn(t *testing.T) {
	want := []string{"ccp14-2001", "rhel-2010", "solaris-2002", "tomcat-2004", "zeusbench-1998"}
	if diff := cmp.Diff(want, Names()); diff != "" {
		t.Error(diff)
	}
	folders, err := filepath.Glob(filepath.Join(root, "*", "run.json"))
	if err != nil || len(folders) != len(want) {
		t.Fatalf("%d published runs in the repository, %d built in: %v", len(folders), len(want), err)
	}
	for _, name := range Names() {
		disk, err := results.Open(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		run, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(disk.Info(), run.Info()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if len(disk.Records()) == 0 || len(disk.Records()) != len(run.Records()) {
			t.Errorf("%s: %d records on the disk, %d built in", name, len(disk.Records()), len(run.Records()))
		}
		files, err := run.Files()
		if err != nil {
			t.Fatal(err)
		}
		onDisk, err := disk.Files()
		if diff := cmp.Diff(onDisk, files); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
		for _, f := range files {
			r, err := run.OpenFile(f)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			r.Close()
		}
	}
	if _, err := Open("../secret"); err == nil {
		t.Error("a name that is none was opened")
	}
}

// TestBuiltInIsSmall: reports and whatever else stands in the folders is not in
// the binary. Above this, compress.
func TestBuiltInIsSmall(t *testing.T) {
	total := int64(0)
	err := fs.WalkDir(builtin.FS, ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		total += info.Size()
		return err
	})
	if err != nil || total > 1<<20 || total == 0 {
		t.Errorf("%d bytes, %v", total, err)
	}
}
