package rules_test

import (
	"cmp"
	"context"
	"flag"
	"slices"
	"strings"
	"testing"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
	"fhirdeid/pipeline/rules"
)

var (
	split  = flag.String("split", "train", "part of the letters to score")
	misses = flag.String("misses", "", "category whose misses and false positives are listed")
)

// letter is one line of a corpus; offsets are code points.
type letter = pipetest.Record

func data(t testing.TB, name string) []letter { return pipetest.Records(t, name) }

func truth(t testing.TB, l *letter) []phi.Span {
	at := pipetest.ByteOffsets(l.Text)
	var spans []phi.Span
	for _, s := range l.Spans {
		typ, ok := phi.ParseType(s.Label)
		if !ok {
			t.Fatalf("label %s", s.Label)
		}
		spans = append(spans, phi.Span{Start: at[s.Start], End: at[s.End], Type: typ})
	}
	return spans
}

func run(t testing.TB, list []pipeline.Detector, text, lang string) []phi.Span {
	t.Helper()
	var spans []phi.Span
	for _, d := range list {
		found, err := d.Detect(context.Background(), &pipeline.Document{Text: text, Language: phi.Language(lang)})
		if err != nil {
			t.Fatal(err)
		}
		spans = append(spans, found...)
	}
	return spans
}

// TestLetters scores the rules on the letters, word-wise, and fails where they fall behind what was reached.
func TestLetters(t *testing.T) {
	total := map[phi.Type]pipetest.Tally{}
	missed, wrong := map[string]int{}, map[string]int{}
	for _, l := range data(t, "letters/letters.jsonl") {
		if l.Split != *split {
			continue
		}
		want, got := truth(t, &l), run(t, rules.All(), l.Text, l.Lang)
		for typ, tally := range pipetest.Score(l.Text, want, got) {
			total[typ] = total[typ].Add(tally)
		}
		if *misses == "" {
			continue
		}
		show := func(s phi.Span) string {
			a, b := max(0, s.Start-30), min(len(l.Text), s.End+20)
			return l.ID + " " + s.Source + " " + strings.ReplaceAll(strings.ToValidUTF8(l.Text[a:s.Start], "")+"⟦"+l.Text[s.Start:s.End]+"⟧"+strings.ToValidUTF8(l.Text[s.End:b], ""), "\n", "⏎")
		}
		for _, w := range want {
			if strings.HasPrefix(w.Type.String(), *misses) && uncovered(l.Text, w, got) {
				missed[show(w)]++
			}
		}
		for _, g := range got {
			if strings.HasPrefix(g.Type.String(), *misses) && uncovered(l.Text, g, want) {
				wrong[show(g)]++
			}
		}
	}
	byCategory := map[phi.Category]pipetest.Tally{}
	for _, typ := range phi.Types() {
		if tally, ok := total[typ]; ok {
			byCategory[typ.Category()] = byCategory[typ.Category()].Add(tally)
			t.Logf("%-24s words %5d recall %.3f   marked %5d precision %.3f", typ, tally.Wanted, tally.Recall(), tally.Marked, tally.Precision())
		}
	}
	for c := phi.CategoryName; c <= phi.CategoryOther; c++ {
		t.Logf("== %-12s words %5d recall %.3f   marked %5d precision %.3f", c, byCategory[c].Wanted, byCategory[c].Recall(), byCategory[c].Marked, byCategory[c].Precision())
	}
	for name, m := range map[string]map[string]int{"missed": missed, "wrong": wrong} {
		keys := make([]string, 0, len(m))
		for k := range m {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b string) int { return cmp.Compare(a, b) })
		for _, k := range keys {
			t.Logf("%s %s", name, k)
		}
	}
}

// uncovered says whether a word of the span is in none of the list.
func uncovered(text string, s phi.Span, list []phi.Span) bool {
	bare := false
	pipetest.Words(text[s.Start:s.End], func(a, b int) {
		a, b = a+s.Start, b+s.Start
		for _, o := range list {
			if o.Start < b && o.End > a {
				return
			}
		}
		bare = true
	})
	return bare
}

// TestTricky counts how many spans of the check list are wholly covered and how many strings that must stay are
// touched. Names that only a dictionary or the patient's record can tell are not asked of the rules.
func TestTricky(t *testing.T) {
	spans, covered, keeps, touched := 0, 0, 0, 0
	for _, l := range data(t, "dev/tricky_dev.jsonl") {
		got := run(t, rules.All(), l.Text, l.Lang)
		for _, w := range truth(t, &l) {
			spans++
			if !uncovered(l.Text, w, got) {
				covered++
			} else {
				t.Logf("%s missed %q", l.ID, l.Text[w.Start:w.End])
			}
		}
		for _, k := range l.Keep {
			keeps++
			if i := strings.LastIndex(l.Text, k); i >= 0 && !uncoveredAll(l.Text, phi.Span{Start: i, End: i + len(k)}, got) {
				touched++
				t.Logf("%s touched %q", l.ID, k)
			}
		}
	}
	t.Logf("%d of %d spans covered, %d of %d strings touched", covered, spans, touched, keeps)
	if 100*covered < 80*spans || 100*touched > 5*keeps {
		t.Errorf("covered %d of %d, touched %d of %d", covered, spans, touched, keeps)
	}
}

// uncoveredAll says whether no byte of the span is in any of the list.
func uncoveredAll(_ string, s phi.Span, list []phi.Span) bool {
	return !slices.ContainsFunc(list, s.Overlaps)
}

// TestCarriers counts what is marked outside the slots of notes without PHI: it is nearly all wrong.
func TestCarriers(t *testing.T) {
	words, marked := 0, 0
	by := map[string]int{}
	for _, l := range data(t, "carriers/en_mtsamples_"+*split+".jsonl.gz") {
		at := pipetest.ByteOffsets(l.Text)
		var slots []phi.Span
		for _, s := range l.Slots {
			slots = append(slots, phi.Span{Start: at[s.Start], End: at[s.End]})
		}
		pipetest.Words(l.Text, func(int, int) { words++ })
		for _, g := range run(t, rules.All(), l.Text, l.Lang) {
			if !slices.ContainsFunc(slots, g.Overlaps) {
				marked++
				by[g.Source+" "+strings.ReplaceAll(l.Text[g.Start:g.End], "\n", "⏎")]++
			}
		}
	}
	t.Logf("%d spans in %d words: %.2f per thousand", marked, words, 1000*float64(marked)/float64(words))
	keys := make([]string, 0, len(by))
	for k := range by {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
	if *misses != "" {
		for _, k := range keys[:min(len(keys), 400)] {
			t.Logf("%4d %s", by[k], k)
		}
	}
	if marked*1000 > 3*words {
		t.Errorf("%d spans in %d words of notes without PHI", marked, words)
	}
}
