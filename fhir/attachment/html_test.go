package attachment

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

const page = `<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
<!-- Canary1 von Dr. Geheim --><html lang="de-DE"><head><meta name="author" content="Canary2"><meta charset="utf-8">
<title>Arztbrief M&uuml;ller</title><style>.x{background:url(Canary3)}</style><script>var p="Canary4";</script></head>
<body data-user="Canary5" onload="alert('Canary6')"><p>Sehr geehrte Frau <b>M&uuml;l</b>ler,<br>wir
   berichten &uuml;ber <span style="display:none;color:red" title="Kaiserstra&szlig;e 5">Mül&shy;ler</span> &amp; Söhne.</p>
<table summary="Labor Canary7x"><tr><td>Name</td><td>M<i>&#252;</i>ller</td></tr><tr><td><p>Geb.</p></td><td>03.04.1956</td></tr></table>
<img src="data:image/png;base64,AAAACanary8" alt="Foto M&uuml;ller"><a href="mailto:canary9@klinik.example">Mail</a>
<a href="#mueller">oben</a><h2 id="mueller">Befund</h2><pre>a  b
c</pre><svg><text>Canary10x</text></svg><iframe src="http://canary11"></iframe>`

func TestHTML(t *testing.T) {
	text, out := roundTrip(t, "text/html; charset=utf-8", []byte(page), "Müller", "Schäfer & Co <x>", "Kaiserstraße 5", `Weg "1"`, "03.04.1956", "05.06.1957")
	want := "Arztbrief Müller\nSehr geehrte Frau Müller,\nwir berichten über Müller & Söhne.\nName\tMüller\nGeb.\t03.04.1956\nFoto Müller Mail oben\nBefund\na  b\nc\nCanary10x\nKaiserstraße 5\nLabor Canary7x"
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	absent(t, out, "Müller", "uuml", "Canary1 ", "Canary2", "Canary3", "Canary4", "Canary5", "Canary6", "Canary8", "canary9", "canary11", "mueller", "<!--")
	d := mustDecode(t, "text/html", []byte(page))
	if d.Language() != "de" || len(d.Warnings()) != 1 || d.Warnings()[0] != "picture-removed" {
		t.Error(d.Language(), d.Warnings())
	}
}

func TestHTMLLatin1(t *testing.T) {
	d := mustDecode(t, "text/html", []byte("<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-15\"></head><body>Gr\xF6\xDFe 5 \xA4"))
	if d.Text() != "Größe 5 €" {
		t.Fatalf("%q", d.Text())
	}
	out, ct := mustEncode(t, d)
	if ct != "text/html; charset=utf-8" || strings.Count(string(out), "charset") != 1 {
		t.Fatalf("%s %s", ct, out)
	}
}

func TestNarrative(t *testing.T) {
	const div = `<div xmlns="http://www.w3.org/1999/xhtml" lang="de" xml:lang="de"><!-- Canary1 --><p class="Canary2" id="Canary3">Hans <b>Mül</b>ler,
  geb.&#160;<i title="Canary4x">3.4.1956</i></p><table><tbody><tr><td style="text-align: right; font-family: Canary5">A</td><td>B &lt; C</td></tr></tbody></table>
  <script>Canary6</script><a href="Patient/Canary7">mehr</a><img src="#x" alt="Bild von Hans"/><ul><li/></ul><ol start="3" type="a"><li value="3"/></ol><form><input value="Feld"/></form></div>`
	d, err := Narrative(context.Background(), div, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	checkMap(t, d)
	if want := "Hans Müller, geb.\u00a03.4.1956\nA\tB < C\nmehr Bild von Hans\nFeld\nCanary4x"; d.Text() != want {
		t.Errorf("got\n%q\nwant\n%q", d.Text(), want)
	}
	out, _ := mustEncode(t, d, replace(t, d.Text(), "Hans", "Karl", "Müller", "Weiß & Söhne", "3.4.1956", "1.1.1950")...)
	absent(t, out, "Canary1", "Canary2", "Canary3", "Canary5", "Canary6", "Canary7", "Hans", "Mül", "ler,", "script", "start=", "type=", "value=")
	wellFormed(t, out)
	if !strings.HasPrefix(string(out), `<div xmlns="http://www.w3.org/1999/xhtml" lang="de" xml:lang="de">`) {
		t.Errorf("%s", out)
	}
	again, err := Narrative(context.Background(), string(out), Limits{})
	if err != nil || !strings.HasPrefix(again.Text(), "Karl Weiß & Söhne, geb.\u00a01.1.1950\n") {
		t.Errorf("%v %q", err, again.Text())
	}
	empty, err := Narrative(context.Background(), `<div xmlns="http://www.w3.org/1999/xhtml"> Hans </div>`, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	out, _ = mustEncode(t, empty, replace(t, empty.Text(), "Hans", "")...)
	if string(out) != `<div xmlns="http://www.w3.org/1999/xhtml"> -</div>` && string(out) != `<div xmlns="http://www.w3.org/1999/xhtml">-</div>` {
		t.Errorf("%q", out)
	}
	for _, bad := range []string{"", "text", "<p>a</p>", "<div><p></div>", "<div>&foo;</div>", `<!DOCTYPE d [<!ENTITY a "b">]><div>&a;</div>`, "<div>", "<div>\x00</div>"} {
		if _, err := Narrative(context.Background(), bad, Limits{}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func wellFormed(t testing.TB, data []byte) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(data)))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, data)
		}
	}
}
