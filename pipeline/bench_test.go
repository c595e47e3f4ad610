package pipeline_test

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
)

// cpuTime is what the process has used of all cores so far, collector included: on a machine with other work on it the
// clock says little.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchCorpora are read by the benchmarks: notes with little PHI and letters full of it.
var benchCorpora = []struct {
	name, file string
	lang       phi.Language
}{{"mtsamples", "carriers/en_mtsamples_dev.jsonl.gz", phi.English}, {"letters", "letters/letters.jsonl", ""}}

// BenchmarkDetect reads corpora with rules and gazetteers, document by document: MB/s on one core, and how many
// allocations one span costs.
func BenchmarkDetect(b *testing.B) {
	p := withoutModels(b)
	for _, c := range benchCorpora {
		b.Run(c.name, func(b *testing.B) {
			list := pipetest.Records(b, c.file)
			measure(b, func() (bytes, spans int) {
				for _, doc := range list {
					bytes += len(doc.Text)
					spans += len(detect(b, p, doc.Text, pipeline.Options{Language: c.lang}))
				}
				return bytes, spans
			})
		})
	}
}

// BenchmarkDetectLong reads one text of 1 and of 10 MB: the speed must be the same.
func BenchmarkDetectLong(b *testing.B) {
	p := withoutModels(b)
	for _, c := range benchCorpora {
		for size, label := range map[int]string{1 << 20: "1MB", 10 << 20: "10MB"} {
			b.Run(c.name+"/"+label, func(b *testing.B) {
				text := corpusText(b, c.file, size)
				measure(b, func() (int, int) {
					return len(text), len(detect(b, p, text, pipeline.Options{Language: c.lang}))
				})
			})
		}
	}
}

// measure runs one reading of a corpus again and again and reports bytes by the clock and by the processor's time, and
// allocations by span.
func measure(b *testing.B, read func() (bytes, spans int)) {
	b.Helper()
	var before, after runtime.MemStats
	bytes, spans, rounds := 0, 0, 0
	runtime.ReadMemStats(&before)
	started := cpuTime()
	for b.Loop() {
		bytes, spans = read()
		rounds++
	}
	used := (cpuTime() - started).Seconds()
	runtime.ReadMemStats(&after)
	b.SetBytes(int64(bytes))
	b.ReportMetric(float64(spans), "spans")
	b.ReportMetric(float64(rounds*bytes)/1e6/used, "MB/cpu-s")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(max(1, rounds*spans)), "allocs/span")
}

// corpusText joins the texts of a corpus and repeats them up to size bytes.
func corpusText(b *testing.B, name string, size int) string {
	b.Helper()
	var text strings.Builder
	list := pipetest.Records(b, name)
	for text.Len() < size {
		for _, c := range list {
			text.WriteString(c.Text)
			text.WriteString("\n\n")
		}
	}
	return strings.ToValidUTF8(text.String()[:size], "")
}
