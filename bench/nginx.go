package main

// The configuration and files of nginx.

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// nginxConf is one worker with what a site that cares for speed sets, and no
// log. The limits let every client keep its connections to the end.
const nginxConf = `worker_processes 1;
daemon off;
pid %[1]s/nginx.pid;
error_log %[1]s/error.log error;
worker_rlimit_nofile 20000;
events { worker_connections 20000; }
http {
	access_log off;
	default_type text/html;
	sendfile on;
	tcp_nopush on;
	keepalive_timeout 75s;
	keepalive_requests 1000000000;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	server {
		listen 127.0.0.1:%[2]s backlog=16384;
		root %[1]s/docroot;
	}
}
`

// nginxDir makes a folder with the configuration and the files.
func nginxDir(port string) (string, error) {
	dir, err := os.MkdirTemp("", "matrix-peers-")
	if err != nil {
		return "", fmt.Errorf("making a folder for nginx: %w", err)
	}
	docroot := filepath.Join(dir, "docroot")
	// The worker gives up root's rights and must still read the files.
	if err := os.Chmod(dir, 0o755); err != nil {
		return dir, fmt.Errorf("opening the folder: %w", err)
	}
	if err := os.Mkdir(docroot, 0o755); err != nil {
		return dir, fmt.Errorf("making the document root: %w", err)
	}
	for name, size := range fileSizes {
		if err := os.WriteFile(filepath.Join(docroot, name+".html"), bytes.Repeat([]byte("x"), size), 0o644); err != nil {
			return dir, fmt.Errorf("writing a file: %w", err)
		}
	}
	conf := fmt.Sprintf(nginxConf, dir, port)
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(conf), 0o644); err != nil {
		return dir, fmt.Errorf("writing the configuration: %w", err)
	}
	return dir, nil
}
