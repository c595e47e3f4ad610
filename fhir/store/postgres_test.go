package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"fhirdeid/fhir/store"
)

// TestPostgres runs the suite on a PostgreSQL of its own, in a folder of its own, that listens on loopback only.
func TestPostgres(t *testing.T) {
	base := startPostgres(t)
	admin, err := sql.Open("pgx", base.String())
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	n := 0
	fresh := func(t *testing.T) string {
		n++
		name := "suite" + strconv.Itoa(n)
		if _, err := admin.Exec("CREATE DATABASE " + name); err != nil {
			t.Fatal(err)
		}
		u := *base
		u.Path = "/" + name
		return u.String()
	}
	suite(t, func(t *testing.T) *store.DB {
		db, err := store.OpenPostgres(t.Context(), store.Postgres{URL: fresh(t), AuditKey: auditKey})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	})
	t.Run("two programs start at once", func(t *testing.T) {
		u := fresh(t)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				db, err := store.OpenPostgres(t.Context(), store.Postgres{URL: u, AuditKey: auditKey})
				if err != nil {
					t.Error(err)
					return
				}
				db.Close()
			})
		}
		wg.Wait()
	})
}

func startPostgres(t *testing.T) *url.URL {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIP postgres: -short")
	}
	server, err := exec.LookPath("postgres")
	if err != nil {
		t.Skip("SKIP postgres: no postgres program in PATH")
	}
	if server, err = filepath.EvalSymlinks(server); err != nil {
		t.Skip("SKIP postgres: the program cannot be followed")
	}
	dir, err := os.MkdirTemp("", "fhirdeid-pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	as := &syscall.SysProcAttr{}
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		u, err := user.Lookup("postgres")
		if err != nil {
			t.Skip("SKIP postgres: root, and there is no user postgres")
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Skip("SKIP postgres: cannot give the folder to the user postgres")
		}
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	run := func(ctx context.Context, name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(server), name), args...)
		cmd.SysProcAttr, cmd.Dir = as, dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=" + dir}
		return cmd
	}
	data := filepath.Join(dir, "data")
	if out, err := run(t.Context(), "initdb", "-D", data, "-U", "suite", "-A", "trust", "--no-sync", "-E", "UTF8").CombinedOutput(); err != nil {
		t.Skipf("SKIP postgres: initdb fails: %v: %.200s", err, out)
	}
	port := freePort(t)
	cmd := run(context.WithoutCancel(t.Context()), "postgres", "-D", data, "-p", strconv.Itoa(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+dir, "-c", "fsync=off")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGINT) // fast shutdown
		cmd.Wait()
	})
	u := &url.URL{Scheme: "postgres", User: url.User("suite"), Host: fmt.Sprintf("127.0.0.1:%d", port), Path: "/postgres", RawQuery: "sslmode=disable"}
	db, err := sql.Open("pgx", u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for range 100 {
		if err = db.PingContext(t.Context()); err == nil {
			return u
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("PostgreSQL does not answer: %v", err)
	return nil
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
