package known

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
	"fhirdeid/pipeline/pipetest"
)

// record is a line of the corpus.
type record struct{ pipetest.Record }

// letterRecords reads the invented letters of the developer data, or skips the test.
func letterRecords(t testing.TB) []record {
	t.Helper()
	var list []record
	for _, r := range pipetest.Records(t, "letters/letters.jsonl") {
		list = append(list, record{r})
	}
	return list
}

// span is a gold mark in bytes.
type span struct {
	start, end  int
	label, text string
}

func (r record) gold() []span {
	offsets := pipetest.ByteOffsets(r.Text)
	var list []span
	for _, s := range r.Spans {
		list = append(list, span{offsets[s.Start], offsets[s.End], s.Label, r.Text[offsets[s.Start]:offsets[s.End]]})
	}
	return list
}

// nameParts splits a written name as a record would hold it; ok is false for initials and single words.
func nameParts(text string) (given, family []string, ok bool) {
	text = strings.Join(strings.Fields(strings.ReplaceAll(strings.ReplaceAll(text, "-\n", ""), "^", ", ")), " ")
	if last, first, found := strings.Cut(text, ", "); found {
		return strings.Fields(first), []string{last}, full(last) && full(first)
	}
	words := strings.Fields(text)
	if len(words) < 2 {
		return nil, nil, false
	}
	n := len(words) - 1
	for n > 1 && unicode.IsLower([]rune(words[n-1])[0]) {
		n-- // von der
	}
	return words[:n], []string{strings.Join(words[n:], " ")}, full(words[0]) && full(strings.Join(words[n:], " "))
}

func full(s string) bool {
	return utf8.RuneCountInString(strings.Trim(s, ". ")) > 1 && !strings.Contains(s, ".")
}

// identity makes of a letter's marks what the patient's own resource would hold: the name as it is first written in
// full, the birth date, address, phone and numbers.
func (r record) identity() (Identity, bool) {
	id := Identity{Key: "p"}
	e := Entity{Key: "p1", Role: Patient}
	for _, s := range r.gold() {
		switch s.label {
		case "NAME_PATIENT":
			if given, family, ok := nameParts(s.text); ok && len(e.Family) == 0 {
				if _, known := lists.IsSurname(fold.Key(family[0])); !known && lists.IsFirstName(fold.Key(family[0])) && !strings.Contains(s.text, ",") {
					given, family = family, given // written the other way round
				}
				e.Given, e.Family = given, family
			}
		case "LOCATION_STREET":
			e.Streets = append(e.Streets, s.text)
		case "LOCATION_CITY":
			e.Cities = append(e.Cities, s.text)
		case "LOCATION_ZIP":
			e.ZIPs = append(e.ZIPs, s.text)
		case "CONTACT_PHONE":
			e.Phones = append(e.Phones, s.text)
		case "ID_PATIENT":
			e.IDs = append(e.IDs, s.text)
		}
	}
	id.Entities = []Entity{e}
	return id, len(e.Family) > 0
}

// TestLettersWithTheirPatient gives each letter's own patient and looks how many words of the patient's name are
// found, and how much of what is found is none of what was given.
func TestLettersWithTheirPatient(t *testing.T) {
	for _, split := range []string{"train", "dev"} {
		var gold, covered, found, wrong, letters int
		for _, r := range letterRecords(t) {
			if r.Split != split {
				continue
			}
			id, ok := r.identity()
			if !ok {
				continue
			}
			letters++
			spans, err := New(id).Detect(context.Background(), &pipeline.Document{Text: r.Text, Language: phi.Language(r.Lang)})
			if err != nil {
				t.Fatal(err)
			}
			marks := r.gold()
			for _, g := range marks {
				if g.label != "NAME_PATIENT" {
					continue
				}
				// A second patient of the same text is not this one.
				if !related(g.text, id.Entities[0]) {
					continue
				}
				gold++
				if slices.ContainsFunc(spans, func(s phi.Span) bool { return s.Start < g.end && g.start < s.End }) {
					covered++
				} else if os.Getenv("FHIRDEID_SHOW") != "" {
					t.Logf("missed %q of %v %v: %q", g.text, id.Entities[0].Given, id.Entities[0].Family, r.Text[max(0, g.start-30):min(len(r.Text), g.end+20)])
				}
			}
			for _, s := range spans {
				found++
				if !slices.ContainsFunc(marks, func(g span) bool { return s.Start < g.end && g.start < s.End }) {
					wrong++
					if os.Getenv("FHIRDEID_SHOW") != "" {
						t.Logf("wrong %s %.2f %q: %q", s.Source, s.Score, r.Text[s.Start:s.End], r.Text[max(0, s.Start-30):min(len(r.Text), s.End+20)])
					}
				}
			}
		}
		recall, precision := float64(covered)/float64(max(gold, 1)), 1-float64(wrong)/float64(max(found, 1))
		t.Logf("%s: %d letters, recall of the patient's names %.4f (%d of %d), precision of all %.4f (%d)", split, letters, recall, covered, gold, precision, found)
		if recall < 0.965 || precision < 0.99 {
			t.Errorf("%s: recall %.4f precision %.4f", split, recall, precision)
		}
	}
}

// related says whether a marked name shares a letter group with the given one: a word of four letters, or initials.
func related(text string, e Entity) bool {
	key := squash(fold.Key(text))
	for _, name := range append(slices.Clone(e.Given), e.Family...) {
		for _, w := range wordsOf(fold.Key(name)) {
			w = squash(w)
			if len(w) > 2 && strings.Contains(key, w[:3]) {
				return true
			}
		}
	}
	return false
}
