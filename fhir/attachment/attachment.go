// Package attachment turns attachments (text, HTML, CDA and other XML, JSON, RTF, DOCX, PDF) into one linear text
// that detectors can read, and writes replacements in that text back into the structure the text came from.
//
// Decoding builds a template: clean bytes of the same kind, into which only what is known to be harmless markup and
// what Text shows is ever written. Comments, scripts, authors, revision marks, file properties and the like are not
// copied, so they cannot leak. A map ties every byte of Text to its place in the template.
package attachment

import (
	"context"
	"errors"
	"slices"

	"fhirdeid/pipeline/phi"
)

// What Decode and Encode may answer. No error quotes the input.
var (
	// ErrUnsupported means that the content is of a kind that cannot be read (pictures, sound, archives, scans,
	// unknown types), holds a part that cannot, or is not of the type that it claims to be.
	ErrUnsupported = errors.New("attachment: unsupported content")
	// ErrMalformed means that the content breaks the rules of its own format or of its character set.
	ErrMalformed = errors.New("attachment: malformed content")
	// ErrTooLarge means that a limit on bytes, expansion, nesting, parts or pages was passed.
	ErrTooLarge = errors.New("attachment: content passes a limit")
	// ErrEncrypted means that the content is locked by a password or a key.
	ErrEncrypted = errors.New("attachment: encrypted content")
	// ErrEdit means that edits overlap or lie outside of the text.
	ErrEdit = errors.New("attachment: edits do not fit the text")
)

// Limits bounds the work for one attachment. A zero field means its default.
type Limits struct {
	Bytes    int64 // bytes of the attachment itself, 64 MiB
	Expanded int64 // bytes after decompression, and of the text with its template, 64 MiB
	Depth    int   // nesting of elements, groups, values and attachments within attachments, 256
	Parts    int   // entries of an archive, 2,000
	Pages    int   // pages of a PDF, 2,000

	// Strip removes pictures and embedded objects, with a warning, from formats that can do without them (RTF,
	// DOCX, CDA). Otherwise they make the document unsupported.
	Strip bool
}

func (l Limits) withDefaults() Limits {
	if l.Bytes <= 0 {
		l.Bytes = 64 << 20
	}
	if l.Expanded <= 0 {
		l.Expanded = 64 << 20
	}
	// Offsets are kept in 32 bits.
	l.Bytes = min(l.Bytes, 1<<30)
	l.Expanded = min(l.Expanded, 1<<30)
	if l.Depth <= 0 {
		l.Depth = 256
	}
	l.Depth = min(l.Depth, 500)
	if l.Parts <= 0 {
		l.Parts = 2000
	}
	if l.Pages <= 0 {
		l.Pages = 2000
	}
	return l
}

// Kind says what a structured field holds.
type Kind uint8

// The kinds of fields.
const (
	KindOther   Kind = iota
	KindName         // a person's name or a part of it
	KindOrg          // the name of an organisation or place
	KindAddress      // an address or a part of it
	KindTelecom      // phone, fax, mail, URL, without its scheme
	KindID           // an identifier
	KindTime         // a date, shown as YYYY, YYYY-MM or YYYY-MM-DD
)

// Field is a piece of Text whose meaning the structure of the document gives away, such as the patient's name in
// the header of a CDA document. It is PHI whether a detector finds it or not.
type Field struct {
	Path       string // where it stands, such as recordTarget/patientRole/patient/name/family
	Kind       Kind
	Type       phi.Type
	Start, End int // byte offsets in Text, half open
}

// Document is one decoded attachment. It does not change, and is safe for concurrent use.
type Document struct {
	text     string
	language phi.Language
	fields   []Field
	warnings []string
	runs     []run
	parts    [][]byte
	children []*Document
	finish   func(parts [][]byte) (data []byte, contentType string, err error)
}

// Text gives what detectors read: valid UTF-8, lines ended by \n, table cells parted by \t. Words that the source
// breaks by inline markup, soft hyphens or a hyphen at the end of a line stand in one piece.
func (d *Document) Text() string { return d.text }

// Language gives the language that the document declares, empty when it declares none that is read.
func (d *Document) Language() phi.Language { return d.language }

// Fields gives the pieces of Text that the structure marks as PHI, in the order of the text, never overlapping.
// Nested attachments' fields are among them.
func (d *Document) Fields() []Field { return slices.Clone(d.fields) }

// Warnings gives codes, free of content, for what was left out: picture-removed, object-removed,
// changes-accepted, and the like; each once, sorted.
func (d *Document) Warnings() []string { return slices.Clone(d.warnings) }

// Decode reads an attachment of the given content type. The answer is the same for the same bytes. The error is, or
// wraps, one of this package's, or the context's.
func Decode(ctx context.Context, contentType string, data []byte, l Limits) (*Document, error) {
	return decode(ctx, contentType, data, l.withDefaults(), 0)
}

func decode(ctx context.Context, contentType string, data []byte, l Limits, nested int) (*Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if int64(len(data)) > l.Bytes {
		return nil, ErrTooLarge
	}
	if nested > 4 {
		return nil, ErrTooLarge
	}
	src, err := identify(contentType, data)
	if err != nil {
		return nil, err
	}
	s := source{media: src.media, charset: src.charset, data: data, limits: l, nested: nested}
	switch src.format {
	case formatPlain:
		return decodePlain(s)
	case formatHTML:
		return decodeHTML(s)
	case formatXHTML:
		return decodeXHTML(s)
	case formatXML:
		return decodeXML(ctx, s)
	case formatJSON:
		return decodeJSON(s)
	case formatRTF:
		return decodeRTF(s)
	case formatDOCX:
		return decodeDOCX(ctx, s)
	case formatPDF:
		return decodePDF(ctx, s)
	}
	return nil, ErrUnsupported
}

// source is what a codec is given.
type source struct {
	media   string // media type in lower case, without parameters
	charset string // charset parameter in lower case
	data    []byte
	limits  Limits
	nested  int // how many attachments this one lies in
}
