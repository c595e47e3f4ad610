package attachment

import (
	"context"
	"errors"
	"strings"
	"testing"
)

const letterRTF = `{\rtf1\ansi\ansicpg1252\deff0\deflang1031{\fonttbl{\f0\froman\fcharset0 Canary1;}{\f1\fswiss\fcharset238 Canary2 CE;}}
{\colortbl ;\red255\green0\blue0;}{\stylesheet{\s1 Canary3;}}
{\info{\author Canary4}{\title Canary5}{\operator Canary6}{\creatim\yr2024\mo1\dy2}{\company Canary7}}
{\*\generator Canary8;}{\*\userprops{\propname Canary9}}{\header Klinikum M\'fcnchen\par}
\pard\s1\f0\fs24 Sehr geehrte Frau M\'fc{\b ller}, geb. 3.4.1956,\par
wir berichten \'fcber Herrn Mu\u776?ller und {\v M\u252\'fcller} sowie {\uc0\u77 \u252 ller} (Gr\u246o\u223?).\line
Anruf {\field{\*\fldinst HYPERLINK "mailto:canary10@x.de"}{\fldrslt bei Frau M\'fcl\-ler}} am Mon\_tag.{\*\bkmkstart Canary11}{\*\bkmkend Canary11}
{\*\atnid Canary12}{\*\atnauthor Canary13}\chatn{\*\annotation Kommentar: M\'fcller?}\par
\trowd\cellx100\cellx200 Name\cell M\'fcller\cell\row
{\f1 Dvo\'f8\'e1k} \{ok\} \emdash\ldblquote x\rdblquote\~5 {\footnote Siehe M\'fcller.}\u-10179?\u-8704?\par
{\*\unknown Canary14}{\shp{\*\shpinst\shpleft0{\sp{\sn x}{\sv Canary15}}{\shptxt Kasten M\'fcller\par}}}}`

func TestRTF(t *testing.T) {
	text, out := roundTrip(t, "application/rtf", []byte(letterRTF), "Müller", "Schäfer {x}", "3.4.1956", "5.6.1957", "Dvořák", "Novák")
	want := "Sehr geehrte Frau Müller, geb. 3.4.1956,\nKlinikum München\n" +
		"wir berichten über Herrn Mu\u0308ller und Müller sowie Müller (Größ).\nAnruf bei Frau Müller am Mon-tag.\nKommentar: Müller?\n" +
		"Name\tMüller\t\nDvořák {ok} —“x”\u00a05 😀\nSiehe Müller.\nKasten Müller\n"
	if text != want {
		t.Errorf("got\n%q\nwant\n%q", text, want)
	}
	absent(t, out, "Canary", "canary", "yr2024")
	if d := mustDecode(t, "text/rtf", []byte(letterRTF)); d.Language() != "de" {
		t.Error(d.Language())
	}
}

func TestRTFRefused(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       error
	}{
		{"picture", `{\rtf1 a{\pict\pngblip 89504e47}b}`, ErrUnsupported},
		{"picture in shape", `{\rtf1 a{\*\shppict{\pict 00}}b}`, ErrUnsupported},
		{"object", `{\rtf1 a{\object\objemb{\*\objdata 00}}b}`, ErrUnsupported},
		{"Japanese font", `{\rtf1{\fonttbl{\f0\fcharset128 X;}}\f0 \'93\'fa}`, ErrUnsupported},
		{"open group", `{\rtf1 {a}`, ErrMalformed},
		{"lone surrogate", `{\rtf1 \u-10179?a}`, ErrMalformed},
		{"NUL", "{\\rtf1 M\x00ller}", ErrMalformed},
		{"bad hex", `{\rtf1 M\'zzller}`, ErrMalformed},
		{"deep", `{\rtf1 ` + strings.Repeat("{", 100000) + strings.Repeat("}", 100000) + `}`, ErrTooLarge},
		{"deep in a dropped group", `{\rtf1 {\*\x ` + strings.Repeat("{", 100000) + strings.Repeat("}", 100000) + `}}`, ErrTooLarge},
	} {
		if _, err := Decode(context.Background(), "application/rtf", []byte(c.data), Limits{}); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	d, err := Decode(context.Background(), "application/rtf", []byte(`{\rtf1 a{\pict\pngblip\bin4 }}}}}b}`), Limits{Strip: true})
	if err != nil || d.Text() != "ab" || len(d.Warnings()) != 1 {
		t.Fatalf("%v %v", err, d)
	}
}
