package site

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"matrix/internal/file"
	"matrix/internal/results"
	"matrix/internal/table"
)

const (
	headerFile  = "run.json"
	journalFile = "journal.jsonl"
	rawFolder   = "raw"
)

// rawFile is a name that a web server hands out as plain text: what a tool
// printed may hold a stranger's page, and must not be served as one.
var rawFile = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~-]*\.txt$`)

// beside sets the data of a run into its folder in the site, links the report to
// it, and takes links to raw output that is not there out of its rows. It
// returns the files.
func (p *pass) beside(s *source, opened *results.Run, r *table.Report) (files []string, err error) {
	names, err := opened.Files()
	if err != nil {
		return nil, err
	}
	var raw []string
	for _, name := range names {
		short, isRaw := strings.CutPrefix(name, rawFolder+"/")
		if isRaw && (p.o.NoRaw || !rawFile.MatchString(short)) {
			continue
		}
		if err := p.lend(s, opened, name); err != nil {
			return nil, err
		}
		files = append(files, s.id+"/"+name)
		if isRaw {
			raw = append(raw, short)
			continue
		}
		r.Links = append(r.Links, table.Link{Text: fileTexts[name], Address: name})
	}
	keepRaw(r, raw)
	if len(raw) > 0 {
		list := rawFolder + "/" + indexName
		files = append(files, s.id+"/"+list)
		r.Links = append(r.Links, table.Link{Text: "What external tools printed", Address: list})
		err = p.render(s.id+"/"+list, "raw", rawView{
			head:  head{Title: "What external tools printed", Ways: []table.Link{{Text: "The run", Address: "../" + indexName}}},
			Files: raw,
		})
	}
	return files, err
}

// fileTexts say what the files of a run are.
var fileTexts = map[string]string{headerFile: "Header of the run (JSON)", journalFile: "Journal, a record a line (JSON)"}

// keepRaw drops the links of rows to files that are not in the site.
func keepRaw(r *table.Report, there []string) {
	for i := range r.Tables {
		for j := range r.Tables[i].Rows {
			row := &r.Tables[i].Rows[j]
			row.Raw = slices.DeleteFunc(slices.Clone(row.Raw), func(name string) bool {
				short, isRaw := strings.CutPrefix(name, rawFolder+"/")
				return !isRaw || !slices.Contains(there, short)
			})
		}
	}
}

// lend brings a file of a run into the site: as a further name of the same file
// where the file system allows, else as a copy.
func (p *pass) lend(s *source, opened *results.Run, name string) error {
	from := filepath.Join(s.Dir, filepath.FromSlash(name))
	to := filepath.Join(p.o.Dir, filepath.FromSlash(s.id+"/"+name))
	a, err := os.Lstat(from)
	if b, errTo := os.Lstat(to); err == nil && errTo == nil && os.SameFile(a, b) {
		return nil
	}
	if err := makeWay(p.o.Dir, s.id+"/"+name); err != nil {
		return fmt.Errorf("copying %s: %w", name, err)
	}
	if link(from, to) == nil {
		return nil
	}
	if err := duplicate(opened, name, to); err != nil {
		return fmt.Errorf("copying %s: %w", name, err)
	}
	return nil
}

// link puts a further name of a file in the place of another at one stroke.
func link(from, to string) error {
	aside := to + ".new"
	if err := os.Link(from, aside); err != nil {
		return err
	}
	return os.Rename(aside, to)
}

func duplicate(opened *results.Run, name, to string) error {
	in, err := opened.OpenFile(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return file.Copy(to, in)
}
