package models_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fhirdeid/models"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/eval"
	"fhirdeid/pipeline/ner"
	"fhirdeid/pipeline/phi"
)

// shipped opens a pack of the repository.
func shipped(t testing.TB, name string) *models.Pack {
	t.Helper()
	dir := filepath.Join("packs", name)
	if _, err := os.Stat(filepath.Join(dir, models.ManifestFile)); err != nil {
		t.Skipf("needs the pack %s", dir)
	}
	return open(t, dir)
}

// lettersFolder finds the developer letters; the test is skipped without them.
func lettersFolder(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("FHIRDEID_DATA"); dir != "" {
		return filepath.Join(dir, "letters")
	}
	for up := ".."; len(up) < 24; up = filepath.Join(up, "..") {
		for _, candidate := range []string{filepath.Join(up, "shared", "data", "letters"), filepath.Join(up, "..", "shared", "data", "letters")} {
			if _, err := os.Stat(filepath.Join(candidate, "letters.jsonl")); err == nil {
				return candidate
			}
		}
	}
	t.Skip("needs the developer data: set FHIRDEID_DATA")
	return ""
}

// letters gives the texts of the dev letters of a language.
func letters(t testing.TB, language phi.Language) []string {
	t.Helper()
	corpus, err := eval.Read(filepath.Join(lettersFolder(t), "letters.jsonl"), "")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, d := range corpus.Split("dev").Documents {
		if d.Language == language {
			texts = append(texts, d.Text)
		}
	}
	return texts
}

// A German letter without a line of our data, for what needs no more than a text.
const letter = `Klinikum Musterstadt, Innere Medizin II
Patientin: Annegret Holzapfel, geb. 03.11.1951
wohnhaft: Am Mühlbach 7, 79219 Staufen

Sehr geehrter Herr Kollege Dr. Brandt,
wir berichten über die stationäre Behandlung vom 12.03. bis 19.03.2021. Die 69-jährige Patientin stellte sich mit
Dyspnoe und Ödemen vor. Echokardiographisch EF 35 %, im Labor NT-proBNP 4200 pg/ml. Unter Furosemid 40 mg rasche
Besserung; M. Parkinson bekannt. Kontrolle in drei Monaten erbeten (Tel. 07633 / 55 12 80).
Mit freundlichen Grüßen, OÄ Dr. Kerstin Vollmer
`

// The answer of the shipped models does not depend on what else is read at the same time, nor on the workers.
func TestShippedPackIsDeterministic(t *testing.T) {
	p := shipped(t, "de")
	alone := detector(t, p, ner.Options{Pool: ner.NewPool(1, 0)})
	want := find(t, alone, letter)
	if !slices.ContainsFunc(want, func(s string) bool { return strings.HasPrefix(s, "NAME") && strings.Contains(s, "Holzapfel") }) {
		t.Errorf("no patient in %q", want)
	}
	crowd := detector(t, p, ner.Options{Pool: ner.NewPool(4, 0)})
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			if i%2 == 1 {
				find(t, crowd, strings.Repeat("Herr Oberarzt Dr. Kolb diktiert. ", i*9))
				return
			}
			if got := find(t, crowd, letter); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	wg.Wait()
}

// memory gives the resident memory of the process in MB, now and at most.
func memory() (now, peak float64) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kb, _ := strconv.ParseFloat(fields[1], 64)
		switch fields[0] {
		case "VmRSS:":
			now = kb / 1024
		case "VmHWM:":
			peak = kb / 1024
		}
	}
	return now, peak
}

func BenchmarkOpen(b *testing.B) {
	for _, name := range []string{"de", "en"} {
		dir := filepath.Join("packs", name)
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p, err := models.Open(dir, models.Options{})
				if err != nil {
					b.Fatal(err)
				}
				p.Close()
			}
			now, peak := memory()
			b.ReportMetric(now, "MB-now")
			b.ReportMetric(peak, "MB-peak")
		})
	}
}

// BenchmarkLetters reads the dev letters of each pack's language, and the same as sentences of 20 words.
func BenchmarkLetters(b *testing.B) {
	for _, name := range []string{"de", "en"} {
		for _, kind := range []string{"letters", "sentences"} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				p := shipped(b, name)
				texts := letters(b, phi.Language(name))
				if kind == "sentences" {
					texts = sentences(texts)
				}
				var rate models.Rate
				for b.Loop() {
					var err error
					if rate, err = p.Bench(context.Background(), texts, 2); err != nil {
						b.Fatal(err)
					}
				}
				report(b, rate)
				// What two idle cores would give, on a machine that has other work as well.
				b.ReportMetric(2*float64(rate.Words)/20/rate.Processor.Seconds(), "sentences/2cpu-s")
			})
		}
	}
}

func sentences(texts []string) []string {
	var list []string
	words := strings.Fields(strings.Join(texts, " "))
	for len(words) >= 20 && len(list) < 600 {
		list = append(list, strings.Join(words[:20], " "))
		words = words[20:]
	}
	return list
}

func report(b *testing.B, r models.Rate) {
	b.ReportMetric(r.Sentences(), "sentences/s")
	b.ReportMetric(r.CharactersPerSecond(), "chars/s")
	b.ReportMetric(float64(r.Tokens)/r.Took.Seconds(), "tokens/s")
	b.ReportMetric(r.OfBare(), "of-bare")
	_, peak := memory()
	b.ReportMetric(peak, "MB-peak")
}

// BenchmarkLength reads one document of growing length.
func BenchmarkLength(b *testing.B) {
	for _, size := range []int{100, 1000, 10_000, 100_000, 1_000_000, 10_000_000} {
		if size > 1_000_000 && os.Getenv("FHIRDEID_BENCH_LONG") == "" {
			continue // minutes
		}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			d := detector(b, shipped(b, "de"), ner.Options{})
			text := strings.Repeat(letter, size/len(letter)+1)
			end := strings.LastIndexByte(text[:size], ' ')
			doc := &pipeline.Document{Text: text[:end], Language: phi.German}
			b.SetBytes(int64(end))
			for b.Loop() {
				if _, err := d.Detect(context.Background(), doc); err != nil {
					b.Fatal(err)
				}
			}
			now, peak := memory()
			b.ReportMetric(now, "MB-now")
			b.ReportMetric(peak, "MB-peak")
		})
	}
}

// BenchmarkRequests reads letters from a growing number of requests at once.
func BenchmarkRequests(b *testing.B) {
	for _, clients := range []int{1, 2, 4, 16, 64} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			d := detector(b, shipped(b, "de"), ner.Options{})
			var slowest, sum time.Duration
			var mu sync.Mutex
			requests := 0
			start := time.Now()
			for b.Loop() {
				var wg sync.WaitGroup
				for range clients {
					wg.Go(func() {
						begin := time.Now()
						if _, err := d.Detect(context.Background(), &pipeline.Document{Text: letter, Language: phi.German}); err != nil {
							b.Error(err)
						}
						mu.Lock()
						defer mu.Unlock()
						took := time.Since(begin)
						slowest, sum, requests = max(slowest, took), sum+took, requests+1
					})
				}
				wg.Wait()
			}
			b.ReportMetric(float64(requests)/time.Since(start).Seconds(), "requests/s")
			b.ReportMetric(float64(sum.Milliseconds())/float64(requests), "ms-mean")
			b.ReportMetric(float64(slowest.Milliseconds()), "ms-slowest")
			_, peak := memory()
			b.ReportMetric(peak, "MB-peak")
		})
	}
}

// BenchmarkThreads compares one thread for each of two windows with two threads for one window.
func BenchmarkThreads(b *testing.B) {
	for _, c := range []struct{ threads, workers int }{{1, 1}, {1, 2}, {2, 1}, {2, 2}} {
		b.Run(fmt.Sprintf("%dthreads-%dwindows", c.threads, c.workers), func(b *testing.B) {
			if _, err := os.Stat("packs/de"); err != nil {
				b.Skip("needs the pack packs/de")
			}
			p, err := models.Open("packs/de", models.Options{Threads: c.threads})
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			var rate models.Rate
			for b.Loop() {
				if rate, err = p.Bench(context.Background(), slices.Repeat([]string{letter}, 24), c.workers); err != nil {
					b.Fatal(err)
				}
			}
			report(b, rate)
		})
	}
}
