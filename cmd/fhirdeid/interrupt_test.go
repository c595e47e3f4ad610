package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestInterruptAndResume interrupts a run while it reads the third of five inputs, a pipe that gives nothing before the
// signal has arrived: the run ends with code 130, what was done stays, and a second run does the rest, and that once.
func TestInterruptAndResume(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"first", "last"} {
		if err := os.Mkdir(in(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("first/a.txt", "Herr Tiedemann war heute hier, Karteikarte Anton.")
	write("first/b.txt", "Herr Tiedemann war heute hier, Karteikarte Berta.")
	const third = "Herr Tiedemann war heute hier, Karteikarte Cäsar."
	if err := syscall.Mkfifo(in("gate.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	write("last/d.txt", "Herr Tiedemann war heute hier, Karteikarte Dora.")
	write("last/e.txt", "Herr Tiedemann war heute hier, Karteikarte Emil.")
	out := in("out")
	args := []string{"deidentify", "--no-progress", "--out", out, in("first"), in("gate.txt"), in("last")}
	environ := []string{"HOME=" + dir, "FHIRDEID_DATA_DIR=" + in("state"), "FHIRDEID_MODELS__USE=none"}
	do := func(ctx context.Context) (int, string) {
		var messages strings.Builder
		return run(ctx, args, strings.NewReader(""), io.Discard, &messages, environ), messages.String()
	}

	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt) // as main does
	defer stop()
	type end struct {
		code     int
		messages string
	}
	ended := make(chan end, 1)
	go func() {
		code, messages := do(ctx)
		ended <- end{code, messages}
	}()
	opened := make(chan *os.File, 1)
	go func() {
		pipe, err := os.OpenFile(in("gate.txt"), os.O_WRONLY, 0) // waits for the run to open it
		if err != nil {
			t.Error(err)
		}
		opened <- pipe
	}()
	var pipe *os.File
	select {
	case pipe = <-opened:
	case e := <-ended:
		t.Fatalf("the run ended with code %d before it was interrupted: %s", e.code, e.messages)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	if _, err := pipe.WriteString(third); err != nil {
		t.Error(err)
	}
	if err := pipe.Close(); err != nil {
		t.Error(err)
	}
	if e := <-ended; e.code != exitInterrupted {
		t.Fatalf("exit code %d, want %d: %s", e.code, exitInterrupted, e.messages)
	}
	if got := documents(t, out); !slices.Equal(got, []string{"000001.txt", "000002.txt"}) {
		t.Fatalf("after the signal there are %v", got)
	}

	// The same inputs once more, the third a file now. A mark shows that what was done is not done again.
	if err := os.Remove(in("gate.txt")); err != nil {
		t.Fatal(err)
	}
	write("gate.txt", third)
	write("out/000001.txt", "Karteikarte Anton, done before")
	if code, messages := do(t.Context()); code != exitOK {
		t.Fatalf("exit code %d: %s", code, messages)
	}
	got := documents(t, out)
	if !slices.Equal(got, []string{"000001.txt", "000002.txt", "000003.txt", "000004.txt", "000005.txt"}) {
		t.Fatalf("in the end there are %v", got)
	}
	for i, word := range []string{"Anton", "Berta", "Cäsar", "Dora", "Emil"} {
		text, err := os.ReadFile(filepath.Join(out, got[i]))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), "Karteikarte") != 1 || strings.Contains(string(text), "done before") != (i == 0) || strings.Contains(string(text), "Tiedemann") {
			t.Errorf("%s, of %s: %q", got[i], word, text)
		}
	}
}

// documents names what lies in a folder, results beside documents excepted, in order. What was begun and not finished would
// be among them.
func documents(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".results.ndjson") {
			names = append(names, e.Name())
		}
	}
	return names
}
