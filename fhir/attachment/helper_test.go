package attachment

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
)

func mustDecode(t testing.TB, contentType string, data []byte) *Document {
	t.Helper()
	d, err := Decode(context.Background(), contentType, data, Limits{})
	if err != nil {
		t.Fatalf("decode %s: %v", contentType, err)
	}
	checkMap(t, d)
	return d
}

// checkMap proves that the runs tile the text and that verbatim runs are what they say.
func checkMap(t testing.TB, d *Document) {
	t.Helper()
	at := 0
	for i, r := range d.runs {
		if int(r.text) != at {
			t.Fatalf("run %d begins at %d, want %d", i, r.text, at)
		}
		at = r.end()
		if r.verbatim && d.text[r.text:r.end()] != string(d.parts[r.part][r.src:r.src+r.m]) {
			t.Fatalf("run %d is not verbatim: %q", i, d.text[r.text:r.end()])
		}
	}
	if at != len(d.text) {
		t.Fatalf("runs end at %d, text at %d", at, len(d.text))
	}
	last := 0
	for _, f := range d.fields {
		if f.Start < last || f.End <= f.Start || f.End > len(d.text) {
			t.Fatalf("field %+v out of order", f)
		}
		last = f.End
	}
}

func mustEncode(t testing.TB, d *Document, edits ...phi.Edit) ([]byte, string) {
	t.Helper()
	data, ct, err := d.Encode(edits)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return data, ct
}

// replace makes edits of old/new pairs; each old must occur.
func replace(t testing.TB, text string, pairs ...string) []phi.Edit {
	t.Helper()
	var edits []phi.Edit
	for i := 0; i < len(pairs); i += 2 {
		found := false
		for at := 0; ; {
			k := strings.Index(text[at:], pairs[i])
			if k < 0 {
				break
			}
			found = true
			edits = append(edits, phi.Edit{Start: at + k, End: at + k + len(pairs[i]), New: pairs[i+1]})
			at += k + len(pairs[i])
		}
		if !found {
			t.Fatalf("%q is not in the text:\n%s", pairs[i], text)
		}
	}
	return edits
}

func apply(text string, edits []phi.Edit) string {
	edits, err := (&Document{text: text}).check(edits)
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Start] + e.New)
		at = e.End
	}
	return b.String() + text[at:]
}

// roundTrip edits, encodes and decodes again, and checks that the text is what the edits make of it.
func roundTrip(t testing.TB, contentType string, data []byte, pairs ...string) (text string, out []byte) {
	t.Helper()
	d := mustDecode(t, contentType, data)
	clean, ct := mustEncode(t, d)
	if again := mustDecode(t, ct, clean); again.Text() != d.Text() {
		t.Fatalf("text changed without edits:\n%q\n%q\n%s", d.Text(), again.Text(), clean)
	}
	edits := replace(t, d.Text(), pairs...)
	out, ct = mustEncode(t, d, edits...)
	again := mustDecode(t, ct, out)
	if want := apply(d.Text(), edits); again.Text() != want {
		t.Fatalf("text after edits:\n%q\nwant\n%q\n%s", again.Text(), want, out)
	}
	return d.Text(), out
}

func absent(t testing.TB, out []byte, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		if bytes.Contains(out, []byte(s)) {
			t.Errorf("%q is in the output:\n%s", s, out)
		}
	}
}
