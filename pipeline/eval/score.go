package eval

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"fhirdeid/pipeline/phi"
)

// Predict gives what a pipeline or a model finds in one document.
type Predict func(ctx context.Context, doc *Document) ([]phi.Span, error)

// Options steer a run. The zero value scores one document after the other and shows no text.
type Options struct {
	Name    string // of what is scored; heads its column in a comparison
	Workers int    // documents at a time; 0 means 1
	// InsecureText puts the words that were missed or found wrongly into the error lists: they are PHI.
	InsecureText bool
}

// Report is what one run over one corpus brought.
type Report struct {
	Name      string `json:"name"`
	Corpus    string `json:"corpus"`
	Documents int    `json:"documents"`
	Words     int    `json:"words"` // matches of \w+

	Word          Count `json:"word"`          // words, untyped
	Token         Count `json:"token"`         // words and punctuation, untyped
	TokenTyped    Count `json:"tokenTyped"`    // the same, of the right type
	TokenCategory Count `json:"tokenCategory"` // the same, of the right category

	Strict          Count `json:"strict"`         // spans with exact borders
	StrictTyped     Count `json:"strictTyped"`    // and of the right type
	StrictCategory  Count `json:"strictCategory"` // and of the right category
	Relaxed         Count `json:"relaxed"`        // spans that overlap
	RelaxedTyped    Count `json:"relaxedTyped"`
	RelaxedCategory Count `json:"relaxedCategory"`

	// RecallMerged is the share of marked words that were found as any PHI at all: confusions between types do not
	// count against it.
	RecallMerged    float64 `json:"recallMerged"`
	MacroTypes      Macro   `json:"macroTypes"`      // of the strict scores, over types
	MacroCategories Macro   `json:"macroCategories"` // of the strict scores, over categories

	Types      []Score       `json:"types"`
	Categories []Score       `json:"categories"`
	Sources    []SourceScore `json:"sources"`
	Confusion  []Confusion   `json:"confusion"`
	Leaks      Leaks         `json:"leaks"`
	Notes      []Note        `json:"notes"`
}

// Score is what was reached for one type or category.
type Score struct {
	Label   string `json:"label"`
	Strict  Count  `json:"strict"`  // exact borders and this label
	Relaxed Count  `json:"relaxed"` // overlap and this label
	Word    Count  `json:"word"`    // words of this label
	// Merged counts words of this label that were found as any PHI, and words found as this label that are any PHI.
	Merged Count `json:"merged"`
}

// SourceScore says how much one detector, or several that agreed, brought.
type SourceScore struct {
	Source string `json:"source"`
	Spans  int    `json:"spans"`
	Right  int    `json:"right"` // of these, overlap a mark
	Words  int    `json:"words"` // marked words that no other source covered
}

// Confusion counts words by what they are and what they were taken for; O is no PHI.
type Confusion struct {
	Gold  string `json:"gold"`
	Found string `json:"found"`
	Words int    `json:"words"`
}

// Leaks says how the misses spread over documents.
type Leaks struct {
	Documents int `json:"documents"` // with at least one marked word
	Leaky     int `json:"leaky"`     // of these, with at least one word missed
	Missed    int `json:"missed"`    // words missed
	Worst     int `json:"worst"`     // most words missed in one document
	// PatientNames counts names of patients; one is met when all its words were found.
	PatientNames Count `json:"patientNames"`
	Empty        int   `json:"empty"`   // documents without PHI
	Touched      int   `json:"touched"` // of these, with anything found
}

// Note is what happened in one document.
type Note struct {
	ID     string  `json:"id"`
	Word   Count   `json:"word"`
	Strict Count   `json:"strict"` // typed
	Errors []Error `json:"errors,omitempty"`
}

// Run scores what predict finds in the documents of the corpus. It fails when predict fails, or returns a span that
// does not lie in the text.
func Run(ctx context.Context, corpus *Corpus, predict Predict, options Options) (*Report, error) {
	tallies := make([]*tally, len(corpus.Documents))
	group, shared := errgroup.WithContext(ctx)
	group.SetLimit(max(1, options.Workers))
	for i := range corpus.Documents {
		if shared.Err() != nil {
			break
		}
		doc := &corpus.Documents[i]
		group.Go(func() error {
			spans, err := predict(shared, doc)
			if err != nil {
				return fmt.Errorf("document %s: %w", doc.ID, err)
			}
			for _, s := range spans {
				if s.Start < 0 || s.Start > s.End || s.End > len(doc.Text) {
					return fmt.Errorf("document %s: a span of %s lies outside of the text", doc.ID, s.Source)
				}
			}
			tallies[i] = score(doc, spans, options.InsecureText)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return summarise(corpus, tallies, options), nil
}

// tally is the score of one document.
type tally struct {
	words                                                      int
	word, token, tokenTyped, tokenCategory                     Count
	strict, strictTyped, strictCategory, relaxed, relaxedTyped Count
	relaxedCategory, patientNames                              Count
	types, categories                                          map[string]*Score
	sources                                                    map[string]*SourceScore
	confusion                                                  map[[2]string]int
	note                                                       Note
	hasPHI, touched                                            bool
}

func score(doc *Document, found []phi.Span, showText bool) *tally {
	t := &tally{
		types: map[string]*Score{}, categories: map[string]*Score{},
		sources: map[string]*SourceScore{}, confusion: map[[2]string]int{},
	}
	found = scorable(doc, found)
	gold := joinDateRanges(doc, found)
	t.touched, t.hasPHI = len(found) > 0, len(gold) > 0

	t.spans(gold, found)
	words := Words(doc.Text)
	t.words = len(words)
	wordGold, wordFound := t.byWord(doc, words, gold, found)
	t.byToken(doc, gold, found)
	for i, g := range gold {
		if g.Type != phi.NamePatient {
			continue
		}
		t.patientNames.Gold++
		if covered(words, wordGold, wordFound, i) {
			t.patientNames.Hit++
		}
	}
	t.note = Note{ID: doc.ID, Word: t.word, Strict: t.strictTyped}
	t.note.Errors = explain(doc, gold, found, showText)
	return t
}

func covered(words []Range, wordGold, wordFound []int, gold int) bool {
	for i := range words {
		if wordGold[i] == gold && wordFound[i] < 0 {
			return false
		}
	}
	return true
}

// scorable leaves out what nobody marked: protected terms, types that the source does not know, and what lies on
// ignored stretches. A span that meets a mark always stays.
func scorable(doc *Document, found []phi.Span) []phi.Span {
	kept := make([]phi.Span, 0, len(found))
	for _, s := range found {
		if s.Start >= s.End || s.Type == phi.Protected || s.Type == phi.NoType {
			continue
		}
		kept = append(kept, s)
	}
	slices.SortFunc(kept, phi.Compare)
	kept = slices.CompactFunc(kept, func(a, b phi.Span) bool { return a.Start == b.Start && a.End == b.End && a.Type == b.Type })
	ranges := make([]Range, len(kept))
	for i, s := range kept {
		ranges[i] = Range{s.Start, s.End}
	}
	onGold := overlaps(ranges, doc.Gold, Gold.at)
	ignored := overlaps(ranges, doc.Ignore, func(r Range) Range { return r })
	scored := kept[:0]
	for i, s := range kept {
		if onGold[i] || !ignored[i] && (doc.Marked == nil || slices.ContainsFunc(doc.Marked, func(m phi.Type) bool {
			return accepts(m, s.Type) || accepts(s.Type, m)
		})) {
			scored = append(scored, s)
		}
	}
	return scored
}

func (g Gold) at() Range { return Range{g.Start, g.End} }

func spanAt(s phi.Span) Range { return Range{s.Start, s.End} }

// overlaps says for each range whether any of the spans, ordered by start, touches it.
func overlaps[S any](ranges []Range, spans []S, at func(S) Range) []bool {
	longest := make([]int, len(spans))
	for i, s := range spans {
		longest[i] = at(s).End
		if i > 0 {
			longest[i] = max(longest[i], longest[i-1])
		}
	}
	touched := make([]bool, len(ranges))
	for i, r := range ranges {
		// Spans before n start before the range ends; one of them must end after it starts.
		n, _ := slices.BinarySearchFunc(spans, r.End, func(s S, end int) int { return cmp.Compare(at(s).Start, end) })
		touched[i] = n > 0 && longest[n-1] > r.Start
	}
	return touched
}

// joinDateRanges lets one found span stand for two marked dates that form a range, as in 12.-14.03.2021: where a
// span covers exactly both, the marks count as one.
func joinDateRanges(doc *Document, found []phi.Span) []Gold {
	exact := make(map[Range]bool, len(found))
	for _, s := range found {
		exact[spanAt(s)] = true
	}
	var gold []Gold
	for _, g := range doc.Gold {
		if n := len(gold); n > 0 {
			last := &gold[n-1]
			if last.Type.Category() == phi.CategoryDate && g.Type.Category() == phi.CategoryDate && last.End <= g.Start &&
				exact[Range{last.Start, g.End}] && rangeJoiner(doc.Text[last.End:g.Start]) {
				last.End = g.End
				continue
			}
		}
		gold = append(gold, g)
	}
	return gold
}

func rangeJoiner(gap string) bool {
	switch strings.ToLower(strings.Trim(gap, " \t\n.")) {
	case "", "-", "–", "—", "/", "bis", "bis zum", "to", "until", "through", "und", "and", "&", "u":
		return true
	}
	return false
}

// spans counts spans with exact borders and spans that overlap.
func (t *tally) spans(gold []Gold, found []phi.Span) {
	byRange := map[Range][]phi.Type{}
	for _, s := range found {
		byRange[spanAt(s)] = append(byRange[spanAt(s)], s.Type)
	}
	goldByRange := map[Range][]int{}
	for i, g := range gold {
		goldByRange[g.at()] = append(goldByRange[g.at()], i)
	}
	touching := pairs(gold, found)
	for i, g := range gold {
		exact := byRange[g.at()]
		typed := slices.ContainsFunc(exact, g.Accepts)
		category := slices.ContainsFunc(exact, g.AcceptsCategory)
		t.strict.gold(len(exact) > 0)
		t.strictTyped.gold(typed)
		t.strictCategory.gold(category)
		over := touching.ofGold[i]
		overTyped := slices.ContainsFunc(over, func(j int) bool { return g.Accepts(found[j].Type) })
		overCategory := slices.ContainsFunc(over, func(j int) bool { return g.AcceptsCategory(found[j].Type) })
		t.relaxed.gold(len(over) > 0)
		t.relaxedTyped.gold(overTyped)
		t.relaxedCategory.gold(overCategory)
		ty, ca := t.of(g.Type)
		ty.Strict.gold(typed)
		ty.Relaxed.gold(overTyped)
		ca.Strict.gold(category)
		ca.Relaxed.gold(overCategory)
	}
	for j, s := range found {
		exact := goldByRange[spanAt(s)]
		typed := slices.IndexFunc(exact, func(i int) bool { return gold[i].Accepts(s.Type) })
		category := slices.ContainsFunc(exact, func(i int) bool { return gold[i].AcceptsCategory(s.Type) })
		t.strict.found(len(exact) > 0)
		t.strictTyped.found(typed >= 0)
		t.strictCategory.found(category)
		over := touching.ofFound[j]
		overTyped := slices.IndexFunc(over, func(i int) bool { return gold[i].Accepts(s.Type) })
		overCategory := slices.ContainsFunc(over, func(i int) bool { return gold[i].AcceptsCategory(s.Type) })
		t.relaxed.found(len(over) > 0)
		t.relaxedTyped.found(overTyped >= 0)
		t.relaxedCategory.found(overCategory)
		// A span that meets a mark of a bare category, or one with several readings, counts in the row of the mark.
		row := s.Type
		if typed >= 0 {
			row = gold[exact[typed]].Type
		} else if overTyped >= 0 {
			row = gold[over[overTyped]].Type
		}
		ty, _ := t.of(row)
		ty.Strict.found(typed >= 0)
		ty.Relaxed.found(overTyped >= 0)
		_, ca := t.of(s.Type)
		if category {
			i := slices.IndexFunc(exact, func(i int) bool { return gold[i].AcceptsCategory(s.Type) })
			_, ca = t.of(gold[exact[i]].Type)
		}
		ca.Strict.found(category)
		ca.Relaxed.found(overCategory)
		source := t.source(s.Source)
		source.Spans++
		if len(over) > 0 {
			source.Right++
		}
	}
}

// touching lists who overlaps whom.
type touching struct{ ofGold, ofFound [][]int }

func pairs(gold []Gold, found []phi.Span) touching {
	t := touching{make([][]int, len(gold)), make([][]int, len(found))}
	first := 0
	longest := make([]int, len(found))
	for j, s := range found {
		longest[j] = s.End
		if j > 0 {
			longest[j] = max(longest[j], longest[j-1])
		}
	}
	for i, g := range gold {
		for first < len(found) && longest[first] <= g.Start {
			first++
		}
		for j := first; j < len(found) && found[j].Start < g.End; j++ {
			if found[j].End > g.Start {
				t.ofGold[i] = append(t.ofGold[i], j)
				t.ofFound[j] = append(t.ofFound[j], i)
			}
		}
	}
	return t
}

func (c *Count) gold(hit bool) {
	c.Gold++
	if hit {
		c.Hit++
	}
}

func (c *Count) found(right bool) {
	c.Found++
	if right {
		c.Right++
	}
}

// of gives the rows of a type and of its category.
func (t *tally) of(ty phi.Type) (byType, byCategory *Score) {
	return row(t.types, ty.String()), row(t.categories, ty.Category().String())
}

func row(m map[string]*Score, label string) *Score {
	s := m[label]
	if s == nil {
		s = &Score{Label: label}
		m[label] = s
	}
	return s
}

func (t *tally) source(name string) *SourceScore {
	s := t.sources[name]
	if s == nil {
		s = &SourceScore{Source: name}
		t.sources[name] = s
	}
	return s
}

// byWord counts words. It returns which mark and which span each word belongs to.
func (t *tally) byWord(doc *Document, words []Range, gold []Gold, found []phi.Span) (wordGold, wordFound []int) {
	wordGold = cover(words, gold, Gold.at)
	wordFound = cover(words, found, spanAt)
	ignored := overlaps(words, doc.Ignore, func(r Range) Range { return r })
	for i := range words {
		g, f := wordGold[i], wordFound[i]
		if g < 0 && ignored[i] {
			continue
		}
		goldLabel, foundLabel := phi.NoType.String(), phi.NoType.String()
		if g >= 0 {
			goldLabel = gold[g].Type.String()
			t.word.gold(f >= 0)
			ty, ca := t.of(gold[g].Type)
			ty.Word.gold(f >= 0 && gold[g].Accepts(found[f].Type))
			ca.Word.gold(f >= 0 && gold[g].AcceptsCategory(found[f].Type))
			ty.Merged.gold(f >= 0)
			ca.Merged.gold(f >= 0)
			if f >= 0 {
				t.source(found[f].Source).Words++
			}
		}
		if f >= 0 {
			foundLabel = found[f].Type.String()
			t.word.found(g >= 0)
			typed := g >= 0 && gold[g].Accepts(found[f].Type)
			if typed {
				foundLabel = goldLabel // a bare category, or another reading, that was met
			}
			ty := row(t.types, foundLabel)
			_, ca := t.of(found[f].Type)
			ty.Word.found(typed)
			ca.Word.found(g >= 0 && gold[g].AcceptsCategory(found[f].Type))
			ty.Merged.found(g >= 0)
			ca.Merged.found(g >= 0)
		}
		if g >= 0 || f >= 0 {
			t.confusion[[2]string{goldLabel, foundLabel}]++
		}
	}
	return wordGold, wordFound
}

func (t *tally) byToken(doc *Document, gold []Gold, found []phi.Span) {
	tokens := Tokens(doc.Text)
	tokenGold := cover(tokens, gold, Gold.at)
	tokenFound := cover(tokens, found, spanAt)
	ignored := overlaps(tokens, doc.Ignore, func(r Range) Range { return r })
	for i := range tokens {
		g, f := tokenGold[i], tokenFound[i]
		if g < 0 && ignored[i] {
			continue
		}
		typed := g >= 0 && f >= 0 && gold[g].Accepts(found[f].Type)
		category := g >= 0 && f >= 0 && gold[g].AcceptsCategory(found[f].Type)
		if g >= 0 {
			t.token.gold(f >= 0)
			t.tokenTyped.gold(typed)
			t.tokenCategory.gold(category)
		}
		if f >= 0 {
			t.token.found(g >= 0)
			t.tokenTyped.found(typed)
			t.tokenCategory.found(category)
		}
	}
}

func summarise(corpus *Corpus, tallies []*tally, options Options) *Report {
	r := &Report{Name: options.Name, Corpus: corpus.Name, Documents: len(tallies)}
	types, categories := map[string]*Score{}, map[string]*Score{}
	sources, confusion := map[string]*SourceScore{}, map[[2]string]int{}
	for _, t := range tallies {
		r.Words += t.words
		r.Word = r.Word.Add(t.word)
		r.Token = r.Token.Add(t.token)
		r.TokenTyped = r.TokenTyped.Add(t.tokenTyped)
		r.TokenCategory = r.TokenCategory.Add(t.tokenCategory)
		r.Strict = r.Strict.Add(t.strict)
		r.StrictTyped = r.StrictTyped.Add(t.strictTyped)
		r.StrictCategory = r.StrictCategory.Add(t.strictCategory)
		r.Relaxed = r.Relaxed.Add(t.relaxed)
		r.RelaxedTyped = r.RelaxedTyped.Add(t.relaxedTyped)
		r.RelaxedCategory = r.RelaxedCategory.Add(t.relaxedCategory)
		addScores(types, t.types)
		addScores(categories, t.categories)
		for name, s := range t.sources {
			sum := sources[name]
			if sum == nil {
				sum = &SourceScore{Source: name}
				sources[name] = sum
			}
			sum.Spans += s.Spans
			sum.Right += s.Right
			sum.Words += s.Words
		}
		for cell, n := range t.confusion {
			confusion[cell] += n
		}
		r.Leaks.add(t)
		r.Notes = append(r.Notes, t.note)
	}
	r.RecallMerged = r.Word.Recall()
	r.Types, r.Categories = inOrder(types), inOrder(categories)
	r.MacroTypes, r.MacroCategories = macroOf(r.Types), macroOf(r.Categories)
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		r.Sources = append(r.Sources, *sources[name])
	}
	cells := slices.SortedFunc(maps.Keys(confusion), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(rank(a[0]), rank(b[0])), cmp.Compare(rank(a[1]), rank(b[1])))
	})
	for _, cell := range cells {
		r.Confusion = append(r.Confusion, Confusion{cell[0], cell[1], confusion[cell]})
	}
	return r
}

func (l *Leaks) add(t *tally) {
	l.PatientNames = l.PatientNames.Add(t.patientNames)
	if !t.hasPHI {
		l.Empty++
		if t.touched {
			l.Touched++
		}
		return
	}
	l.Documents++
	missed := t.word.Gold - t.word.Hit
	l.Missed += missed
	l.Worst = max(l.Worst, missed)
	if missed > 0 {
		l.Leaky++
	}
}

func addScores(sum, more map[string]*Score) {
	for label, s := range more {
		to := row(sum, label)
		to.Strict = to.Strict.Add(s.Strict)
		to.Relaxed = to.Relaxed.Add(s.Relaxed)
		to.Word = to.Word.Add(s.Word)
		to.Merged = to.Merged.Add(s.Merged)
	}
}

// rank orders labels as the taxonomy does; O comes last.
func rank(label string) int {
	t, ok := phi.ParseType(label)
	if !ok {
		return 1 << 10
	}
	return int(t)
}

func inOrder(m map[string]*Score) []Score {
	var list []Score
	for _, label := range slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Compare(rank(a), rank(b)) }) {
		list = append(list, *m[label])
	}
	return list
}

func macroOf(scores []Score) Macro {
	counts := make([]Count, 0, len(scores))
	for _, s := range scores {
		if s.Strict.Gold > 0 {
			counts = append(counts, s.Strict)
		}
	}
	return macro(counts)
}
