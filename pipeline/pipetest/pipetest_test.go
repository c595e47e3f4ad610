package pipetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
)

func TestParseReadsMarks(t *testing.T) {
	text, spans := Parse(t, "Kontakt: [CONTACT_EMAIL:a@b.example] (Büro) [sic] [NAME:Ö] [Blatt: 2]")
	if text != "Kontakt: a@b.example (Büro) [sic] Ö [Blatt: 2]" {
		t.Fatalf("text %q", text)
	}
	var got []string
	for _, s := range spans {
		got = append(got, s.Type.String()+" "+text[s.Start:s.End])
	}
	if want := []string{"CONTACT_EMAIL a@b.example", "NAME Ö"}; !slices.Equal(got, want) {
		t.Errorf("spans %q, want %q", got, want)
	}
	if again := Mark(text, spans); again != "Kontakt: [CONTACT_EMAIL:a@b.example] (Büro) [sic] [NAME:Ö] [Blatt: 2]" {
		t.Errorf("marked again: %q", again)
	}
}

// fake marks every occurrence of a word, or does what its function says.
type fake struct {
	detect func(text string) ([]phi.Span, error)
}

func (fake) Name() string { return "test.fake" }
func (f fake) Detect(_ context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	return f.detect(doc.Text)
}

func word(w string) fake {
	return fake{func(text string) ([]phi.Span, error) {
		var spans []phi.Span
		for at := 0; ; {
			i := strings.Index(text[at:], w)
			if i < 0 {
				return spans, nil
			}
			spans = append(spans, phi.Span{Start: at + i, End: at + i + len(w), Type: phi.Name, Score: 1, Source: "test.fake"})
			at += i + len(w)
		}
	}}
}

func TestAcceptPassesWhatKeepsTheContract(t *testing.T) {
	Accept(t, word("Müller"), phi.German, "Herr [NAME:Müller] kam\nmit Frau [NAME:Müller].", "Niemand.")
}

func TestCheckFindsBrokenContracts(t *testing.T) {
	calls := 0
	span := phi.Span{Start: 0, End: 1, Type: phi.Name, Score: 1, Source: "test"}
	for name, detect := range map[string]func(string) ([]phi.Span, error){
		"outside":   func(text string) ([]phi.Span, error) { s := span; s.End = len(text) + 1; return []phi.Span{s}, nil },
		"empty":     func(string) ([]phi.Span, error) { s := span; s.End = 0; return []phi.Span{s}, nil },
		"cut rune":  func(string) ([]phi.Span, error) { s := span; s.End = 2; return []phi.Span{s}, nil },
		"no type":   func(string) ([]phi.Span, error) { s := span; s.Type = phi.NoType; return []phi.Span{s}, nil },
		"no score":  func(string) ([]phi.Span, error) { s := span; s.Score = 0; return []phi.Span{s}, nil },
		"no source": func(string) ([]phi.Span, error) { s := span; s.Source = ""; return []phi.Span{s}, nil },
		"error":     func(string) ([]phi.Span, error) { return nil, errors.New("test") },
		"moody": func(string) ([]phi.Span, error) {
			calls++
			s := span
			s.Score = 1 / float64(calls)
			return []phi.Span{s}, nil
		},
	} {
		if _, err := Check(fake{detect}, "aö", phi.German); err == nil {
			t.Errorf("%s: not found", name)
		}
	}
	if _, err := Check(word("ö"), "aö", phi.German); err != nil {
		t.Errorf("a good detector is refused: %v", err)
	}
}

func TestScoreCountsWords(t *testing.T) {
	text, want := Parse(t, "Frau [NAME_PATIENT:Anna Klein-Sand], Tel. [CONTACT_PHONE:030 1234], Herz.")
	_, got := Parse(t, "Frau Anna [NAME_OTHER:Klein-Sand], Tel. [ID_OTHER:030] 1234, [NAME_OTHER:Herz].")
	score := Score(text, want, got)
	if name := score[phi.NamePatient]; name != (Tally{Wanted: 3, Found: 2}) {
		t.Errorf("patient %+v", name)
	}
	if other := score[phi.NameOther]; other != (Tally{Marked: 3, Right: 2}) {
		t.Errorf("other %+v", other)
	}
	if phone := score[phi.ContactPhone]; phone != (Tally{Wanted: 2, Found: 1}) {
		t.Errorf("phone %+v", phone)
	}
	if r := (Tally{}).Recall(); r != 1 {
		t.Errorf("recall of nothing %v", r)
	}
}
