package system

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"matrix/internal/bench"
)

// tomcatHomes is where Tomcat is, beside CATALINA_HOME; the first that is there
// is taken.
var tomcatHomes = []string{"/usr/share/tomcat11", "/usr/share/tomcat10", "/usr/share/tomcat9", "/opt/tomcat", "/usr/local/tomcat"}

// tomcatPatience is how long a Java program may take to answer on a machine with
// much else to do.
const tomcatPatience = time.Minute

// java is told by Tomcat which version it is, not by itself.
var java = tool{
	name: "Java", bins: []string{"java"}, debian: "default-jre-headless",
	version: regexp.MustCompile(`Apache Tomcat/[0-9.]+`),
}

// tomcatHome is the folder that Tomcat is installed in.
func tomcatHome() (string, error) {
	for _, dir := range append([]string{os.Getenv("CATALINA_HOME")}, tomcatHomes...) {
		if info, err := os.Stat(filepath.Join(dir, "bin", "bootstrap.jar")); dir != "" && err == nil && info.Mode().IsRegular() {
			return filepath.Abs(dir)
		}
	}
	return "", errors.New("no Tomcat is installed: apt-get install tomcat10, or set CATALINA_HOME to its folder")
}

// tomcatClasses is what Java finds the beginning of Tomcat in.
func tomcatClasses(home string) string {
	return filepath.Join(home, "bin", "bootstrap.jar") + ":" + filepath.Join(home, "bin", "tomcat-juli.jar")
}

func checkTomcat(ctx context.Context) (version string, err error) {
	_, _, version, err = findTomcat(ctx)
	return version, err
}

// findTomcat returns Java, Tomcat's folder and its version, "Apache Tomcat/10.1.60".
func findTomcat(ctx context.Context) (bin, home, version string, err error) {
	if home, err = tomcatHome(); err != nil {
		return "", "", "", err
	}
	bin, version, err = java.find(ctx, "-cp", filepath.Join(home, "lib", "catalina.jar")+":"+tomcatClasses(home), "org.apache.catalina.util.ServerInfo")
	return bin, home, version, err
}

func startTomcat(ctx context.Context, s bench.System, site Site) (*Running, error) {
	return onPort(ctx, s.Server.Port, func(port int) (*Running, error) { return tomcatOn(ctx, s, site, port, "http") })
}

// askTomcat has Tomcat read its configuration, make what it says, and end.
func askTomcat(ctx context.Context, s bench.System, site Site) error {
	site, err := prepare(s, site)
	if err != nil {
		return Unasked{err}
	}
	site.checked = true
	if _, _, _, err := findTomcat(ctx); err != nil {
		return Unasked{err}
	}
	port, err := freePort()
	if err != nil {
		return Unasked{err}
	}
	t, err := tomcatFor(ctx, s, site, port, "http")
	if err != nil {
		return err
	}
	return t.inPlace(verdictOf(ctx, "configtest of Tomcat", site.Dir, t.command("configtest"), askJava))
}

// tomcat is one that is set up and not started yet.
type tomcat struct {
	configured
	bin, home, version, owner string
	dir                       string // CATALINA_BASE
}

// command is what does a command of Tomcat's.
func (t tomcat) command(name string) []string {
	return []string{
		t.bin, "-Xmx512m", "-XX:-UsePerfData", "-Djava.awt.headless=true", "-Djava.io.tmpdir=" + filepath.Join(t.dir, "temp"),
		"-Dorg.apache.catalina.startup.EXIT_ON_INIT_FAILURE=true", // or it would go on without a port
		"-Dcatalina.home=" + t.home, "-Dcatalina.base=" + t.dir,
		"-Djava.util.logging.config.file=" + filepath.Join(t.dir, "logging.properties"),
		"-cp", tomcatClasses(t.home), "org.apache.catalina.startup.Bootstrap", "-config", t.path, name,
	}
}

// tomcatOn starts Tomcat with one connector, of HTTP or, for "ajp" and "jk", AJP.
// It has a CATALINA_BASE of its own, the site's folder, with the docroot as its
// only application.
func tomcatOn(ctx context.Context, s bench.System, site Site, port int, connector string) (*Running, error) {
	site, err := prepare(s, site)
	if err != nil {
		return nil, err
	}
	t, err := tomcatFor(ctx, s, site, port, connector)
	if err != nil {
		return nil, err
	}
	l := launch{
		name: "tomcat", version: t.version, config: t.text, dir: site.Dir, openFiles: s.Server.OpenFiles, user: t.owner,
		argv: t.command("start"),
		logs: []string{filepath.Join(site.Dir, "output.log")}, port: port, base: t.base(port),
		patience: tomcatPatience,
	}
	if connector != "http" {
		l.probe = func(ctx context.Context) error { return pingAJP(ctx, port) }
	}
	r, err := l.start(ctx, s, site)
	return r, t.inPlace(err)
}

// tomcatFor sets a Tomcat up: its configuration and its base.
func tomcatFor(ctx context.Context, s bench.System, site Site, port int, connector string) (t tomcat, err error) {
	t.dir = site.Dir
	if t.bin, t.home, t.version, err = findTomcat(ctx); err != nil {
		return t, err
	}
	c, err := settingsOf(s, site, port)
	if err != nil {
		return t, Unasked{err}
	}
	c.Connector = connector
	if site.checked { // it is us who run it
		c.User = ""
	}
	if s.Server.ConfigFile != "" {
		if c.User, err = readerOf(cmp.Or(s.Server.ConfigPath, s.Server.ConfigFile), c.User); err != nil {
			return t, err
		}
	}
	if t.configured, err = c.configure(ctx, "tomcat", s); err != nil {
		return t, err
	}
	if t.owner, err = tomcatBase(site, c.User); err != nil || !t.own {
		return t, err
	}
	return t, ownBase(site, t.path, c.User)
}

// tomcatFiles are the files of Tomcat's base beside its server.xml. Only what
// serves files is declared; warnings and worse go to the output.
var tomcatFiles = map[string]string{
	"web.xml": `<?xml version="1.0" encoding="UTF-8"?>
<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0" metadata-complete="true">
  <servlet>
    <servlet-name>default</servlet-name>
    <servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class>
    <load-on-startup>1</load-on-startup>
  </servlet>
  <servlet-mapping>
    <servlet-name>default</servlet-name>
    <url-pattern>/</url-pattern>
  </servlet-mapping>
  <mime-mapping><extension>html</extension><mime-type>text/html</mime-type></mime-mapping>
  <mime-mapping><extension>txt</extension><mime-type>text/plain</mime-type></mime-mapping>
</web-app>
`,
	"logging.properties": `handlers = java.util.logging.ConsoleHandler
.level = WARNING
java.util.logging.SimpleFormatter.format = %4$s: %5$s%6$s%n
`,
}

// tomcatBase writes what Tomcat wants to find, and gives the folders that it
// writes to to the user that it is to run as; owner is that one, as the guard
// wants it.
func tomcatBase(site Site, name string) (owner string, err error) {
	uid, gid := -1, -1
	if name != "" {
		u, err := user.Lookup(name)
		if err != nil {
			return "", fmt.Errorf("looking for the server's user: %w", err)
		}
		if err := reachable(site.Dir, u); err != nil {
			return "", err
		}
		uid, _ = strconv.Atoi(u.Uid)
		gid, _ = strconv.Atoi(u.Gid)
		owner = u.Uid + ":" + u.Gid
	}
	for _, dir := range []string{"apps", "temp", "work"} {
		path := filepath.Join(site.Dir, dir)
		if err := os.MkdirAll(path, 0o755); err != nil {
			return "", fmt.Errorf("making Tomcat's folders: %w", err)
		}
		if err := os.Chown(path, uid, gid); err != nil {
			return "", fmt.Errorf("giving Tomcat its folders: %w", err)
		}
	}
	for file, text := range tomcatFiles {
		if err := os.WriteFile(filepath.Join(site.Dir, file), []byte(text), 0o644); err != nil {
			return "", fmt.Errorf("writing Tomcat's configuration: %w", err)
		}
	}
	return owner, nil
}

// pingAJP asks with a CPing of AJP 1.3 whether Tomcat is up, which answers with
// a CPong.
func pingAJP(ctx context.Context, port int) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	defer c.Close()
	deadline, _ := ctx.Deadline()
	if err := c.SetDeadline(deadline); err != nil {
		return err
	}
	if _, err := c.Write([]byte{0x12, 0x34, 0, 1, 10}); err != nil {
		return err
	}
	var answer [5]byte
	if _, err := io.ReadFull(c, answer[:]); err != nil {
		return err
	}
	if answer != [5]byte{'A', 'B', 0, 1, 9} {
		return fmt.Errorf("%q is no answer to a CPing", answer[:])
	}
	return nil
}
