package models

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// ErrRuntime says that onnxruntime cannot be used.
var ErrRuntime = errors.New("onnxruntime")

// libraryNames are tried in each folder.
var libraryNames = []string{"libonnxruntime.so.1.24.3", "libonnxruntime.so.1", "libonnxruntime.so"}

// environment guards the one onnxruntime environment that a process can have. It is never torn down: sessions of
// other packs may live on.
var environment sync.Mutex

// startRuntime makes onnxruntime usable. The library is the one given; else one beside the program, in lib beside
// it, or in build/native of this folder or of one above.
func startRuntime(library string) error {
	environment.Lock()
	defer environment.Unlock()
	if ort.IsInitialized() {
		return nil
	}
	path, err := findLibrary(library)
	if err != nil {
		return err
	}
	ort.SetSharedLibraryPath(path)
	if err := ort.InitializeEnvironment(ort.WithLogLevelError()); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrRuntime, filepath.Base(path), err)
	}
	return nil
}

func findLibrary(given string) (string, error) {
	if given != "" {
		if _, err := os.Stat(given); err != nil {
			return "", fmt.Errorf("%w: the library %s is missing", ErrRuntime, given)
		}
		return given, nil
	}
	var folders []string
	if program, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Dir(program), filepath.Join(filepath.Dir(program), "lib"))
	}
	if dir, err := os.Getwd(); err == nil {
		for range 8 {
			folders = append(folders, filepath.Join(dir, "build", "native"))
			dir = filepath.Dir(dir)
		}
	}
	for _, folder := range folders {
		for _, name := range libraryNames {
			path := filepath.Join(folder, name)
			if _, err := os.Stat(path); err == nil {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%w: no %s beside the program or in build/native (make native)", ErrRuntime, libraryNames[0])
}
