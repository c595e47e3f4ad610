package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress tells how far a run is: a bar on a terminal, else a line every ten seconds. It shows numbers only, since
// names of files may be names of patients.
type progress struct {
	w      io.Writer
	total  int
	bar    *progressbar.ProgressBar
	last   time.Time
	silent bool
}

const progressEvery = 10 * time.Second

func newProgress(w io.Writer, total int, silent bool) *progress {
	p := &progress{w: w, total: total, silent: silent, last: time.Now()}
	if f, ok := w.(*os.File); ok && !silent && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription("files"))
	}
	return p
}

func (p *progress) step(done, failed int) {
	switch {
	case p.silent:
	case p.bar != nil:
		_ = p.bar.Set(done)
	case time.Since(p.last) >= progressEvery:
		p.last = time.Now()
		fmt.Fprintf(p.w, "%d of %d files, %d failed\n", done, p.total, failed)
	}
}

func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
