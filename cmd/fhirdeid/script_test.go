package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"fhirdeid/testdata/demo"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fhirdeid": main})
}

// TestScripts runs the scripts in testdata/script against the program as its users run it. Each has a folder of its own
// with the demo's files under demo/, and no model packs.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("FHIRDEID_DATA_DIR", filepath.Join(env.WorkDir, "state"))
			env.Setenv("FHIRDEID_MODELS__USE", "none")
			return os.CopyFS(filepath.Join(env.WorkDir, "demo"), demo.Files)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "gz": gz, "lines": lines, "mode": mode, "replace": replaceIn,
		},
	})
}

// exits runs a program that must end with the given exit code: exits 3 fhirdeid deidentify …
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil && !errors.Is(err, context.Canceled) {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// gz packs a file and removes it.
func gz(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		data, err := os.ReadFile(ts.MkAbs(name))
		ts.Check(err)
		f, err := os.Create(ts.MkAbs(name + ".gz"))
		ts.Check(err)
		z := gzip.NewWriter(f)
		_, err = z.Write(data)
		ts.Check(errors.Join(err, z.Close(), f.Close(), os.Remove(ts.MkAbs(name))))
	}
}

// lines counts: lines N FILE
func lines(ts *testscript.TestScript, _ bool, args []string) {
	if got := strconv.Itoa(strings.Count(ts.ReadFile(args[1]), "\n")); got != args[0] {
		ts.Fatalf("%s lines, want %s", got, args[0])
	}
}

// mode checks permissions: mode 600 FILE...
func mode(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args[1:] {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if got := fmt.Sprintf("%o", info.Mode().Perm()&fs.ModePerm); got != args[0] {
			ts.Fatalf("%s has mode %s, want %s", name, got, args[0])
		}
	}
}

// replaceIn replaces in a file: replace OLD NEW FILE; OLD must stand there.
func replaceIn(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[2])
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%s does not hold %q", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.ReplaceAll(text, args[0], args[1])), 0o600))
}
