package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// maxBeside is how many names the folder of a configuration may hold.
const maxBeside = 10_000

// Put writes a fitted text into dir under the name of the file that it was made
// of, beside links to all else that stands in that file's folder: relative paths
// in it then lead where they did. What dir held before is removed. Only our own
// user may read the file: it may hold passwords.
func (f *File) Put(fitted Fitted, dir string) (path string, err error) {
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("removing an earlier configuration: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making the folder of the configuration: %w", err)
	}
	home := filepath.Dir(f.Path)
	folder, err := os.Open(home)
	if err != nil {
		return "", fmt.Errorf("looking beside the configuration: %w", err)
	}
	defer folder.Close()
	names, err := folder.Readdirnames(maxBeside)
	if err != nil && len(names) > 0 || len(names) == maxBeside {
		return "", errors.Join(fmt.Errorf("%s holds %d names or more: keep the configuration in a folder of its own", home, maxBeside), err)
	}
	for _, name := range names {
		if name == filepath.Base(f.Path) {
			continue
		}
		if err := os.Symlink(filepath.Join(home, name), filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("linking to what stands beside the configuration: %w", err)
		}
	}
	path = filepath.Join(dir, filepath.Base(f.Path))
	if err := os.WriteFile(path, []byte(fitted.Text), 0o600); err != nil {
		return "", fmt.Errorf("writing the server's configuration: %w", err)
	}
	return path, nil
}
