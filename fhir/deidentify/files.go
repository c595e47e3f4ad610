package deidentify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"fhirdeid/fhir"
	"fhirdeid/fhir/attachment"
	"fhirdeid/pipeline/phi"
)

// file is the content of an attachment or Binary on its way.
type file struct {
	path        string // of the object that holds it
	holder      *fhir.Node
	resource    *resource
	contentType string
	encoded     string
	language    phi.Language
	size        *fhir.Node // declared
	hash        *fhir.Node
	binary      bool

	data []byte // as it came
	doc  *attachment.Document
	lost error     // why it cannot be read, where that only removes it
	out  []byte    // as it goes
	link *resource // the Binary that an attachment without data points to
}

// attachment takes one Attachment: its content is queued, title and creation are settled, a url stays only where it
// points to a Binary of the request.
func (w *writer) attachment(p *fhir.Place) error {
	r, path, n := w.of(p), w.path(p), p.Node
	if p.Action != phi.Scan && p.Action != phi.Surrogate {
		w.remove(p)
		return nil
	}
	language := w.languageOf(r)
	if l := declared(n.Text("language")); w.language == "" && l != "" {
		language = l
	}
	if title := n.Get("title"); title != nil {
		if err := w.read(w.at(p, "title"), r, title, language, phi.NoType, false); err != nil {
			return err
		}
	}
	if at := n.Get("creation"); at != nil {
		s, _ := at.Str()
		w.warnShift(r)
		out, err := w.generator(r.patient).Date(s)
		if err != nil {
			return fail(ErrDate, path+".creation", "the value is no date of FHIR")
		}
		w.settle(at, out)
		w.change(r, "Attachment.creation", phi.Shift)
	}
	f := &file{
		path: path, holder: n, resource: r, contentType: n.Text("contentType"), encoded: n.Text("data"), language: language,
		size: n.Get("size"), hash: n.Get("hash"),
	}
	if err := w.attachmentURL(p, f); err != nil {
		return err
	}
	if n.Get("data") != nil || f.link != nil {
		w.files = append(w.files, f)
		return nil
	}
	// What is not here cannot be vouched for.
	n.Delete("hash")
	n.Delete("size")
	if len(n.Members()) == 0 {
		w.remove(p)
	}
	return nil
}

func (w *writer) attachmentURL(p *fhir.Place, f *file) error {
	n := p.Node
	at := n.Get("url")
	if at == nil {
		return nil
	}
	s, _ := at.Str()
	target := w.x.resolve(f.resource, s)
	if target == nil || target.typ != "Binary" {
		el := p.Element.Fields.Element("url")
		fhir.SetAbsent(n, el, "masked")
		w.change(f.resource, "Attachment.url", phi.Remove)
		if n.Get("data") == nil {
			w.warn("incomplete", f.path+".url", "The content stands elsewhere and was not read; the address was removed.")
		}
		return nil
	}
	out, _ := w.names.reference(f.resource, s, "Binary")
	w.settle(at, out)
	w.change(f.resource, "Attachment.url", phi.Pseudonymise)
	f.link = target
	return nil
}

// binary takes the content of a Binary.
func (w *writer) binary(p *fhir.Place) error {
	r := w.of(p)
	if p.Resource.ResourceType() != "Binary" || p.Parent != p.Resource || p.Action != phi.Scan {
		w.remove(p)
		return nil
	}
	s, _ := p.Node.Str()
	w.files = append(w.files, &file{
		path: strings.TrimSuffix(w.path(p), ".data"), holder: p.Resource, resource: r, contentType: p.Resource.Text("contentType"),
		encoded: s, language: w.languageOf(r), binary: true,
	})
	return nil
}

// narrative queues the XHTML of a Narrative.
func (w *writer) narrative(p *fhir.Place) error {
	r, path := w.of(p), w.path(p)
	if p.Action != phi.Scan {
		w.remove(p)
		return nil
	}
	s, _ := p.Node.Str()
	if err := w.countText(path, len(s)); err != nil {
		return err
	}
	doc, err := attachment.Narrative(w.ctx, s, w.o.Limits.Attachment)
	if err != nil {
		if err := w.unreadable(path, err); err != nil {
			return err
		}
		w.remove(p)
		return nil
	}
	node := p.Node
	j := &job{path: path, patient: r.patient, language: w.languageOf(r), text: doc.Text(), doc: doc, document: true, places: []place{{r, "Narrative.div"}}}
	if j.language == "" {
		j.language = doc.Language()
	}
	j.finish = append(j.finish, func(j *job) error {
		data, _, err := doc.Encode(j.edits)
		if err != nil {
			return fail(ErrDetect, path, "the narrative cannot be written")
		}
		w.settle(node, string(data))
		w.rewritten = append(w.rewritten, rewritten{job: j, path: path, narrative: string(data)})
		return nil
	})
	w.jobs = append(w.jobs, j)
	return nil
}

// unreadable gives the error for content that cannot be read, or nil where that only removes the content.
func (w *writer) unreadable(path string, err error) error {
	if ctxErr := w.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	var f *Error
	switch {
	case errors.Is(err, attachment.ErrTooLarge):
		f = fail(ErrTooLarge, path, "the content passes a limit on size, nesting or expansion")
	case errors.Is(err, attachment.ErrUnsupported):
		f = fail(ErrUnsupported, path, "the content is of a type that is not read")
	case errors.Is(err, attachment.ErrEncrypted):
		f = fail(ErrUnsupported, path, "the content is encrypted")
	case errors.Is(err, attachment.ErrMalformed):
		f = fail(ErrUndecodable, path, "the content breaks the rules of its own format")
	case errors.As(err, &f):
	default:
		f = fail(ErrUndecodable, path, "the content cannot be decoded")
	}
	if !w.strip || errors.Is(f.Kind, ErrMismatch) {
		return f
	}
	w.warn(f.Code, path, "The content could not be read and was removed: "+f.Diagnostics+".")
	return nil
}

// decode reads all files, several at a time, and queues their texts.
func (w *writer) decode(ctx context.Context) error {
	group := new(errgroup.Group)
	group.SetLimit(w.o.Limits.Parallel)
	errs := make([]error, len(w.files))
	for i, f := range w.files {
		if ctx.Err() != nil {
			break
		}
		if f.encoded == "" {
			continue // a link; or the data was only a companion
		}
		group.Go(func() error {
			errs[i] = contained(f.path, func() error { return f.decode(ctx, w.o.Limits.Attachment) })
			return nil
		})
	}
	_ = group.Wait() // the errors are in errs
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, f := range w.files {
		if errs[i] != nil {
			if err := w.unreadable(f.path, errs[i]); err != nil {
				return err
			}
			f.lost = errs[i]
			w.lost++
			f.drop(w)
			continue
		}
		if f.doc == nil {
			continue
		}
		if err := w.countText(f.path, len(f.doc.Text())); err != nil {
			return err
		}
		w.queue(f)
	}
	for _, f := range w.files {
		if err := w.checkLink(f); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) decode(ctx context.Context, limits attachment.Limits) error {
	data, err := fromBase64(f.encoded)
	if err != nil {
		return fail(ErrUndecodable, f.path+".data", "the data is no base64")
	}
	if err := matches(f.path, data, f.size, f.hash); err != nil {
		return err
	}
	f.data = data
	f.doc, err = attachment.Decode(ctx, f.contentType, data, limits)
	return err
}

// fromBase64 takes white space between, as older senders break lines.
func fromBase64(s string) ([]byte, error) {
	if strings.ContainsAny(s, " \t\r\n") {
		s = strings.Join(strings.Fields(s), "")
	}
	return base64.StdEncoding.DecodeString(s)
}

// matches checks declared size and SHA-1 against the content.
func matches(path string, data []byte, size, hash *fhir.Node) error {
	if n, ok := size.Num(); ok {
		if declared, err := strconv.ParseInt(n, 10, 64); err != nil || declared != int64(len(data)) {
			return fail(ErrMismatch, path+".size", "the declared size is not that of the data")
		}
	}
	if h, ok := hash.Str(); ok {
		sum := sha1.Sum(data) // FHIR asks for this algorithm
		declared, err := fromBase64(h)
		if err != nil || !bytes.Equal(declared, sum[:]) {
			return fail(ErrMismatch, path+".hash", "the declared hash is not that of the data")
		}
	}
	return nil
}

// checkLink compares an attachment with the Binary that its url points to.
func (w *writer) checkLink(f *file) error {
	if f.link == nil {
		return nil
	}
	other := w.fileOf(f.link)
	if other == nil || other.data == nil {
		return nil
	}
	if f.data != nil && !bytes.Equal(f.data, other.data) {
		return fail(ErrMismatch, f.path, "data and url do not hold the same content")
	}
	if f.data == nil {
		return matches(f.path, other.data, f.size, f.hash)
	}
	return nil
}

func (w *writer) fileOf(r *resource) *file {
	for _, f := range w.files {
		if f.binary && f.resource == r {
			return f
		}
	}
	return nil
}

// simplified says what a decoder did to the content besides de-identifying it.
var simplified = map[string]string{
	"picture-removed":   "A picture in the content was removed.",
	"object-removed":    "An embedded object was removed from the content.",
	"attribute-removed": "Attributes that are not known were removed from the content.",
	"changes-accepted":  "Tracked changes were accepted; what they had deleted is gone.",
	"textbox-flattened": "The text of text boxes stands as paragraphs now.",
	"formula-flattened": "Formulas stand as plain text now.",
	"layout-simplified": "The pages were written anew with their text; layout, pictures and fonts are simpler than before.",
}

func (w *writer) queue(f *file) {
	language := f.language
	if language == "" {
		language = f.doc.Language()
	}
	for _, code := range f.doc.Warnings() {
		w.warn("informational", f.path, cmp.Or(simplified[code], "The content was simplified: "+code+"."))
	}
	j := &job{
		path: f.path, patient: f.resource.patient, language: language, text: f.doc.Text(), doc: f.doc, document: true,
		places: []place{{f.resource, "Attachment.data"}},
	}
	j.finish = append(j.finish, func(j *job) error { return w.finishFile(f, j) })
	w.jobs = append(w.jobs, j)
	w.fileJobs[f] = j
}

// finishFile encodes the content with its replacements, and sets size, hash and type to what they are now.
func (w *writer) finishFile(f *file, j *job) error {
	data, contentType, err := f.doc.Encode(j.edits)
	if err != nil {
		return fail(ErrDetect, f.path, "the content cannot be written")
	}
	f.out = data
	encoded := fhir.NewString(base64.StdEncoding.EncodeToString(data))
	encoded.SetMark(markSettled)
	f.holder.Set("data", encoded)
	if contentType != "" && contentType != f.contentType {
		f.holder.Set("contentType", fhir.NewString(contentType))
	}
	f.stamp(data)
	w.rewritten = append(w.rewritten, rewritten{job: j, path: f.path, data: data, contentType: f.holder.Text("contentType")})
	return nil
}

// stamp sets size and hash where they stood before.
func (f *file) stamp(data []byte) {
	if f.size != nil {
		f.holder.Set("size", fhir.NewNumber(strconv.Itoa(len(data))))
	}
	if f.hash != nil {
		sum := sha1.Sum(data)
		f.holder.Set("hash", fhir.NewString(base64.StdEncoding.EncodeToString(sum[:])))
	}
}

// finishLinks gives attachments that point to a Binary its new size, hash and type.
func (w *writer) finishLinks() {
	for _, f := range w.files {
		if f.link == nil || f.encoded != "" {
			continue
		}
		other := w.fileOf(f.link)
		if other == nil || other.out == nil {
			f.holder.Delete("size")
			f.holder.Delete("hash")
			continue
		}
		f.stamp(other.out)
		if t := other.holder.Text("contentType"); f.contentType != "" && t != "" {
			f.holder.Set("contentType", fhir.NewString(t))
		}
	}
}

// drop takes content out that could not be read, and says so in its place.
func (f *file) drop(w *writer) {
	fields := fhir.FieldsOf("Attachment")
	if f.binary {
		fields = fhir.FieldsOf("Binary")
	}
	for _, key := range []string{"size", "hash"} {
		f.holder.Delete(key)
	}
	fhir.SetAbsent(f.holder, fields.Element("data"), "masked")
	w.change(f.resource, "Attachment.data", phi.Remove)
}

// rewritten is content in its new form, which verify reads again as a recipient would.
type rewritten struct {
	job         *job
	path        string
	data        []byte
	contentType string
	narrative   string
}

// text reads the new content.
func (x rewritten) text(ctx context.Context, limits attachment.Limits) (string, error) {
	var doc *attachment.Document
	var err error
	if x.narrative != "" {
		doc, err = attachment.Narrative(ctx, x.narrative, limits)
	} else {
		doc, err = attachment.Decode(ctx, x.contentType, x.data, limits)
	}
	if err != nil {
		return "", err
	}
	return doc.Text(), nil
}
