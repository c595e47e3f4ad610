// Command compare measures rules and gazetteers beside the patterns of a Go library on the same texts: megabytes by
// second of the processor. compare.sh runs it; it stands in testdata because the product needs nothing of the library.
package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/mingrammer/commonregex"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/gazetteer"
	"fhirdeid/pipeline/rules"
)

// rounds of reading after one that is not counted.
const rounds = 3

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(corpora []string, out io.Writer) error {
	set, err := gazetteer.Load()
	if err != nil {
		return err
	}
	p := &pipeline.Pipeline{Detectors: append(rules.All(), set.Detector())}
	readers := []struct {
		name string
		read func(string) (int, error)
	}{
		{"fhirdeid", func(text string) (int, error) {
			spans, _, err := p.Detect(context.Background(), text, pipeline.Options{})
			return len(spans), err
		}},
		{"commonregex (Go)", func(text string) (int, error) {
			n := 0
			for _, r := range patterns {
				n += len(r.FindAllStringIndex(text, -1))
			}
			return n, nil
		}},
	}
	for _, corpus := range corpora {
		texts, size, err := load(corpus)
		if err != nil {
			return err
		}
		for _, r := range readers {
			var started time.Duration
			found := 0
			for round := range rounds + 1 {
				if round == 1 {
					started = cpuTime()
				}
				found = 0
				for _, text := range texts {
					n, err := r.read(text)
					if err != nil {
						return err
					}
					found += n
				}
			}
			seconds := (cpuTime() - started).Seconds()
			if err := json.NewEncoder(out).Encode(map[string]any{
				"corpus": corpus, "tool": r.name, "rate": float64(rounds*size) / 1e6 / seconds, "found": found,
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// patterns are those of the library that mean what is looked for in clinical text.
var patterns = []*regexp.Regexp{
	commonregex.DateRegex, commonregex.PhonesWithExtsRegex, commonregex.LinkRegex, commonregex.EmailRegex, commonregex.IPRegex,
	commonregex.CreditCardRegex, commonregex.StreetAddressRegex, commonregex.ZipCodeRegex, commonregex.PoBoxRegex,
	commonregex.SSNRegex, commonregex.IBANRegex,
}

// load reads the texts of a corpus in JSON Lines.
func load(name string) (texts []string, size int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, 0, err
		}
	}
	for lines := json.NewDecoder(r); lines.More(); {
		var line struct{ Text string }
		if err := lines.Decode(&line); err != nil {
			return nil, 0, err
		}
		texts = append(texts, line.Text)
		size += len(line.Text)
	}
	return texts, size, nil
}

// cpuTime is what the process has used of all cores.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
