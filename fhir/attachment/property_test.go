package attachment

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"fhirdeid/pipeline/phi"
	"fhirdeid/testdata/bad"
)

const letterText = "Sehr geehrter Herr Kollege,\r\nwir berichten über Frau Mül-\r\nler-Lüdenscheid (geb. 3.4.1956), wohnhaft Kaiserstraße 5.\r\n\r\n" +
	"Ms. O\u2019Neill was seen by Dr. Smith\u00adson on 12 March 2021; phone (555) 010-2345.\n"

// corpus is one document of each kind.
func corpus(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"text/plain":            []byte(letterText),
		"text/html":             []byte(page),
		"application/xhtml+xml": []byte(`<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>Letter for Ms. O&apos;Neill</title></head><body><p title="Dr. Smith">Ms. <b>O&#8217;N</b>eill</p><table><tr><td>a</td><td>b &lt; c</td></tr></table><pre> x  y</pre></body></html>`),
		"application/rtf":       []byte(letterRTF),
		docxType:                letterDOCX(t, wordBody),
		"application/xml":       []byte(`<fall nr="12"><name>M&#252;l<b art="x">ler</b></name><ort plz="80331">Straße 5</ort></fall>`),
		"text/xml":              sample(t, "entlassbrief.cda.xml"),
		"application/json":      []byte(`{"name":"M\u00fcller \"Hans\"","list":["a\tb","Kaiserstra\u00dfe 5"]}`),
	}
}

// editable says whether an edit of exactly these bytes must come back as it is: no structure in it, no leaf of a
// fixed form, no white space at its ends, nothing that the text leaves out beside it.
func editable(d *Document, start, end int) bool {
	if start >= end {
		return false
	}
	first, _ := utf8.DecodeRuneInString(d.text[start:])
	last, _ := utf8.DecodeLastRuneInString(d.text[:end])
	if unicode.IsSpace(first) || unicode.IsSpace(last) {
		return false
	}
	for _, r := range d.runs {
		if r.end() > start && int(r.text) < end {
			switch r.mode {
			case modeSep, modeTS, modeRoot, modeNumber:
				return false
			}
		}
	}
	return true
}

func borders(text string) []int {
	var at []int
	for i := range text {
		at = append(at, i)
	}
	return append(at, len(text))
}

func TestEditsComeBack(t *testing.T) {
	for media, data := range corpus(t) {
		d := mustDecode(t, media, data)
		at := borders(d.Text())
		t.Run(media, rapid.MakeCheck(func(t *rapid.T) {
			var edits []phi.Edit
			last := 0
			for range rapid.IntRange(1, 6).Draw(t, "edits") {
				i := rapid.IntRange(0, len(at)-2).Draw(t, "start")
				k := min(len(at)-1, i+rapid.IntRange(1, 25).Draw(t, "length"))
				e := phi.Edit{Start: at[i], End: at[k], New: rapid.StringMatching(`[A-ZÄÖa-zß][\w&<>"'\\{}äöü浩😀 ]{0,12}[a-zé>&}]`).Draw(t, "new")}
				if e.Start < last || !editable(d, e.Start, e.End) || strings.Contains(e.New, "  ") {
					continue
				}
				edits, last = append(edits, e), e.End
			}
			out, ct, err := d.Encode(edits)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Decode(context.Background(), ct, out, Limits{})
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if want := apply(d.Text(), edits); again.Text() != want {
				t.Fatalf("edits %v\ngot\n%q\nwant\n%q", edits, again.Text(), want)
			}
		}))
	}
}

// Edits over structure keep it, and lose nothing else.
func TestEditsOverStructure(t *testing.T) {
	lean := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, s)
	}
	all := corpus(t)
	for _, media := range []string{"text/plain", "text/html", "application/xhtml+xml", "application/rtf", docxType} {
		d := mustDecode(t, media, all[media])
		at := borders(d.Text())
		t.Run(media, rapid.MakeCheck(func(t *rapid.T) {
			i := rapid.IntRange(0, len(at)-2).Draw(t, "start")
			k := min(len(at)-1, i+rapid.IntRange(1, 80).Draw(t, "length"))
			e := phi.Edit{Start: at[i], End: at[k], New: rapid.SampledFrom([]string{"", "Neu", "Neu Wort", "a\nb", "a\tb"}).Draw(t, "new")}
			out, ct, err := d.Encode([]phi.Edit{e})
			if err != nil {
				t.Fatal(err)
			}
			again, err := Decode(context.Background(), ct, out, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			want := lean(apply(d.Text(), []phi.Edit{e}))
			if got := lean(again.Text()); strings.ReplaceAll(got, "-", "") != strings.ReplaceAll(want, "-", "") {
				t.Fatalf("edit %v\ngot\n%s\nwant\n%s", e, got, want)
			}
		}))
	}
}

func TestEditsRefused(t *testing.T) {
	d := mustDecode(t, "text/plain", []byte("Frau Müller kam"))
	for _, edits := range [][]phi.Edit{
		{{Start: -1, End: 2}},
		{{Start: 3, End: 2}},
		{{Start: 0, End: 99}},
		{{Start: 0, End: 5}, {Start: 4, End: 6}},
		{{Start: 7, End: 8}},
		{{Start: 0, End: 1, New: "\xff"}},
	} {
		if _, _, err := d.Encode(edits); !errors.Is(err, ErrEdit) {
			t.Errorf("%v: %v", edits, err)
		}
	}
	if out, _ := mustEncode(t, d, phi.Edit{Start: 13, End: 16, New: "ging"}, phi.Edit{Start: 0, End: 0, New: "Liebe "}, phi.Edit{Start: 16, End: 16, New: "!"}); string(out) != "Liebe Frau Müller ging!" {
		t.Errorf("%q", out)
	}
}

// fuzz decodes, and proves of what decodes: the map holds, encoding changes nothing, edits are taken, and no byte of
// what an edit covers is left.
func fuzz(f *testing.F, media string, seeds ...[]byte) {
	f.Helper()
	for _, s := range append(seeds, badSeeds(media)...) {
		f.Add(s, uint16(3), uint16(9))
	}
	limits := Limits{Bytes: 1 << 20, Expanded: 4 << 20, Depth: 100, Strip: true}
	f.Fuzz(func(t *testing.T, data []byte, from, length uint16) {
		d, err := Decode(context.Background(), media, data, limits)
		if err != nil {
			return
		}
		checkMap(t, d)
		out, ct, err := d.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(context.Background(), ct, out, limits)
		if err != nil {
			if errors.Is(err, ErrTooLarge) {
				return
			}
			t.Fatalf("cannot read what was written: %v\n%q", err, out)
		}
		if again.Text() != d.Text() && (d.Text() != "" || again.Text() != "-") {
			t.Fatalf("text changed\n%q\n%q\n%q", d.Text(), again.Text(), out)
		}
		at := borders(d.Text())
		i := min(int(from), len(at)-1)
		k := min(i+int(length), len(at)-1)
		if i == k {
			return
		}
		out, ct, err = d.Encode([]phi.Edit{{Start: at[i], End: at[k], New: "Neu"}})
		if errors.Is(err, ErrEdit) {
			return // nothing but structure
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Decode(context.Background(), ct, out, limits); err != nil && !errors.Is(err, ErrTooLarge) {
			t.Fatalf("cannot read what was edited: %v\n%q", err, out)
		}
	})
}

// badSeeds gives the contents of that kind that must be refused, but for those that only pass limits.
func badSeeds(media string) (seeds [][]byte) {
	for _, a := range bad.Attachments() {
		if kind, _, _ := strings.Cut(a.ContentType, ";"); kind == media && len(a.Data) < 16<<10 {
			seeds = append(seeds, a.Data)
		}
	}
	return seeds
}

func FuzzPlain(f *testing.F) {
	fuzz(f, "text/plain", []byte(letterText), []byte("\xFF\xFEM\x00\xFC\x00"), []byte("a-\nb\x00"), []byte("M\xFCller \x80"))
}

func FuzzHTML(f *testing.F) {
	fuzz(f, "text/html", []byte(page), []byte("<table><b>x<td>y</table>"), []byte("<pre>\n\nx"), []byte("<title>&lt;b</title><textarea><p>"), []byte("<plaintext>a"))
}

func FuzzXHTML(f *testing.F) {
	fuzz(f, "application/xhtml+xml", corpus(f)["application/xhtml+xml"], []byte(`<div xmlns="http://www.w3.org/1999/xhtml"><p>a<br/>b</p></div>`))
}

func FuzzXML(f *testing.F) {
	fuzz(f, "application/xml", corpus(f)["application/xml"], sample(f, "entlassbrief.cda.xml"), nonXML("text/plain", []byte("Herr Müller")), nonXML("application/rtf", []byte(letterRTF)))
}

func FuzzJSON(f *testing.F) {
	fuzz(f, "application/json", corpus(f)["application/json"], []byte(`[1,-2.5e3,"\ud83d\ude00",null,true,{"a":{}}]`))
}

func FuzzRTF(f *testing.F) {
	fuzz(f, "application/rtf", []byte(letterRTF), []byte(`{\rtf1 a{\pict\bin3 }}}}b\'e4\u228?}`), []byte(`{\rtf1{\footnote{\header x}\par}y}`))
}

func FuzzDOCX(f *testing.F) {
	fuzz(f, docxType, letterDOCX(f, wordBody), letterDOCX(f, "<w:p/>"))
}

// FuzzDOCXBody fuzzes the XML within a sound package.
func FuzzDOCXBody(f *testing.F) {
	f.Add(wordBody, uint16(3), uint16(9))
	f.Fuzz(func(t *testing.T, body string, from, length uint16) {
		d, err := Decode(context.Background(), docxType, letterDOCX(t, body), Limits{Strip: true})
		if err != nil {
			return
		}
		checkMap(t, d)
		out, ct, err := d.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(context.Background(), ct, out, Limits{})
		if err != nil || again.Text() != d.Text() {
			t.Fatalf("%v\n%q", err, d.Text())
		}
	})
}

func FuzzNarrative(f *testing.F) {
	f.Add(`<div xmlns="http://www.w3.org/1999/xhtml"><p>M&uuml;l<b>ler</b><br/>x</p><table><tr><td>a</td><td>b</td></tr></table></div>`)
	f.Fuzz(func(t *testing.T, div string) {
		d, err := Narrative(context.Background(), div, Limits{})
		if err != nil {
			return
		}
		checkMap(t, d)
		out, _, err := d.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, out)
	})
}

func FuzzPDF(f *testing.F) {
	f.Add(makePDF(f, nil, letterPDF))
	f.Add(rawPDF("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 0>>"))
	for _, data := range badSeeds("application/pdf") {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Decode(context.Background(), "application/pdf", data, Limits{Bytes: 1 << 20, Expanded: 1 << 20, Pages: 20})
		if err != nil {
			return
		}
		checkMap(t, d)
		if _, _, err := d.Encode(nil); err != nil {
			t.Fatal(err)
		}
	})
}
