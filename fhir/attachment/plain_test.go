package attachment

import (
	"context"
	"errors"
	"testing"
)

func TestPlainCharsets(t *testing.T) {
	const want = "Sehr geehrte Frau Müller,\nHerr Größ zahlte 5 €.\n"
	utf16 := func(s string, big bool, bom bool) []byte {
		var out []byte
		put := func(u uint16) {
			if big {
				out = append(out, byte(u>>8), byte(u))
			} else {
				out = append(out, byte(u), byte(u>>8))
			}
		}
		if bom {
			put(0xFEFF)
		}
		for _, r := range s {
			put(uint16(r))
		}
		return out
	}
	for _, c := range []struct{ name, contentType, data string }{
		{"utf-8", "text/plain", want},
		{"utf-8 with mark", "text/plain;charset=UTF-8", "\xEF\xBB\xBF" + want},
		{"declared latin1, is utf-8", "text/plain; charset=ISO-8859-1", want},
		{"windows-1252", "text/plain; charset=windows-1252", "Sehr geehrte Frau M\xFCller,\nHerr Gr\xF6\xDF zahlte 5 \x80.\n"},
		{"windows-1252 undeclared", "text/plain", "Sehr geehrte Frau M\xFCller,\nHerr Gr\xF6\xDF zahlte 5 \x80.\n"},
		{"windows-1252 called utf-8", "text/plain; charset=utf-8", "Sehr geehrte Frau M\xFCller,\nHerr Gr\xF6\xDF zahlte 5 \x80.\n"},
		{"iso-8859-15", "text/plain; charset=ISO-8859-15", "Sehr geehrte Frau M\xFCller,\nHerr Gr\xF6\xDF zahlte 5 \xA4.\n"},
		{"iso-8859-15 undeclared", "text/plain", "Sehr geehrte Frau M\xFCller,\nHerr Gr\xF6\xDF zahlte 5 \xA4.\n"},
		{"utf-16le mark", "text/plain", string(utf16(want, false, true))},
		{"utf-16be mark", "text/plain", string(utf16(want, true, true))},
		{"utf-16le declared", "text/plain; charset=utf-16le", string(utf16(want, false, false))},
		{"utf-16be undeclared", "text/plain", string(utf16(want, true, false))},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := mustDecode(t, c.contentType, []byte(c.data))
			if d.Text() != want {
				t.Fatalf("got %q", d.Text())
			}
			out, ct := mustEncode(t, d, replace(t, d.Text(), "Müller", "Schäfer")...)
			if ct != "text/plain; charset=utf-8" || string(out) != "Sehr geehrte Frau Schäfer,\nHerr Größ zahlte 5 €.\n" {
				t.Fatalf("%s %q", ct, out)
			}
		})
	}
}

func TestPlainRefused(t *testing.T) {
	for _, c := range []struct {
		name, contentType, data string
		want                    error
	}{
		{"replacement character", "text/plain", "Frau M\uFFFDller", ErrMalformed},
		{"NUL", "text/plain", "Frau M\x00ller kam heute zur Kontrolle", ErrMalformed},
		{"undefined byte", "text/plain; charset=windows-1252", "M\xFC \x81", ErrMalformed},
		{"cut UTF-8 after mark", "text/plain", "\xEF\xBB\xBFM\xC3", ErrMalformed},
		{"odd UTF-16", "text/plain", "\xFF\xFEM\x00\xFC", ErrMalformed},
		{"lone surrogate", "text/plain", "\xFF\xFEM\x00\x00\xD8A\x00", ErrMalformed},
		{"UTF-32", "text/plain", "\xFF\xFE\x00\x00M\x00\x00\x00", ErrMalformed},
		{"unknown charset", "text/plain; charset=iso-2022-jp", "Hans", ErrUnsupported},
		{"PNG as text", "text/plain", "\x89PNG\r\n\x1a\n....", ErrUnsupported},
		{"RTF as text", "text/plain", `{\rtf1 M\'fcller}`, ErrUnsupported},
		{"HTML as text", "text/plain", "<html><body>M&uuml;ller", ErrUnsupported},
		{"PDF as text", "text/plain", "%PDF-1.4\n", ErrUnsupported},
		{"zip", "application/zip", "PK\x03\x04....", ErrUnsupported},
		{"jpeg", "image/jpeg", "\xFF\xD8\xFF\xE0", ErrUnsupported},
		{"dicom", "application/dicom", "", ErrUnsupported},
		{"unknown", "application/x-foo", "Hans", ErrUnsupported},
		{"any bytes", "application/octet-stream", "Hans Müller", ErrUnsupported},
		{"no type", "", "Hans Müller", ErrUnsupported},
		{"svg", "image/svg+xml", "<svg/>", ErrUnsupported},
		{"text as PDF", "application/pdf", "Hans Müller", ErrUnsupported},
		{"text as RTF", "application/rtf", "Hans Müller", ErrUnsupported},
		{"zip as DOCX", docxType, "PK\x03\x04....", ErrUnsupported},
		{"locked DOCX", docxType, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1....", ErrEncrypted},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Decode(context.Background(), c.contentType, []byte(c.data), Limits{}); !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
		})
	}
	if _, err := Decode(context.Background(), "text/plain", make([]byte, 11), Limits{Bytes: 10}); !errors.Is(err, ErrTooLarge) {
		t.Fatalf("got %v", err)
	}
}

func TestDividedWords(t *testing.T) {
	for _, c := range []struct{ source, text string }{
		{"Herr Mül-\nler kam.", "Herr Müller kam."},
		{"Herr Mül-\r\n   ler kam.", "Herr Müller kam."},
		{"Frau Meyer-\nLüdenscheid kam.", "Frau Meyer-Lüdenscheid kam."},
		{"Herr Mül\u00adler und M\u200büller", "Herr Müller und Müller"},
		{"Haus-\nund Hofarzt", "Haus-\nund Hofarzt"},
		{"- Aspirin\n- Ramipril", "- Aspirin\n- Ramipril"},
		{"0171-\n2345678", "0171-\n2345678"},
		{"Therapie -\nweiter", "Therapie -\nweiter"},
		{"Ende-\n\nneuer Absatz", "Ende-\n\nneuer Absatz"},
		{"Dr.\x08Müller", "Dr.Müller"},
		{"a-\nb-\nc", "abc"},
		{"a\rb\r\nc\nd", "a\nb\nc\nd"},
	} {
		d := mustDecode(t, "text/plain", []byte(c.source))
		if d.Text() != c.text {
			t.Errorf("%q gives %q, want %q", c.source, d.Text(), c.text)
		}
		out, _ := mustEncode(t, d)
		if string(out) != c.source {
			t.Errorf("%q became %q without edits", c.source, out)
		}
	}
	_, out := roundTrip(t, "text/plain", []byte("Herr Mül-\r\nler, geb. am 3.4.1956,\r\nkam mit Frau Mül\u00adler."), "Müller", "Weiß")
	if string(out) != "Herr Weiß, geb. am 3.4.1956,\r\nkam mit Frau Weiß." {
		t.Errorf("%q", out)
	}
}
