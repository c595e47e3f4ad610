// Command fhirdeid de-identifies clinical documents in FHIR: as a server beside a FHIR server, and on files.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// version is set by the linker.
var version = "dev"

// Exit codes.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitItemsFailed = 3
	exitGateFailed  = 4
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	stop()
	os.Exit(code)
}

// run is the program without its process: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	root := newRoot(&app{stdin: stdin, stdout: stdout, stderr: stderr, environ: environ})
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var coded codedError
	if errors.As(err, &coded) {
		if coded.err != nil {
			fmt.Fprintln(stderr, "fhirdeid:", coded.err)
		}
		return coded.code
	}
	fmt.Fprintln(stderr, "fhirdeid:", err)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return exitInterrupted
	}
	return exitError
}

// codedError is an error with an exit code of its own.
type codedError struct {
	code int
	err  error // nil: all was said already
}

func (e codedError) Error() string {
	if e.err == nil {
		return "failed"
	}
	return e.err.Error()
}

func (e codedError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return codedError{exitUsage, fmt.Errorf(format, args...)}
}
