package main

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fhirdeid/config"
)

// masterKeySize is the length of the key that every other key is derived from.
const masterKeySize = 32

// masterKey reads the key file, or makes the key of this installation once, readable by its owner alone.
func (a *app) masterKey(cfg config.Config) ([]byte, error) {
	path := cfg.MasterKey
	if path == "" {
		path = filepath.Join(cfg.DataDir, "master.key")
		if err := makeKey(path); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, errors.New("master key: the file may be read by others than its owner; chmod 600 it")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	if len(data) == masterKeySize {
		return data, nil
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(data)))
	if err != nil || len(key) != masterKeySize {
		return nil, errors.New("master key: the file must hold 32 bytes or 64 hex digits")
	}
	return key, nil
}

// makeKey writes a new key unless there is one: linked into place, so that two programs that start at once agree.
func makeKey(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("master key: %w", err)
	}
	key := make([]byte, masterKeySize)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".key-*") // made 0600
	if err != nil {
		return fmt.Errorf("master key: %w", err)
	}
	defer func() { _ = os.Remove(part.Name()) }()
	_, err = part.WriteString(hex.EncodeToString(key) + "\n")
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return fmt.Errorf("master key: %w", err)
	}
	if err := os.Link(part.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("master key: %w", err)
	}
	return nil
}

// storageKey derives the keys of the database; they depend on no project.
func storageKey(master []byte, purpose string, size int) ([]byte, error) {
	return hkdf.Key(sha256.New, master, nil, "fhirdeid/v1/storage/"+purpose, size)
}
