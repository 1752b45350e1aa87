package results

import (
	"io"
	"io/fs"
	"path"
)

// OpenFS reads the run at the root of fsys, such as one that the program has
// built in, and writes nothing. name is what Dir returns and messages say: there
// need be no such folder.
func OpenFS(fsys fs.FS, name string) (*Run, error) {
	r := &Run{dir: name, fsys: fsys}
	_, err := r.read()
	return r, err
}

// open opens the header or the journal.
func (r *Run) open(name string) (io.ReadCloser, error) {
	if r.fsys != nil {
		return r.fsys.Open(name)
	}
	return openRegular(r.path(name))
}

// filesIn is Files for a run that is not on the disk. What the program has built
// in has neither links nor devices.
func filesIn(fsys fs.FS) (names []string, err error) {
	for _, name := range []string{headerName, journalName} {
		if _, err := fs.Stat(fsys, name); err == nil {
			names = append(names, name)
		}
	}
	raw, err := fs.Glob(fsys, path.Join(rawName, "*"))
	return append(names, raw...), err
}
