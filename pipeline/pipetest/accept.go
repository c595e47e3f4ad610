package pipetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
)

// Accept runs a detector over marked sentences. Each one must give exactly the marked spans (place and type), the
// same ones with Windows line ends; and the contract of Detector must hold for it and for damaged forms of it:
// broken UTF-8, decomposed accents, soft hyphens, characters outside the BMP and right-to-left text around it, and
// from several goroutines at once. Spans of type phi.Protected are no PHI and are checked for the contract only.
func Accept(t testing.TB, d pipeline.Detector, lang phi.Language, marked ...string) {
	t.Helper()
	if d.Name() == "" {
		t.Error("detector without a name")
	}
	for _, m := range marked {
		text, want := Parse(t, m)
		got := detect(t, d, text, lang)
		if !slices.EqualFunc(places(got), places(want), samePlace) {
			t.Errorf("%s\n got: %s\nwant: %s", d.Name(), Mark(text, phiOnly(got)), m)
			continue
		}
		windows := strings.ReplaceAll(text, "\n", "\r\n")
		if g := surfaces(windows, detect(t, d, windows, lang)); !slices.Equal(g, surfaces(text, want)) {
			t.Errorf("%s with Windows line ends\n got: %q\nwant: %s", d.Name(), g, m)
		}
		for _, v := range Damage(text) {
			detect(t, d, v, lang)
		}
		for _, other := range []phi.Language{"", phi.German, phi.English} {
			detect(t, d, text, other)
		}
	}
	concurrent(t, d, lang, marked)
}

// Damage gives forms of a text that a detector must survive with its contract kept.
func Damage(text string) []string {
	forms := []string{
		norm.NFD.String(text),
		"😀👩🏽‍⚕️ " + text + " 😀",
		"\u202bשלום עולם\u202c " + text + " مرحبا",
		strings.ReplaceAll(text, "e", "e\u00ad"),
		strings.ReplaceAll(text, " ", "\u00a0"),
		strings.ToUpper(text),
		strings.ToLower(text),
		text + text,
	}
	for _, at := range []int{len(text) / 4, len(text) / 2, len(text) - len(text)/4} {
		forms = append(forms, text[:at]+"\xff\xc3"+text[at:], text[:at], text[at:])
	}
	for i := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); size > 1 {
			forms = append(forms, text[:i+1], text[i+1:])
		}
	}
	return forms
}

// detect runs the detector twice, checks what Detector promises, and gives the spans in order.
func detect(t testing.TB, d pipeline.Detector, text string, lang phi.Language) []phi.Span {
	t.Helper()
	first, err := Check(d, text, lang)
	if err != nil {
		t.Errorf("%s on %q: %v", d.Name(), text, err)
		return nil
	}
	return first
}

// Check runs the detector twice over a text and says which part of the Detector contract is broken, if any.
func Check(d pipeline.Detector, text string, lang phi.Language) ([]phi.Span, error) {
	doc := &pipeline.Document{Text: text, Language: lang}
	first, err := d.Detect(context.Background(), doc)
	if err != nil {
		return nil, err
	}
	if doc.Text != text || doc.Language != lang {
		return nil, fmt.Errorf("the document was changed")
	}
	for _, s := range first {
		if err := checkSpan(text, s); err != nil {
			return nil, err
		}
	}
	second, err := d.Detect(context.Background(), &pipeline.Document{Text: text, Language: lang})
	if err != nil {
		return nil, err
	}
	a, b := sorted(first), sorted(second)
	if !slices.EqualFunc(a, b, func(x, y phi.Span) bool { return phi.Compare(x, y) == 0 }) {
		return nil, fmt.Errorf("two runs differ")
	}
	return a, nil
}

func checkSpan(text string, s phi.Span) error {
	switch {
	case s.Start < 0 || s.End > len(text) || s.Start >= s.End:
		return fmt.Errorf("span %d-%d of %d bytes", s.Start, s.End, len(text))
	case !border(text, s.Start) || !border(text, s.End):
		return fmt.Errorf("span %d-%d cuts a rune", s.Start, s.End)
	case s.Type == phi.NoType || s.Type > phi.Protected:
		return fmt.Errorf("span %d-%d has no type", s.Start, s.End)
	case !(s.Score > 0 && s.Score <= 1):
		return fmt.Errorf("span %d-%d has score %v", s.Start, s.End, s.Score)
	case s.Source == "":
		return fmt.Errorf("span %d-%d has no source", s.Start, s.End)
	}
	return nil
}

// border says whether i lies between two runes; every invalid byte is a rune of its own.
func border(text string, i int) bool {
	if i == 0 || i == len(text) {
		return true
	}
	for back := 1; back < utf8.UTFMax && back <= i; back++ {
		if r, size := utf8.DecodeRuneInString(text[i-back:]); size > back && r != utf8.RuneError {
			return false
		}
	}
	return true
}

func concurrent(t testing.TB, d pipeline.Detector, lang phi.Language, marked []string) {
	t.Helper()
	want := make([][]phi.Span, len(marked))
	texts := make([]string, len(marked))
	for i, m := range marked {
		texts[i], _ = Parse(t, m)
		want[i] = detect(t, d, texts[i], lang)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, text := range texts {
				got, err := d.Detect(context.Background(), &pipeline.Document{Text: text, Language: lang})
				if err != nil || !slices.EqualFunc(places(got), places(want[i]), samePlace) {
					t.Errorf("%s: another answer from another goroutine for %q", d.Name(), text)
				}
			}
		})
	}
	wg.Wait()
}

func phiOnly(spans []phi.Span) []phi.Span {
	return slices.DeleteFunc(slices.Clone(spans), func(s phi.Span) bool { return s.Type == phi.Protected })
}

// places gives the PHI spans in order, each place and type once.
func places(spans []phi.Span) []phi.Span {
	return slices.CompactFunc(sorted(phiOnly(spans)), samePlace)
}

func samePlace(a, b phi.Span) bool {
	return a.Start == b.Start && a.End == b.End && a.Type == b.Type
}

func surfaces(text string, spans []phi.Span) []string {
	var out []string
	for _, s := range places(spans) {
		out = append(out, s.Type.String()+":"+strings.ReplaceAll(text[s.Start:s.End], "\r\n", "\n"))
	}
	return out
}

func sorted(spans []phi.Span) []phi.Span {
	list := slices.Clone(spans)
	slices.SortFunc(list, phi.Compare)
	return list
}
