package ner

import (
	"context"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// TestMain lets random tests draw the same cases each time, unless a seed is given.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.seed", "20"); err != nil {
		panic(err)
	}
	m.Run()
}

// Windows cover all tokens, in order, are not too long, and every token is decided by exactly one of them. No cut lies
// inside a word that fits into the overlap.
func TestCutProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 60).Draw(t, "size")
		overlap := rapid.IntRange(0, size/2).Draw(t, "overlap")
		lengths := rapid.SliceOfN(rapid.IntRange(1, max(1, overlap/3)), 0, 200).Draw(t, "words")
		spaces := rapid.Bool().Draw(t, "spaces")
		var places []place
		for i, n := range lengths {
			first := betweenWord
			if spaces || i == 0 {
				first = afterSpace
			}
			places = append(places, first)
			for range n - 1 {
				places = append(places, insideWord)
			}
		}
		checkWindows(t, places, size, overlap, true)
	})
}

// The same without any promise about words: they may be as long as the text.
func FuzzCut(f *testing.F) {
	f.Add([]byte{2, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, 4, 2)
	f.Add([]byte(strings.Repeat("\x00", 100)), 8, 4)
	f.Fuzz(func(t *testing.T, data []byte, size, overlap int) {
		if size < 2 || size > 1000 || overlap < 0 || overlap >= size || len(data) > 5000 {
			return
		}
		places := make([]place, len(data))
		for i, b := range data {
			places[i] = place(b % 3)
		}
		checkWindows(t, places, size, overlap, false)
	})
}

func checkWindows(t interface{ Fatalf(string, ...any) }, places []place, size, overlap int, whole bool) {
	list := cut(places, size, overlap)
	next := 0
	for i, w := range list {
		switch {
		case w.to-w.from > size || w.to <= w.from:
			t.Fatalf("window %v of %d tokens", w, len(places))
		case w.first != next || w.last < w.first || w.first < w.from || w.last > w.to:
			t.Fatalf("window %v decides beyond itself, or not from %d", w, next)
		case i > 0 && w.from <= list[i-1].from:
			t.Fatalf("no progress at %v", w)
		case whole && (places[w.from] == insideWord || w.to < len(places) && places[w.to] == insideWord):
			t.Fatalf("window %v cuts a word", w)
		case whole && w.first < len(places) && places[w.first] == insideWord:
			t.Fatalf("decision changes inside a word at %v", w)
		}
		next = w.last
	}
	if next != len(places) {
		t.Fatalf("%d of %d tokens are decided", next, len(places))
	}
}

// Chunks cover the text without gaps on rune borders.
func FuzzChunks(f *testing.F) {
	f.Add("Frau Meier\n", 5000)
	f.Add("ä", 40000)
	f.Add("x \u00a0", 20000)
	f.Fuzz(func(t *testing.T, piece string, times int) {
		if !utf8.ValidString(piece) || times < 0 || len(piece)*times > 1<<18 {
			return
		}
		text := strings.Repeat(piece, times)
		next := 0
		for _, c := range chunks(text) {
			if c.start != next || c.from > c.start || c.end > c.to || c.end <= c.start && text != "" || c.to > len(text) {
				t.Fatalf("%v", c)
			}
			for _, i := range []int{c.from, c.start, c.end, c.to} {
				if i < len(text) && !utf8.RuneStart(text[i]) {
					t.Fatalf("%v cuts a rune", c)
				}
			}
			if c.end-c.from > 2*chunkSize+chunkMargin {
				t.Fatalf("%v is too long", c)
			}
			next = c.end
		}
		if next != len(text) {
			t.Fatalf("%d of %d bytes", next, len(text))
		}
	})
}

// every is a tokenizer that cuts after so many runes, words or not.
type every int

func (n every) Tokenize(text string) ([]Token, error) {
	var tokens []Token
	for i := 0; i < len(text); {
		j := i
		for k := 0; k < int(n) && j < len(text); k++ {
			_, size := utf8.DecodeRuneInString(text[j:])
			j += size
		}
		tokens = append(tokens, Token{ID: int64(text[i]) + int64(text[j-1])<<8, Start: i, End: j})
		i = j
	}
	return tokens, nil
}

// chance is a tagger whose scores are a function of the token and a seed.
type chance struct {
	classes []Class
	seed    uint64
	bias    float32
}

func (c chance) Classes() []Class { return c.classes }

func (c chance) Tag(_ context.Context, ids []int64) ([]float32, error) {
	var out []float32
	for _, id := range ids {
		x := uint64(id)*0x9E3779B97F4A7C15 ^ c.seed
		for i := range c.classes {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			logit := float32(x>>40) / (1 << 24) * 6
			if i == 0 {
				logit += c.bias
			}
			out = append(out, logit)
		}
	}
	return out, nil
}

var chanceClasses = []Class{
	{},
	{phi.NamePatient, true},
	{phi.NamePatient, false},
	{phi.NameStaff, true},
	{phi.NameStaff, false},
	{phi.LocationCity, true},
	{phi.LocationCity, false},
	{phi.DateDate, true},
	{phi.DateDate, false},
	{phi.Other, false},
}

func randomDetector(n int, seed uint64, options Options) *Detector {
	ensembles := []*Ensemble{}
	for i := range 2 {
		ensembles = append(ensembles, &Ensemble{
			Name: fmt.Sprint("ner.", i), Tokenizer: every(n + i), Window: 20, Overlap: 6,
			Superclass: chance{chanceClasses, seed + uint64(i), 3}, Subclass: chance{chanceClasses, seed ^ 77 + uint64(i), 3},
		})
	}
	d, err := NewDetector(options, ensembles...)
	if err != nil {
		panic(err)
	}
	return d
}

// Whatever the models say: spans are in order, disjoint, lie on rune and word borders, have a type, a source and a
// score; and nothing that is covered stays uncovered when lambda rises.
func FuzzDetect(f *testing.F) {
	f.Add("Frau Müller-Lüdenscheidt, geb. 12.03.1948, wohnt in Bonn.\nGROSSE BUCHSTABEN HIER", uint64(1), 3)
	f.Add("a-b-c-d-e-f", uint64(2), 1)
	f.Add("\u200b", uint64(70), 2)
	f.Add("Frau1.", uint64(0), 3)
	f.Add("FrAu000gAB0000000 0000000 GRABEN 8", uint64(1), 33)
	f.Add("00\u200b", uint64(3), 2)
	f.Add("Mül\u00adler\u200bhaus e\u0301te\u0301 \U0001F600\U0001F600 İẞ", uint64(3), 2)
	f.Add(strings.Repeat("wort", 30), uint64(4), 2)
	f.Fuzz(func(t *testing.T, text string, seed uint64, n int) {
		if !utf8.ValidString(text) || len(text) > 2000 || n < 1 || n > 40 {
			return
		}
		checkDetect(t, text, seed, n, Pooling(seed%3))
	})
}

// Texts beyond one chunk, with words longer than a window and than a chunk.
func TestDetectLong(t *testing.T) {
	for i, text := range []string{
		strings.Repeat("Frau Müller, geb. 12.03.1948 in Bonn. ", 1500),
		strings.Repeat("Müller", 12000),
		strings.Repeat("KURZ UND LAUT\nleise und lang ", 1500),
		strings.Repeat("☃", 20000),
		strings.Repeat("a-", 20000),
		strings.Repeat("x ", 100) + strings.Repeat("ö", 40000) + " Ende",
	} {
		checkDetect(t, text, uint64(i), 4, Pooling(i%3))
	}
}

// mayBeDoubtful says whether a word may be left in a span of one type and not of another, see doubtful.
func mayBeDoubtful(word string) bool {
	letters := strings.FieldsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
	return len(word) <= 3 || len(letters) > 0 && !slices.ContainsFunc(letters, func(w string) bool { return lists.Lookup(fold.Key(w)).Common("") == 0 })
}

// weightless says whether a rune is a sign without width.
func weightless(r rune) bool { return unicode.Is(unicode.Cf, r) }

// joint says whether a text begins or ends with a sign without width, which trim leaves outside of a span.
func joint(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	return weightless(first) || weightless(last)
}

func checkDetect(t *testing.T, text string, seed uint64, n int, pooling Pooling) {
	d := randomDetector(n, seed, Options{Pool: NewPool(2, 0), Decision: &Decision{Word: pooling}})
	lambdas := []float64{0, 0.3, 0.9, 1}
	var decisions []Decision
	for _, l := range lambdas {
		decisions = append(decisions, Decision{Lambda: l, Word: pooling})
	}
	doc := &pipeline.Document{Text: text}
	swept, err := d.Sweep(context.Background(), doc, decisions)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := d.Detect(context.Background(), doc)
	if err != nil {
		t.Fatal(err)
	}
	same := func(a, b phi.Span) bool {
		near := math.Abs(a.Score-b.Score) < 1e-3
		a.Score, b.Score = 0, 0
		return near && a == b
	}
	if !slices.EqualFunc(alone, swept[0], same) {
		t.Fatal("a sweep gives other spans than a reading")
	}
	before := make([]bool, len(text))
	for i, spans := range swept {
		covered := make([]bool, len(text))
		last := 0
		for _, s := range spans {
			if s.Start < last || s.Start >= s.End || s.End > len(text) {
				t.Fatalf("span %d-%d behind %d of %d", s.Start, s.End, last, len(text))
			}
			if !border(text, s.Start) && !joint(text[:s.Start]) || !border(text, s.End) && !joint(text[s.End:]) {
				t.Fatalf("span %d-%d cuts a word", s.Start, s.End)
			}
			if s.End < len(text) && !utf8.RuneStart(text[s.End]) || !utf8.RuneStart(text[s.Start]) {
				t.Fatalf("span %d-%d cuts a rune", s.Start, s.End)
			}
			if s.Type == phi.NoType || s.Type >= phi.Protected || s.Source == "" || !(s.Score > 0 && s.Score <= bestScore) {
				t.Fatalf("span %+v", s)
			}
			last = s.End
			for j := s.Start; j < s.End; j++ {
				covered[j] = true
			}
		}
		for _, u := range units(text, 0, len(text)) {
			word := strings.ToLower(text[u.start:u.end])
			seen := strings.TrimLeftFunc(text[u.start:u.end], weightless)
			if seen == "" {
				continue
			}
			at := u.end - len(seen) // trim leaves signs without width outside
			if neverFirst[word] || neverLast[word] {
				continue // may stand at a border at one lambda and inside at another
			}
			if lambdas[i] < 1 && mayBeDoubtful(word) {
				continue // may be in doubt as one type and not as another
			}
			if u.word && before[at] && !covered[at] {
				t.Fatalf("lambda %v covers less than %v", lambdas[i], lambdas[i-1])
			}
			if u.word && lambdas[i] == 1 && !covered[at] {
				t.Fatal("lambda 1 leaves a word")
			}
		}
		before = covered
	}
}

// A row's vote is that of the plain softmax, unless it is too clear to matter.
func TestVotes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(rapid.Float32Range(-12, 12), len(chanceClasses), len(chanceClasses)).Draw(t, "row")
		d := Decision{Lambda: rapid.Float64Range(0, 0.99).Draw(t, "lambda")}
		if rapid.Bool().Draw(t, "recall mode") {
			d = Decision{Recall: rapid.Float64Range(0.01, 1).Draw(t, "recall")}
		}
		votes := make([]vote, 1)
		if err := newReader(chanceClasses, []Decision{d}).read(row, votes); err != nil {
			t.Fatal(err)
		}
		var total float64
		sums := map[phi.Type]float64{}
		for i, x := range row {
			e := math.Exp(float64(x))
			total += e
			sums[chanceClasses[i].Type] += e
		}
		none, best := sums[phi.NoType]/total, phi.NoType
		for kind, sum := range sums {
			if kind != phi.NoType && (best == phi.NoType || sum > sums[best]) {
				best = kind
			}
		}
		p := sums[best] / total
		want := p > (1-d.Lambda)*none
		margin := math.Abs(p - (1-d.Lambda)*none)
		if d.Recall > 0 {
			want = 1-none >= d.Recall
			margin = math.Abs(1 - none - d.Recall)
		}
		if got := d.decided(votes[0]); got != want && margin > 1e-5 {
			t.Fatalf("decided %v, want %v (p %v, none %v)", got, want, p, none)
		}
		if want && margin > 1e-5 && sums[votes[0].kind] < sums[best]*(1-1e-6) {
			t.Fatalf("%v, want %v", votes[0].kind, best)
		}
	})
}

func TestCapitals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ABCÄÖẞİabcß \n.1-\u00ad\u0301")), 0, 80, -1).Draw(t, "text")
		where := capitals(text, 0, len(text))
		lower := titleCase(text, 0, len(text), where)
		if len(lower) != len(text) || !utf8.ValidString(lower) || !strings.EqualFold(lower, text) {
			t.Fatalf("%q became %q", text, lower)
		}
	})
}

// counting is a tokenizer and a tagger that count what they are given.
type counting struct {
	every
	chance
	bytes, ids *atomic.Int64
}

func (c counting) Tokenize(text string) ([]Token, error) {
	c.bytes.Add(int64(len(text)))
	return c.every.Tokenize(text)
}

func (c counting) Tag(ctx context.Context, ids []int64) ([]float32, error) {
	c.ids.Add(int64(len(ids)))
	return c.chance.Tag(ctx, ids)
}

// hostile texts try to make windows, words and lines degenerate.
var hostile = []string{"Frau Müller, 77 Jahre. ", "☃", "A\nab\n", "ABCD\nabcd\n", "a-", "Müller", "e\u0301\u0301\u0301", "\n", " \u00ad"}

// A hostile text gives the models no more work for each byte than windows with overlap and a second reading must.
func TestWorkIsLinear(t *testing.T) {
	for _, piece := range hostile {
		var bytes, ids atomic.Int64
		c := counting{every(4), chance{chanceClasses, 1, 3}, &bytes, &ids}
		d, err := NewDetector(Options{Pool: NewPool(1, 0)}, &Ensemble{Name: "ner.x", Tokenizer: c, Window: 20, Overlap: 6, Subclass: c})
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Repeat(piece, 1<<17/len(piece))
		if _, err := d.Detect(context.Background(), &pipeline.Document{Text: text}); err != nil {
			t.Fatal(err)
		}
		tokens, err := c.every.Tokenize(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Load(); got > int64(len(text))*22/10 {
			t.Errorf("%q: %d bytes tokenized of a text of %d", piece, got, len(text))
		}
		// Neighbours of 20 tokens share 6, or up to half of a window where words are long.
		if got, most := ids.Load(), int64(2*2*len(tokens)*11/10); got > most {
			t.Errorf("%q: %d tokens scored of %d", piece, got, len(tokens))
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for _, piece := range hostile {
		b.Run(fmt.Sprintf("%q", piece), func(b *testing.B) {
			d := randomDetector(4, 1, Options{Pool: NewPool(1, 0)})
			doc := &pipeline.Document{Text: strings.Repeat(piece, 1<<17/len(piece))}
			b.SetBytes(int64(len(doc.Text)))
			for b.Loop() {
				if _, err := d.Detect(context.Background(), doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
