package storetest

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
	"github.com/ncruces/go-sqlite3/vfs/xts"
)

// Step is called before each step; an error makes the step fail with it.
type Step func(what string) error

var (
	stepMu sync.RWMutex
	step   Step
)

// OnFileSteps has every write, sync and cut of an SQLite file of this process go through f first, until the next call;
// nil ends that. Databases must be opened after the first call.
func OnFileSteps(f Step) {
	stepMu.Lock()
	defer stepMu.Unlock()
	step = f
	vfs.Register("xts", xts.Wrap(stepping{vfs.Find("")}, nil))
}

func take(what string) error {
	stepMu.RLock()
	f := step
	stepMu.RUnlock()
	if f == nil {
		return nil
	}
	return f(what)
}

// stepping is a file system whose files announce what they do.
type stepping struct{ vfs.VFS }

func (s stepping) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := vfsutil.WrapOpen(s.VFS, name, flags)
	return wrap(file, err), flags, err
}

func (s stepping) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := vfsutil.WrapOpenFilename(s.VFS, name, flags)
	return wrap(file, err), flags, err
}

func (s stepping) Delete(name string, syncDir bool) error {
	if err := take("delete"); err != nil {
		return err
	}
	return s.VFS.Delete(name, syncDir)
}

func wrap(file vfs.File, err error) vfs.File {
	if err != nil {
		return nil
	}
	return steppingFile{file}
}

type steppingFile struct{ vfs.File }

func (f steppingFile) WriteAt(p []byte, off int64) (int, error) {
	if err := take("write"); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, off)
}

func (f steppingFile) Sync(flags vfs.SyncFlag) error {
	if err := take("sync"); err != nil {
		return err
	}
	return f.File.Sync(flags)
}

func (f steppingFile) Truncate(size int64) error {
	if err := take("truncate"); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f steppingFile) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }
func (f steppingFile) LockState() vfs.LockLevel       { return vfsutil.WrapLockState(f.File) }
func (f steppingFile) PersistWAL() bool               { return vfsutil.WrapPersistWAL(f.File) }
func (f steppingFile) SetPersistWAL(keep bool)        { vfsutil.WrapSetPersistWAL(f.File, keep) }

// Proxy stands before a PostgreSQL's socket and has each message in either direction go through f first. It gives the
// folder of its own socket, which ends when the process does or closer is called.
func Proxy(dir, socket string, f Step) (closer io.Closer, err error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := new(net.Dialer).DialContext(context.Background(), "unix", socket)
			if err != nil {
				_ = in.Close()
				continue
			}
			go forward(out, in, "to the database", f)
			go forward(in, out, "from the database", f)
		}
	}()
	return listener, nil
}

func forward(to, from net.Conn, what string, f Step) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if f(what) != nil {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Fill writes files into a folder until its file system is full; what comes back removes them.
func Fill(dir string) (empty func(), err error) {
	name := filepath.Join(dir, "ballast")
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for err == nil {
			_, err = f.Write(make([]byte, size))
		}
		err = nil
	}
	return func() { _ = os.Remove(name) }, nil
}
