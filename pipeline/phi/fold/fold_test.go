package fold

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestKeyMakesSpellingsEqual(t *testing.T) {
	for name, spellings := range map[string][]string{
		"mueller":         {"Müller", "MÜLLER", "Mueller", "Mu\u0308ller", "Mül\u00ADler", "Mü\u200Bller", "Мüller", "Ｍüller", "Mu\u0364ller"},
		"gross":           {"Groß", "GROSS", "GROẞ", "groß"},
		"o'hara":          {"O’Hara", "O'Hara", "O´Hara", "O`Hara", "OʼHara"},
		"mueller-weiss":   {"Müller‐Weiß", "Müller–Weiß", "Müller\u2011Weiß", "Mueller-Weiss"},
		"jose nunez":      {"José Núñez", "Jose\u0301 Nu\u0301n\u0303ez", "JOSE\u00A0NUNEZ"},
		"soerensen":       {"Sørensen", "Sörensen", "SÖRENSEN"},
		"lukasz":          {"Łukasz", "ŁUKASZ"},
		"isik":            {"Işık", "IŞIK"},
		"istanbul":        {"İstanbul", "Istanbul"},
		"offiziell":       {"oﬃziell"},
		"aebc":            {"äbc", "a\u0323\u0308bc"},
		"1/2 h":           {"½ h"},
		"paris":           {"Рaris", "\u202Eparis\u202C", "PAR\u200DIS"},
		"a\nb":            {"a\nb", "a\u2028b"},
		"μg":              {"µg", "μg"},
		"\uFFFD\uFFFDabc": {"\xff\xfeabc"},
		"":                {"", "\u00AD", "\u0308"},
	} {
		for _, s := range spellings {
			if got := Key(s); got != name {
				t.Errorf("Key(%+q) = %+q, want %+q", s, got, name)
			}
		}
	}
}

func TestSourceGivesWholeRunes(t *testing.T) {
	tests := []struct{ text, find, want string }{
		{"Herr Müller kommt", "mueller", "Müller"},
		{"Herr Mu\u0308ller kommt", "mueller", "Mu\u0308ller"},
		{"Herr Mül\u00ADler\u00AD kommt", "mueller", "Mül\u00ADler"},
		{"Fr. Weiß, Groß", "gross", "Groß"},
		{"Rene\u0301 geht", "rene", "Rene\u0301"},
		{"😀 Ana Li 👩🏽", "ana li", "Ana Li"},
		{"\xffAna\xff", "ana", "Ana"},
		{"oﬃce", "ff", "ﬃ"},
		{"Bäcker", "ba", "Bä"},
		{"Bäcker", "eck", "äck"},
		{"\u200BAna", "ana", "Ana"},
		{"١٢ Ana", "ana", "Ana"},
		{"한국 Ana", "ana", "Ana"},
	}
	for _, tt := range tests {
		f := Fold(tt.text)
		at := strings.Index(f.Text, tt.find)
		if at < 0 {
			t.Errorf("Fold(%+q) = %+q lacks %q", tt.text, f.Text, tt.find)
			continue
		}
		start, end := f.Source(at, at+len(tt.find))
		if got := tt.text[start:end]; got != tt.want {
			t.Errorf("Source in %+q of %q = %+q, want %+q", tt.text, tt.find, got, tt.want)
		}
	}
}

func TestSourceOutsideTheText(t *testing.T) {
	f := Fold("Zoë")
	for _, r := range [][2]int{{-1, 99}, {99, -1}, {3, 2}, {0, 0}, {4, 4}} {
		start, end := f.Source(r[0], r[1])
		if start < 0 || end < start || end > len("Zoë") {
			t.Errorf("Source(%d, %d) = %d, %d", r[0], r[1], start, end)
		}
	}
}

// check holds a folded view to its contract.
func check(t interface{ Fatalf(string, ...any) }, text string) {
	f := Fold(text)
	if !utf8.ValidString(f.Text) {
		t.Fatalf("Fold(%+q) is not UTF-8", text)
	}
	if f.Text != Key(text) {
		t.Fatalf("Fold and Key differ for %+q", text)
	}
	border := make([]bool, len(text)+1)
	for i := 0; i < len(text); {
		border[i] = true
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	border[len(text)] = true
	last, lastEnd := 0, 0
	cursor := f.Cursor()
	for i := range f.Text {
		_, size := utf8.DecodeRuneInString(f.Text[i:])
		start, end := f.Source(i, i+size)
		if start < last || end < lastEnd || start >= end || !border[start] || !border[end] {
			t.Fatalf("Fold(%+q).Source(%d, %d) = %d, %d after %d, %d", text, i, i+size, start, end, last, lastEnd)
		}
		if s, e := cursor.Source(i, i+size); s != start || e != end {
			t.Fatalf("the cursor over %+q gives %d, %d for %d, not %d, %d", text, s, e, i, start, end)
		}
		last, lastEnd = start, end
	}
	if start, end := f.Source(0, len(f.Text)); f.Text != "" && Key(text[start:end]) != f.Text {
		t.Fatalf("the source of all of %+q folds to another text", text)
	}
	if utf8.ValidString(text) && Key(f.Text) != f.Text {
		t.Fatalf("Key(%+q) = %+q folds on to %+q", text, f.Text, Key(f.Text))
	}
}

func TestFoldProperties(t *testing.T) {
	parts := rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"ä", "a\u0308", "ß", "\u00AD", "\u200D", "ﬁ", "İ", "o", "u", "\u0308", "\xff", "😀", "한", "½", "Ω", "Н", "`", "\u0344"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(parts).Draw(t, "parts"), "")
		check(t, text)
		// Spacing marks of other scripts that change places with a diaeresis are letters to the folding.
		if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Mc, r) }) {
			return
		}
		if utf8.ValidString(text) && Key(norm.NFC.String(text)) != Key(norm.NFD.String(text)) {
			t.Fatalf("NFC and NFD of %+q fold differently: %+q, %+q", text, Key(norm.NFC.String(text)), Key(norm.NFD.String(text)))
		}
	})
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"Müller", "Mu\u0308ller", "Groß\u00AD", "\xff\xfe", "ﬃ½", "😀👩🏽‍⚕️", "ǖ\u0344"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, text) })
}

func TestFoldIsLinear(t *testing.T) {
	for _, s := range []string{"\u0308", "a\u0308", "\u00AD", "а", "\xff", "ﷺ"} {
		text := strings.Repeat(s, 1<<20/len(s))
		f := Fold(text)
		if len(f.Text) > 0 {
			f.Source(0, len(f.Text))
		}
	}
}

func BenchmarkFold(b *testing.B) {
	for name, text := range map[string]string{
		"ascii":  strings.Repeat("The patient Mr. Smith was seen today. ", 2000),
		"german": strings.Repeat("Frau Müller-Lüdenscheidt wünscht größere Übungen – täglich. ", 2000),
		"nfd":    norm.NFD.String(strings.Repeat("Frau Müller-Lüdenscheidt wünscht größere Übungen. ", 2000)),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Fold(text)
			}
		})
	}
}
