package models_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"fhirdeid/models"
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

// BenchmarkOpen opens each shipped pack, and both together, which share files.
func BenchmarkOpen(b *testing.B) {
	for _, dirs := range [][]string{{"packs/de"}, {"packs/en"}, {"packs/de", "packs/en"}} {
		for _, dir := range dirs {
			if _, err := os.Stat(dir); err != nil {
				b.Skipf("needs the pack %s", dir)
			}
		}
		b.Run(strings.ReplaceAll(strings.Join(dirs, "+"), "packs/", ""), func(b *testing.B) {
			var now, peak int64
			for b.Loop() {
				packs, err := models.OpenAll(dirs, models.Options{})
				if err != nil {
					b.Fatal(err)
				}
				now, peak = models.Memory()
				for _, p := range packs {
					p.Close()
				}
			}
			b.ReportMetric(float64(now)/(1<<20), "MB-now")
			b.ReportMetric(float64(peak)/(1<<20), "MB-peak")
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
	b.ReportMetric(r.TokenSentences(), "20-token-sentences/s")
	b.ReportMetric(r.CharactersPerSecond(), "chars/s")
	b.ReportMetric(float64(r.Tokens)/r.Took.Seconds(), "tokens/s")
	b.ReportMetric(r.OfBare(), "of-bare")
	_, peak := models.Memory()
	b.ReportMetric(float64(peak)/(1<<20), "MB-peak")
}

// The load of many requests counts every document and its time.
func TestBenchLoad(t *testing.T) {
	p := open(t, foreign)
	l, err := p.BenchLoad(context.Background(), letter, 3, 2, 2)
	if err != nil || l.Documents != 6 || l.Characters != 6*len([]rune(letter)) || l.Bytes != len(letter) || l.Mean <= 0 || l.Slowest < l.Mean || l.Took < l.Slowest || l.Peak < l.Resident {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := p.BenchLoad(context.Background(), letter, 0, 2, 2); err == nil {
		t.Error("measured nothing")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.BenchLoad(ctx, letter, 3, 2, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
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
