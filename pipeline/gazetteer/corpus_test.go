package gazetteer

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
)

// record is a line of a corpus.
type record struct{ pipetest.Record }

func corpus(t testing.TB, name string) []record {
	t.Helper()
	var list []record
	for _, r := range pipetest.Records(t, name) {
		list = append(list, record{r})
	}
	return list
}

// marks says for each byte of the text which gold label covers it.
func (r record) marks() []string {
	marks := make([]string, len(r.Text)+1)
	offsets := pipetest.ByteOffsets(r.Text)
	fill := func(start, end int, label string) {
		for i := offsets[start]; i < offsets[end]; i++ {
			marks[i] = label
		}
	}
	for _, s := range r.Spans {
		fill(s.Start, s.End, s.Label)
	}
	for _, s := range r.Slots {
		fill(s.Start, s.End, "SLOT")
	}
	return marks
}

// words gives the words of a text as byte offsets.
func words(text string) [][2]int {
	var list [][2]int
	start := -1
	for i, r := range text {
		word := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.Is(unicode.Mn, r)
		switch {
		case word && start < 0:
			start = i
		case !word && start >= 0:
			list = append(list, [2]int{start, i})
			start = -1
		}
	}
	if start >= 0 {
		list = append(list, [2]int{start, len(text)})
	}
	return list
}

type tally struct{ gold, covered, found, right int }

func (t tally) recall() float64    { return float64(t.covered) / float64(max(1, t.gold)) }
func (t tally) precision() float64 { return float64(t.right) / float64(max(1, t.found)) }

// measure counts words by category; wrong gets each false finding's surface.
func measure(t testing.TB, d pipeline.Detector, records []record, wrong map[string]int) map[phi.Category]*tally {
	t.Helper()
	counts := map[phi.Category]*tally{}
	at := func(c phi.Category) *tally {
		if counts[c] == nil {
			counts[c] = &tally{}
		}
		return counts[c]
	}
	for _, rec := range records {
		spans, err := d.Detect(context.Background(), &pipeline.Document{Text: rec.Text, Language: phi.Language(rec.Lang)})
		if err != nil {
			t.Fatal(err)
		}
		found := make([]phi.Category, len(rec.Text)+1)
		marks := rec.marks()
		for _, s := range spans {
			if s.Type == phi.Protected {
				continue
			}
			for i := s.Start; i < s.End; i++ {
				found[i] = s.Type.Category()
			}
			kind, _ := phi.ParseType(marks[s.Start])
			if wrong != nil {
				wrong["all "+s.Source]++
			}
			if wrong != nil && kind.Category() != s.Type.Category() {
				line := rec.Text[max(0, s.Start-25):min(len(rec.Text), s.End+25)]
				if kind == phi.NoType {
					wrong["not "+s.Source]++
				}
				wrong[s.Source+"|"+rec.Text[s.Start:s.End]+"|"+marks[s.Start]+"|"+strings.ToValidUTF8(strings.ReplaceAll(line, "\n", "⏎"), "")]++
			}
		}
		for _, w := range words(rec.Text) {
			gold := phi.NoCategory
			if kind, ok := phi.ParseType(marks[w[0]]); ok {
				gold = kind.Category()
			}
			if gold != phi.NoCategory {
				at(gold).gold++
				if found[w[0]] != phi.NoCategory {
					at(gold).covered++
				}
			}
			if f := found[w[0]]; f != phi.NoCategory {
				at(f).found++
				if gold != phi.NoCategory {
					at(f).right++
				}
			}
		}
	}
	return counts
}

func load(t testing.TB) pipeline.Detector {
	t.Helper()
	s, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return s.Detector()
}

// TestLetters scores names and places on the invented letters: precision is what this room promises, recall is
// what lists can give without rules.
func TestLetters(t *testing.T) {
	d := load(t)
	records := corpus(t, "letters/letters.jsonl")
	for _, split := range []string{"train", "dev"} {
		for _, lang := range []string{"de", "en"} {
			part := slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.Split != split || r.Lang != lang })
			var wrong map[string]int
			if split == "train" {
				wrong = map[string]int{}
			}
			counts := measure(t, d, part, wrong)
			for _, c := range []phi.Category{phi.CategoryName, phi.CategoryLocation} {
				n := counts[c]
				t.Logf("%s %s %s: recall %.3f precision %.3f (%d words, %d found)", split, lang, c, n.recall(), n.precision(), n.gold, n.found)
				if n.precision() < 0.9 {
					t.Errorf("%s %s %s: precision %.3f", split, lang, c, n.precision())
				}
			}
			show(t, wrong)
		}
	}
}

// show prints false findings when FHIRDEID_SHOW is set.
func show(t testing.TB, wrong map[string]int) {
	t.Helper()
	if os.Getenv("FHIRDEID_SHOW") == "" {
		return
	}
	keys := slices.SortedFunc(maps.Keys(wrong), func(a, b string) int { return cmp.Or(cmp.Compare(wrong[b], wrong[a]), cmp.Compare(a, b)) })
	for _, k := range keys {
		t.Logf("%3d %s", wrong[k], k)
	}
}

// TestNotesWithoutPHI holds the findings in notes that hold next to no PHI to 1.5 per 1,000 words.
func TestNotesWithoutPHI(t *testing.T) {
	d := load(t)
	total, touched := 0, 0
	wrong := map[string]int{}
	for _, rec := range corpus(t, "carriers/en_mtsamples_dev.jsonl.gz") {
		spans, err := d.Detect(context.Background(), &pipeline.Document{Text: rec.Text, Language: phi.English})
		if err != nil {
			t.Fatal(err)
		}
		total += len(words(rec.Text))
		marks := rec.marks()
		for _, s := range spans {
			if s.Type == phi.Protected || slices.Contains(marks[s.Start:s.End], "SLOT") {
				continue
			}
			touched++
			line := rec.Text[max(0, s.Start-25):min(len(rec.Text), s.End+25)]
			wrong[s.Source+"|"+rec.Text[s.Start:s.End]+"||"+strings.ToValidUTF8(strings.ReplaceAll(line, "\n", "⏎"), "")]++
		}
	}
	rate := float64(touched) / float64(total) * 1000
	t.Logf("%.2f spans in 1,000 words (%d in %d)", rate, touched, total)
	if rate > 1.5 {
		t.Errorf("%.2f spans in 1,000 words", rate)
	}
	show(t, wrong)
}

// TestShowMissed prints the names that are not found, for work on the lists.
func TestShowMissed(t *testing.T) {
	if os.Getenv("FHIRDEID_SHOW") == "" {
		t.Skip("needs FHIRDEID_SHOW")
	}
	d := load(t)
	missed := map[string]int{}
	for _, rec := range corpus(t, "letters/letters.jsonl") {
		if rec.Split != "train" {
			continue
		}
		spans, err := d.Detect(context.Background(), &pipeline.Document{Text: rec.Text, Language: phi.Language(rec.Lang)})
		if err != nil {
			t.Fatal(err)
		}
		runes := []rune(rec.Text)
		for _, s := range rec.Spans {
			if !strings.HasPrefix(s.Label, "NAME") {
				continue
			}
			start, end := len(string(runes[:s.Start])), len(string(runes[:s.End]))
			if !slices.ContainsFunc(spans, func(p phi.Span) bool { return p.Start < end && start < p.End }) {
				before, after := string(runes[max(0, s.Start-20):s.Start]), string(runes[s.End:min(len(runes), s.End+12)])
				missed[rec.Lang+" "+strings.ReplaceAll(before+"["+string(runes[s.Start:s.End])+"]"+after, "\n", "⏎")]++
			}
		}
	}
	show(t, missed)
}
