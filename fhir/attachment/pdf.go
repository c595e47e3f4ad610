package attachment

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"golang.org/x/text/unicode/norm"
)

// decodePDF reads the text layer. Encode sets the text anew, page by page, in a PDF that holds nothing else.
func decodePDF(ctx context.Context, s source) (*Document, error) {
	pages, warnings, err := readPDF(ctx, s.data, s.limits)
	if err != nil {
		return nil, err
	}
	b := newBuilder(s.limits)
	for _, w := range warnings {
		b.warn(w)
	}
	for i, p := range pages {
		if i > 0 {
			b.verbatim("\f", modePlain)
		}
		b.verbatim(p.text, modePlain)
	}
	return b.document(func(parts [][]byte) ([]byte, string, error) { return typeset(string(parts[0]), pages) })
}

// pdfPage is the text of a page and its size in points.
type pdfPage struct {
	text          string
	width, height float64
}

// pdfReader is the one engine of the process: it takes seconds to compile and much memory, and works on one document
// at a time. It sees no files, and every document gets a fresh memory.
var pdfReader engine

type engine struct {
	lock chan struct{}
	once sync.Once
	pool pdfium.Pool
}

func (e *engine) acquire(ctx context.Context) error {
	e.once.Do(func() { e.lock = make(chan struct{}, 1) })
	select {
	case e.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if e.pool != nil {
		return nil
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: 1,
		FSConfig:      wazero.NewFSConfig(),
		RuntimeConfig: wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(16384),
		Stdout:        io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		<-e.lock
		return errors.New("attachment: PDF engine does not start")
	}
	e.pool = pool
	return nil
}

func (e *engine) release() { <-e.lock }

// readPDF gives the pages' text. A document that is locked, holds files or programs, or has a page of pictures without
// text is refused.
func readPDF(ctx context.Context, data []byte, l Limits) (pages []pdfPage, warnings []string, err error) {
	if err := pdfReader.acquire(ctx); err != nil {
		return nil, nil, err
	}
	defer pdfReader.release()
	instance, err := pdfReader.pool.GetInstance(30 * time.Second)
	if err != nil {
		return nil, nil, errors.New("attachment: PDF engine does not start")
	}
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		_ = instance.Kill()
	})
	defer func() {
		if !stop() {
			<-killed
			pages, warnings, err = nil, nil, ctx.Err()
			return
		}
		_ = instance.Close()
	}()
	r := pdfRun{pdf: instance, limits: l}
	if err := r.open(&data); err != nil {
		return nil, nil, err
	}
	for i := range r.count {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p, err := r.page(i)
		if err != nil {
			return nil, nil, err
		}
		pages = append(pages, p)
	}
	if r.pictures {
		warnings = append(warnings, "picture-removed")
	}
	return pages, append(warnings, "layout-simplified"), nil
}

type pdfRun struct {
	pdf      pdfium.Pdfium
	limits   Limits
	doc      references.FPDF_DOCUMENT
	count    int
	size     int64
	pictures bool
}

func (r *pdfRun) open(data *[]byte) error {
	opened, err := r.pdf.OpenDocument(&requests.OpenDocument{File: data})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return ErrEncrypted
	case err != nil:
		return ErrMalformed
	}
	r.doc = opened.Document
	security, err := r.pdf.FPDF_GetSecurityHandlerRevision(&requests.FPDF_GetSecurityHandlerRevision{Document: r.doc})
	if err != nil || security.SecurityHandlerRevision >= 0 {
		return ErrEncrypted
	}
	files, err := r.pdf.FPDFDoc_GetAttachmentCount(&requests.FPDFDoc_GetAttachmentCount{Document: r.doc})
	if err != nil || files.AttachmentCount > 0 {
		return ErrUnsupported
	}
	scripts, err := r.pdf.FPDFDoc_GetJavaScriptActionCount(&requests.FPDFDoc_GetJavaScriptActionCount{Document: r.doc})
	if err != nil || scripts.JavaScriptActionCount > 0 {
		return ErrUnsupported
	}
	count, err := r.pdf.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: r.doc})
	switch {
	case err != nil, count.PageCount < 1:
		return ErrMalformed
	case count.PageCount > r.limits.Pages:
		return ErrTooLarge
	}
	r.count = count.PageCount
	return nil
}

const (
	pdfImage = 3 // page object types of pdfium
	pdfForm  = 5
)

func (r *pdfRun) page(i int) (pdfPage, error) {
	loaded, err := r.pdf.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: r.doc, Index: i})
	if err != nil {
		return pdfPage{}, ErrMalformed
	}
	defer func() { _, _ = r.pdf.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}) }()
	page := requests.Page{ByReference: &loaded.Page}
	// Form fields and notes become part of the page, and so of its text.
	if notes, err := r.pdf.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: page}); err != nil || notes.Count > 0 {
		if _, err := r.pdf.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: page, Usage: 0}); err != nil {
			return pdfPage{}, ErrUnsupported
		}
		if _, err := r.pdf.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}); err != nil {
			return pdfPage{}, ErrMalformed
		}
		loaded, err = r.pdf.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: r.doc, Index: i})
		if err != nil {
			return pdfPage{}, ErrMalformed
		}
	}
	text, err := r.pdf.GetPageText(&requests.GetPageText{Page: page})
	if err != nil {
		return pdfPage{}, ErrMalformed
	}
	if r.size += int64(len(text.Text)); r.size > r.limits.Expanded {
		return pdfPage{}, ErrTooLarge
	}
	lean, err := cleanPDFText(text.Text)
	if err != nil {
		return pdfPage{}, err
	}
	p := pdfPage{text: lean, width: 595, height: 842}
	if size, err := r.pdf.FPDF_GetPageSizeByIndex(&requests.FPDF_GetPageSizeByIndex{Document: r.doc, Index: i}); err == nil {
		p.width, p.height = min(max(size.Width, 200), 2400), min(max(size.Height, 200), 2400)
	}
	pictures, err := r.hasPictures(page)
	if err != nil {
		return pdfPage{}, err
	}
	if pictures && lean == "" {
		return pdfPage{}, ErrUnsupported
	}
	r.pictures = r.pictures || pictures
	return p, nil
}

// hasPictures says whether the page shows pictures, or forms that may.
func (r *pdfRun) hasPictures(page requests.Page) (bool, error) {
	objects, err := r.pdf.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		return false, ErrMalformed
	}
	for i := range min(objects.Count, 20000) {
		o, err := r.pdf.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			return false, ErrMalformed
		}
		t, err := r.pdf.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o.PageObject})
		if err != nil {
			return false, ErrMalformed
		}
		if t.Type == pdfImage || t.Type == pdfForm {
			return true, nil
		}
	}
	return false, nil
}

var ligatures = strings.NewReplacer(
	"\uFB00", "ff", "\uFB01", "fi", "\uFB02", "fl", "\uFB03", "ffi", "\uFB04", "ffl", "\uFB05", "st", "\uFB06", "st",
	"\uF0B7", "•", "\uF0A7", "•", "\uF0D8", "•", "\r\n", "\n", "\r", "\n", "\f", "\n",
	"\u0002\r\n", "-\n", "\u0002\n", "-\n", "\uFFFE\r\n", "-\n", "\uFFFE\n", "-\n", "\u0002", "\u00ad", "\uFFFE", "\u00ad",
)

// cleanPDFText writes the text as a reader sees it: no ligatures, whole letters, hyphens at line ends as such. Text
// whose characters have no meaning (fonts without a map) is refused, for detectors would see gibberish.
func cleanPDFText(text string) (string, error) {
	text = norm.NFC.String(ligatures.Replace(text))
	total, strange := 0, 0
	for _, r := range text {
		total++
		if r == utf8.RuneError || r >= 0xE000 && r <= 0xF8FF || r < 0x20 && r != '\n' && r != '\t' {
			strange++
		}
	}
	if strange*20 > total {
		return "", ErrUnsupported
	}
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < 0x20 && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	var b bytes.Buffer
	blank := 0
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t")
		if line == "" {
			blank++
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n")
			if blank > 0 {
				b.WriteString("\n")
			}
		}
		blank = 0
		b.WriteString(line)
	}
	return b.String(), nil
}
