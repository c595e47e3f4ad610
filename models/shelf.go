package models

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// shelf holds the tokenizers and models of packs that are opened together. Packs that share files, as two languages of
// one joint model do, load and keep each of them once.
type shelf struct {
	mu   sync.Mutex
	held map[string]*holding
}

// holding is one tokenizer or model.
type holding struct {
	mu    sync.Mutex // held while it is loaded
	users int        // guarded by the shelf
	value closer     // nil: not loaded
	file  os.FileInfo
}

type closer interface{ close() }

func newShelf() *shelf { return &shelf{held: map[string]*holding{}} }

// take gives what load makes of a file of the pack in dir, or what another pack has made of the same bytes for the same
// key. The file is checked in any case. When nobody uses the value any more, the last release closes it.
func take[T closer](s *shelf, dir string, file File, key string, load func(data []byte) (T, error)) (value T, release func(), err error) {
	h := s.hold(key)
	loaded := false
	defer func() {
		if !loaded {
			s.release(key, h)
		}
	}()
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.value == nil:
		data, info, err := readFile(dir, file)
		if err != nil {
			return value, nil, err
		}
		if value, err = load(data); err != nil {
			return value, nil, err
		}
		h.value, h.file = value, info
	default:
		if err := sameFile(dir, file, h.file); err != nil {
			return value, nil, err
		}
		value = h.value.(T)
	}
	loaded = true
	return value, func() { s.release(key, h) }, nil
}

func (s *shelf) hold(key string) *holding {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.held[key]
	if h == nil {
		h = &holding{}
		s.held[key] = h
	}
	h.users++
	return h
}

func (s *shelf) release(key string, h *holding) {
	s.mu.Lock()
	h.users--
	last := h.users == 0
	if last {
		delete(s.held, key)
	}
	s.mu.Unlock()
	if last && h.value != nil {
		h.value.close()
	}
}

// readFile reads a file of the pack once, so that what is checked is what is used.
func readFile(dir string, file File) ([]byte, os.FileInfo, error) {
	f, err := openFile(dir, file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file.File, err)
	}
	sum := sha256.Sum256(data)
	return data, info, file.matches(sum[:])
}

// sameFile checks a file whose bytes are loaded already: it is the very file they came from, or one like it.
func sameFile(dir string, file File, loaded os.FileInfo) error {
	f, err := openFile(dir, file)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && os.SameFile(info, loaded) {
		return nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return fmt.Errorf("%s: %w", file.File, err)
	}
	return file.matches(sum.Sum(nil))
}

func openFile(dir string, file File) (*os.File, error) {
	f, err := os.Open(filepath.Join(dir, file.File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", file.File, ErrMissing)
	}
	return f, err
}

func (f File) matches(sum []byte) error {
	if got := hex.EncodeToString(sum); !strings.EqualFold(got, f.SHA256) {
		return fmt.Errorf("%s: %w: sha256 is %s, not %s", f.File, ErrHash, got, f.SHA256)
	}
	return nil
}
