// Package storetest gives tests a real PostgreSQL of their own, and lets them look, fail or end between any two steps that
// a store takes on its database.
package storetest

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Postgres is a PostgreSQL in a folder of its own, reached by a Unix socket in that folder and not from elsewhere.
type Postgres struct {
	Dir string // holds data and socket

	programs string
	as       *syscall.SysProcAttr
	cmd      *exec.Cmd
	made     atomic.Int64
}

// StartPostgres starts one, which ends with the test. Where there is no PostgreSQL the test is skipped. data is the folder
// to work in; empty: a new one.
func StartPostgres(t testing.TB, data string) *Postgres {
	t.Helper()
	p := &Postgres{Dir: data, as: &syscall.SysProcAttr{}}
	if p.programs = programs(); p.programs == "" {
		t.Skip("SKIP postgres: there is no PostgreSQL (Debian package postgresql-15)")
	}
	if p.Dir == "" {
		// Not TempDir: a socket's path must be short, and its folder readable by another user.
		dir, err := os.MkdirTemp("/tmp", "pg")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		p.Dir = dir
	}
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		u, err := user.Lookup("postgres")
		if err != nil {
			t.Skip("SKIP postgres: root, and there is no user postgres")
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(p.Dir, uid, gid); err != nil {
			t.Skip("SKIP postgres: cannot give the folder to the user postgres")
		}
		p.as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	if out, err := p.run(t.Context(), "initdb", "-D", p.data(), "-U", "suite", "-A", "trust", "--no-sync", "-E", "UTF8", "--wal-segsize=1").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v: %s", err, out)
	}
	t.Cleanup(p.Stop)
	p.Start(t)
	return p
}

// programs finds the folder of PostgreSQL's programs: where Debian puts them, newest first, or by PATH.
func programs() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) + strings.Compare(b, a) })
	if len(found) > 0 {
		return filepath.Dir(found[0])
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		return ""
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return ""
	}
	return filepath.Dir(path)
}

func (p *Postgres) data() string { return filepath.Join(p.Dir, "data") }

func (p *Postgres) run(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(p.programs, name), args...)
	cmd.SysProcAttr, cmd.Dir = p.as, p.Dir
	cmd.Env = []string{"PATH=" + p.programs, "LC_ALL=C", "HOME=" + p.Dir, "PGHOST=" + p.Dir, "PGUSER=suite"}
	return cmd
}

// Start starts it again after Stop, and waits until it answers.
func (p *Postgres) Start(t testing.TB) {
	t.Helper()
	p.cmd = p.run(context.WithoutCancel(t.Context()), "postgres", "-D", p.data(), "-c", "listen_addresses=", "-c", "unix_socket_directories="+p.Dir, "-c", "fsync=off", "-c", "max_wal_size=8MB")
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 600 {
		if p.run(t.Context(), "pg_isready", "-q", "-d", "postgres").Run() == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("PostgreSQL does not answer")
}

// Stop ends it at once, as a crash would: no transaction is waited for.
func (p *Postgres) Stop() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	_ = p.cmd.Wait()
	p.cmd = nil
}

// Database makes a new database and gives its URL.
func (p *Postgres) Database(t testing.TB) string {
	t.Helper()
	name := "d" + strconv.FormatInt(p.made.Add(1), 10)
	if out, err := p.run(t.Context(), "createdb", name).CombinedOutput(); err != nil {
		t.Fatalf("createdb: %v: %s", err, out)
	}
	return p.URL(name)
}

// URL gives the URL of a database.
func (p *Postgres) URL(name string) string {
	u := url.URL{Scheme: "postgres", User: url.User("suite"), Path: "/" + name, RawQuery: url.Values{"host": {p.Dir}, "sslmode": {"disable"}}.Encode()}
	return u.String()
}

// Socket gives the path of its Unix socket.
func (p *Postgres) Socket() string { return filepath.Join(p.Dir, ".s.PGSQL.5432") }

// Dump gives all that a database holds, as text.
func (p *Postgres) Dump(t testing.TB, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.run(t.Context(), "pg_dump", "--inserts", strings.TrimPrefix(u.Path, "/")).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	return string(out)
}
