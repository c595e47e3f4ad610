package rules

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
)

// findings gives what the scanners find, each at the tokens that concern it, or, with everywhere, at every token.
func findings(doc *pipeline.Document, everywhere bool) []phi.Span {
	s := new(scan)
	s.prepare(doc)
	if everywhere {
		s.heads = s.heads[:0]
		for i := range s.toks {
			s.blocks[i/blockSize].set(i, ^trigger(0))
			if s.lineStart(i) {
				s.heads = append(s.heads, i)
			}
		}
	}
	s.find()
	return s.spans
}

// sameEverywhere fails where a trigger is missed.
func sameEverywhere(t interface{ Fatalf(string, ...any) }, text string, lang phi.Language) {
	doc := &pipeline.Document{Text: text, Language: lang}
	got, want := findings(doc, false), findings(doc, true)
	if !slices.Equal(got, want) {
		t.Fatalf("%d findings at the triggers, %d everywhere", len(got), len(want))
	}
}

func TestTriggersMissNothing(t *testing.T) {
	pieces := rapid.SampledFrom(strings.Split(`Herr|Dr.|Müller|Anna|Klein|SCHMIDT|von|der|geb.|*|12.03.1950|1|4|17|77|123|4711|06366|604417|0421|66940|1234567890|
X|p|x|s/n|last|last 4|MRN|Nr.|#|+49|(|)|-|/|.|,|:|;|"|@|_|%|'|www.|http://|klinik|Klinikum|Station|7b|Bad|Berlin|10623|Worcester|MA|
SW1A|1AA|Box|PO|APO|AE|PSC|USS|Postfach|Am|Anger|Straße|Hauptstr|St|M.D.|RN|wi/im|kr|jw|B-MW|HB-ZPQ|NCT|DE89|IBAN|XVII|714/21|WX15|KOD|null|fünf|call|
als|Lehrer|retired|GmbH|Fa|AOK|Studie|LIBERTY-AF|Grüßen|Sincerely|Bayern|Texas|(at)|.de|::1|1.2.3.4|||Name|DOB|gez.|durch|by|mit|`, "|"))
	gaps := rapid.SampledFrom([]string{" ", " ", " ", "", "", "\n", "\n\n", "  ", "\t", "-", ". "})
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(1, 40).Draw(t, "length") {
			text.WriteString(strings.TrimSpace(pieces.Draw(t, "piece")))
			text.WriteString(gaps.Draw(t, "gap"))
		}
		sameEverywhere(t, text.String(), rapid.SampledFrom([]phi.Language{"", phi.German, phi.English}).Draw(t, "language"))
	})
}

func TestTriggersMissNothingInNotes(t *testing.T) {
	for i, r := range pipetest.Records(t, "carriers/en_mtsamples_dev.jsonl.gz") {
		if i%8 == 0 {
			sameEverywhere(t, r.Text, "")
		}
	}
}
