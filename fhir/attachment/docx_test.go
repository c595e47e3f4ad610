package attachment

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// pack makes a package of names and contents.
func pack(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unpack(t testing.TB, data []byte) (names []string, all []byte) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		names = append(names, f.Name)
		rc, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(rc)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, content)
		all = append(all, content...)
		all = append(all, f.Name+f.Comment+string(f.Extra)...)
	}
	return names, append(all, r.Comment...)
}

const wordNS = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`

const wordBody = `<w:p w:rsidR="00Canary1"><w:pPr><w:pStyle w:val="CanaryStil"/><w:rPr><w:lang w:val="de-DE"/></w:rPr></w:pPr>
<w:r><w:t xml:space="preserve">Sehr geehrte Frau </w:t></w:r><w:proofErr w:type="spellStart"/><w:r><w:rPr><w:b/><w:rFonts w:ascii="CanaryFont"/></w:rPr><w:t>Mül</w:t></w:r><w:bookmarkStart w:id="0" w:name="Canary2"/><w:r><w:t>ler</w:t></w:r><w:r><w:t>,</w:t><w:br/><w:t>geb. 3.4.1956</w:t></w:r></w:p>
<w:p><w:ins w:id="1" w:author="Canary3" w:date="2024-01-02T03:04:05Z"><w:r><w:t xml:space="preserve">Herr Mü</w:t></w:r></w:ins><w:del w:id="2" w:author="Canary4"><w:r><w:delText>Canary5</w:delText></w:r></w:del><w:r><w:softHyphen/><w:t>ller</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t xml:space="preserve"> (verborgen: Müller)</w:t></w:r>
<w:hyperlink r:id="rId9" w:tooltip="Canary6"><w:r><w:t xml:space="preserve"> Mail</w:t></w:r></w:hyperlink><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK "mailto:canary7@x.de"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t xml:space="preserve"> hier</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>
<w:fldSimple w:instr="AUTHOR Canary8"><w:r><w:t xml:space="preserve"> Dr. Müller</w:t></w:r></w:fldSimple><w:commentRangeStart w:id="5"/><w:r><w:commentReference w:id="5"/></w:r></w:p>
<w:tbl><w:tblPr><w:tblCaption w:val="Canary9"/><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="100"/></w:tblGrid><w:tr><w:tc><w:p><w:r><w:t>Name</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Müller</w:t></w:r></w:p></w:tc></w:tr>
<w:tr><w:trPr><w:del w:id="8" w:author="Canary"/></w:trPr><w:tc><w:p><w:r><w:t>Canary10</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:sdt><w:sdtPr><w:alias w:val="Canary11"/><w:tag w:val="Canary12"/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Feld: Müller</w:t></w:r><w:r><w:tab/><w:t>Hausarzt Meyer</w:t></w:r><w:r><w:noBreakHyphen/><w:t>Lüd</w:t></w:r></w:p></w:sdtContent></w:sdt>
<w:p><w:r><w:t>Anker</w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><wp:docPr id="1" name="Canary13" descr="Canary14"/><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent><w:p><w:r><w:t>Kasten Müller</w:t></w:r></w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>Canary15</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t xml:space="preserve"> bleibt</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>
<!-- Canary16 --><w:sectPr><w:headerReference w:type="default" r:id="rId7"/><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>`

func letterDOCX(t testing.TB, body string, more ...string) []byte {
	rel := func(id, kind, target string) string {
		return `<Relationship Id="` + id + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + kind + `" Target="` + target + `"/>`
	}
	files := []string{
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"_rels/.rels", `<Relationships/>`,
		"docProps/core.xml", `<x>Canary20</x>`, "docProps/app.xml", `<x>Canary21</x>`, "customXml/item1.xml", `<x>Canary22</x>`,
		"word/settings.xml", `<x>Canary23</x>`, "word/people.xml", "<x>Canary24</x>", "word/media/image1.png", "\x89PNGCanary25",
		"word/_rels/document.xml.rels", `<Relationships>` + rel("rId1", "styles", "styles.xml") + rel("rId7", "header", "header3.xml") + rel("rId8", "comments", "/word/comments.xml") +
			rel("rId3", "footnotes", "footnotes.xml") + rel("rId4", "numbering", "numbering.xml") + rel("rId5", "image", "media/image1.png") +
			`<Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="mailto:Canary26@x.de" TargetMode="External"/></Relationships>`,
		"word/styles.xml", `<w:styles ` + wordNS + `><w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style><w:style w:type="paragraph" w:customStyle="1" w:styleId="CanaryStil"><w:name w:val="Canary Stil"/><w:aliases w:val="Canary27"/><w:basedOn w:val="Standard"/></w:style></w:styles>`,
		"word/header3.xml", `<w:hdr ` + wordNS + `><w:p><w:r><w:t>Klinikum Mün</w:t></w:r><w:r><w:t>chen</w:t></w:r></w:p></w:hdr>`,
		"word/comments.xml", `<w:comments ` + wordNS + `><w:comment w:id="5" w:author="Canary28" w:initials="C29" w:date="2024-01-01T00:00:00Z"><w:p><w:r><w:t>Ist das Müller?</w:t></w:r></w:p></w:comment></w:comments>`,
		"word/footnotes.xml", `<w:footnotes ` + wordNS + `><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>Siehe Müller</w:t></w:r></w:p></w:footnote></w:footnotes>`,
		"word/numbering.xml", `<w:numbering ` + wordNS + `><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="Frage %1 an Müller"/></w:lvl></w:abstractNum></w:numbering>`,
		"word/document.xml", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document ` + wordNS + `><w:body>` + body + `</w:body></w:document>`,
	}
	return pack(t, append(files, more...)...)
}

func TestDOCX(t *testing.T) {
	data := letterDOCX(t, wordBody)
	text, out := roundTrip(t, docxType, data, "Müller", "Schäfer & Söhne", "3.4.1956", "5.6.1957", "München", "Köln", "Meyer-Lüd", "Graf")
	want := "Sehr geehrte Frau Müller,\ngeb. 3.4.1956\nHerr Müller (verborgen: Müller) Mail hier Dr. Müller\nName\tMüller\nFeld: Müller\tHausarzt Meyer-Lüd\n" +
		"Anker bleibt\nKasten Müller\nKlinikum München\nIst das Müller?\nSiehe Müller\nFrage %1 an Müller"
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	names, all := unpack(t, out)
	absent(t, all, "Canary", "canary", "Müller", "Mül", "C29", "2024")
	if want := []string{"[Content_Types].xml", "_rels/.rels", "word/_rels/document.xml.rels", "word/document.xml", "word/styles.xml", "word/header1.xml", "word/comments.xml", "word/footnotes.xml", "word/numbering.xml"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	d := mustDecode(t, docxType, data)
	if d.Language() != "de" || !slices.Equal(d.Warnings(), []string{"changes-accepted", "textbox-flattened"}) {
		t.Error(d.Language(), d.Warnings())
	}
	again, _ := mustEncode(t, d)
	if once, _ := mustEncode(t, mustDecode(t, docxType, data)); !bytes.Equal(once, again) {
		t.Error("two encodings differ")
	}
}

func TestDOCXRefused(t *testing.T) {
	picture := `<w:p><w:r><w:drawing><a:graphic><a:blip r:embed="rId5"/></a:graphic></w:drawing></w:r><w:r><w:t>Text</w:t></w:r></w:p>`
	for _, c := range []struct {
		name string
		data []byte
		l    Limits
		want error
	}{
		{"picture", letterDOCX(t, picture), Limits{}, ErrUnsupported},
		{"object", letterDOCX(t, `<w:p><w:r><w:object/></w:r></w:p>`), Limits{}, ErrUnsupported},
		{"chunk", letterDOCX(t, `<w:altChunk r:id="rId2"/>`), Limits{}, ErrUnsupported},
		{"macros", letterDOCX(t, "", "word/vbaProject.bin", "x"), Limits{}, ErrUnsupported},
		{"bomb", letterDOCX(t, `<w:p><w:r><w:t>`+strings.Repeat("a", 1<<20)+`</w:t></w:r></w:p>`), Limits{Expanded: 1 << 19}, ErrTooLarge},
		{"parts", letterDOCX(t, ""), Limits{Parts: 5}, ErrTooLarge},
		{"deep", letterDOCX(t, strings.Repeat("<w:sdt>", 10000)+strings.Repeat("</w:sdt>", 10000)), Limits{}, ErrTooLarge},
		{"entities", letterDOCX(t, "&lol;"), Limits{}, ErrMalformed},
		{"twice", letterDOCX(t, "", "word/document.xml", "<x/>"), Limits{}, ErrMalformed},
		{"cut", letterDOCX(t, "")[:900], Limits{}, ErrUnsupported},
	} {
		if _, err := Decode(context.Background(), docxType, c.data, c.l); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	d, err := Decode(context.Background(), docxType, letterDOCX(t, picture), Limits{Strip: true})
	if err != nil || !strings.HasPrefix(d.Text(), "Text\n") || !slices.Equal(d.Warnings(), []string{"picture-removed"}) {
		t.Errorf("%v %v", err, d)
	}
}
