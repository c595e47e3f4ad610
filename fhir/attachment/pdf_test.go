package attachment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/signintech/gopdf"
	"golang.org/x/image/font/gofont/goregular"
)

// makePDF sets pages of text.
func makePDF(t testing.TB, option func(*gopdf.GoPdf), pages ...string) []byte {
	t.Helper()
	sized := make([]pdfPage, len(pages))
	for i := range sized {
		sized[i] = pdfPage{width: 595, height: 842}
	}
	var pdf gopdf.GoPdf
	pdf.Start(gopdf.Config{PageSize: *gopdf.PageSizeA4})
	if err := pdf.AddTTFFontData("text", goregular.TTF); err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if err := setPage(&pdf, p, gopdf.Rect{W: 595, H: 842}); err != nil {
			t.Fatal(err)
		}
	}
	if option != nil {
		option(&pdf)
	}
	data, err := pdf.GetBytesPdfReturnErr()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const letterPDF = "Klinikum rechts der Isar\n\nSehr geehrte Frau Kollegin Schröder-Größ,\nwir berichten über Herrn Jürgen Mül-\nler, geb. 3.4.1956 in Köln.\n" +
	"Diagnose: Office-Affekt, Zustand nach OP („Offizier“), 5 €."

func TestPDF(t *testing.T) {
	data := makePDF(t, func(p *gopdf.GoPdf) { p.SetInfo(gopdf.PdfInfo{Title: "Canary1", Author: "Canary2"}) }, letterPDF, "Seite 2: Müller")
	d := mustDecode(t, "application/pdf", data)
	want := strings.Replace(letterPDF, "Mül-\nler", "Müller", 1) + "\fSeite 2: Müller"
	if squeeze(d.Text()) != squeeze(want) {
		t.Fatalf("got\n%q\nwant\n%q", d.Text(), want)
	}
	edits := replace(t, d.Text(), "Müller", "Schäfer", "3.4.1956", "5.6.1957")
	out, ct := mustEncode(t, d, edits...)
	if ct != "application/pdf" {
		t.Fatal(ct)
	}
	again := mustDecode(t, ct, out)
	if squeeze(again.Text()) != squeeze(apply(d.Text(), edits)) {
		t.Fatalf("got\n%q\nwant\n%q", again.Text(), apply(d.Text(), edits))
	}
	absent(t, out, "Canary1", "Canary2", "Author", "CreationDate")
	twice, _ := mustEncode(t, d, edits...)
	if !bytes.Equal(out, twice) {
		t.Error("two encodings differ")
	}
	plain, ct := mustEncode(t, d, replace(t, d.Text(), "Jürgen", "浩")...)
	if ct != "text/plain; charset=utf-8" || !strings.Contains(string(plain), "浩") {
		t.Errorf("%s %s", ct, plain)
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestPDFLongPage(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "Zeile %d mit einem recht langen Satz über die Behandlung von Herrn Müller, der weit über den Rand der Seite hinaus reicht und umbrochen wird.\n", i)
	}
	d := mustDecode(t, "application/pdf", makePDF(t, nil, b.String()))
	if squeeze(d.Text()) != squeeze(b.String()) {
		t.Fatal("text differs")
	}
}

// rawPDF puts objects into a file, with a cross-reference table.
func rawPDF(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, a := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", a)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

func stream(dict, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(content), content)
}

func TestPDFRefused(t *testing.T) {
	const (
		pages = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
		page  = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</I 5 0 R>>>>>>"
		text  = "BT /F 12 Tf 50 700 Td (Herr Mueller) Tj ET"
	)
	image := stream("/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", "\x80")
	catalog := "<</Type/Catalog/Pages 2 0 R%s>>"
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"text", rawPDF(fmt.Sprintf(catalog, ""), pages, page, stream("", text), image), nil},
		{"scan", rawPDF(fmt.Sprintf(catalog, ""), pages, page, stream("", "q 500 0 0 700 0 0 cm /I Do Q"), image), ErrUnsupported},
		{"script", rawPDF(fmt.Sprintf(catalog, "/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(app.alert\\(1\\))>>]>>>>"), pages, page, stream("", text), image), ErrUnsupported},
		{"file", rawPDF(fmt.Sprintf(catalog, "/Names<</EmbeddedFiles<</Names[(a)<</Type/Filespec/F(a.txt)/EF<</F 6 0 R>>>>]>>>>"), pages, page, stream("", text), image, stream("/Type/EmbeddedFile", "Mueller")), ErrUnsupported},
		{"locked", makePDF(t, nil, "Geheim"), ErrEncrypted},
		{"cut", []byte("%PDF-1.7\n1 0 obj\n<<"), ErrMalformed},
		{"no pages", rawPDF("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 0>>"), ErrMalformed},
	} {
		if c.name == "locked" {
			var pdf gopdf.GoPdf
			pdf.Start(gopdf.Config{PageSize: *gopdf.PageSizeA4, Protection: gopdf.PDFProtectionConfig{UseProtection: true, OwnerPass: []byte("o")}})
			pdf.AddPage()
			c.data = pdf.GetBytesPdf()
		}
		d, err := Decode(context.Background(), "application/pdf", c.data, Limits{})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
		if c.name == "text" && (err != nil || d.Text() != "Herr Mueller") {
			t.Errorf("%v %q", err, d.Text())
		}
	}
	if _, err := Decode(context.Background(), "application/pdf", makePDF(t, nil, "a", "b", "c"), Limits{Pages: 2}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("pages: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Decode(ctx, "application/pdf", makePDF(t, nil, "a"), Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkPDFDecode(b *testing.B) {
	pages := make([]string, 10)
	for i := range pages {
		pages[i] = strings.Repeat(letterPDF+"\n\n", 5)
	}
	data := makePDF(b, nil, pages...)
	mustDecode(b, "application/pdf", data)
	b.ReportAllocs()
	for b.Loop() {
		mustDecode(b, "application/pdf", data)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/float64(len(pages)), "ms/page")
}

func BenchmarkPDFEncode(b *testing.B) {
	pages := make([]string, 10)
	for i := range pages {
		pages[i] = strings.Repeat(letterPDF+"\n\n", 5)
	}
	d := mustDecode(b, "application/pdf", makePDF(b, nil, pages...))
	for b.Loop() {
		mustEncode(b, d)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/float64(len(pages)), "ms/page")
}

func TestPDFCancelledAtWork(t *testing.T) {
	pages := make([]string, 300)
	for i := range pages {
		pages[i] = strings.Repeat(letterPDF+"\n", 8)
	}
	data := makePDF(t, nil, pages...)
	mustDecode(t, "application/pdf", makePDF(t, nil, "warm"))
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := Decode(ctx, "application/pdf", data, Limits{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	if d := time.Since(start); d > 3*time.Second {
		t.Errorf("stopped after %v", d)
	}
	if d := mustDecode(t, "application/pdf", makePDF(t, nil, "danach")); d.Text() != "danach" {
		t.Errorf("%q", d.Text())
	}
}
