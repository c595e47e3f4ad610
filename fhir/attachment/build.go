package attachment

import (
	"slices"
	"strings"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// mode says how text is written at a place of the template.
type mode uint8

const (
	modePlain    mode = iota // as it is
	modeCRLF                 // as it is, with \r\n at line ends
	modeFlow                 // HTML text, \n is <br>
	modeXFlow                // XHTML or CDA narrative text, \n is <br/>
	modePre                  // XML or HTML text where white space counts
	modeLeaf                 // XML text of one leaf
	modeAttr                 // attribute in double quotes
	modeJSON                 // inside a JSON string
	modeNumber               // a whole JSON number
	modeRTF                  // RTF text
	modeWord                 // inside w:t
	modeWordElem             // an element that stands for a character among w:t
	modeTS                   // a whole value attribute of HL7 type TS
	modeRoot                 // a whole OID or UUID
	modeEmbed                // a document within the document, in base64
	modeSep                  // not in the template at all
)

// run ties n bytes of the text to m bytes of a template part. In a verbatim run both are the same bytes; else the
// run is an atom, which is written anew as a whole when a part of it changes. A run with n == 0 is left out of the
// text, and goes when an edit covers both its sides.
type run struct {
	text, n  int32
	src, m   int32
	part     int32
	child    int32
	mode     mode
	verbatim bool
}

func (r run) end() int { return int(r.text + r.n) }

// template is what all builders of one document write to.
type template struct {
	parts    [][]byte
	children []*Document
	limits   Limits
	warnings []string
	language phi.Language
}

func (t *template) warn(code string) {
	if !slices.Contains(t.warnings, code) {
		t.warnings = append(t.warnings, code)
	}
}

// speak notes the first declared language that is read.
func (t *template) speak(tag string) {
	if t.language != "" {
		return
	}
	primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	switch l := phi.Language(primary); l {
	case phi.German, phi.English:
		t.language = l
	}
}

// builder writes a template and the text beside it.
type builder struct {
	*template
	part   int
	text   []byte
	runs   []run
	fields []Field
}

func newBuilder(l Limits) *builder {
	return &builder{template: &template{limits: l, parts: [][]byte{nil}}}
}

// aside gives a builder for text that is to be read elsewhere than where it stands; join adds it.
func (b *builder) aside() *builder {
	return &builder{template: b.template, part: b.part}
}

// join appends the text of another builder of the same template, parted by a line end.
func (b *builder) join(o *builder) {
	if o == nil || len(o.text) == 0 && len(o.runs) == 0 {
		return
	}
	if len(b.text) > 0 && b.text[len(b.text)-1] != '\n' {
		b.sep("\n")
	}
	shift := len(b.text)
	b.text = append(b.text, o.text...)
	for _, r := range o.runs {
		r.text += int32(shift)
		b.runs = append(b.runs, r)
	}
	for _, f := range o.fields {
		f.Start += shift
		f.End += shift
		b.fields = append(b.fields, f)
	}
}

// newPart starts another part of the template and gives its number.
func (b *builder) newPart() int {
	b.parts = append(b.parts, nil)
	b.part = len(b.parts) - 1
	return b.part
}

// raw writes markup that the text does not show.
func (b *builder) raw(s string) { b.parts[b.part] = append(b.parts[b.part], s...) }

// verbatim writes the same bytes to the text and to the template.
func (b *builder) verbatim(s string, m mode) {
	if s == "" {
		return
	}
	buf := &b.parts[b.part]
	if k := len(b.runs) - 1; k >= 0 {
		r := &b.runs[k]
		if r.verbatim && r.mode == m && int(r.part) == b.part && int(r.src+r.m) == len(*buf) && r.end() == len(b.text) {
			r.n += int32(len(s))
			r.m += int32(len(s))
			b.text = append(b.text, s...)
			*buf = append(*buf, s...)
			return
		}
	}
	b.runs = append(b.runs, run{
		text: int32(len(b.text)), n: int32(len(s)), src: int32(len(*buf)), m: int32(len(s)),
		part: int32(b.part), mode: m, verbatim: true,
	})
	b.text = append(b.text, s...)
	*buf = append(*buf, s...)
}

// atom writes text that the template spells in another way. An empty text is what an edit around it removes.
func (b *builder) atom(text, src string, m mode) {
	b.place(text, len(b.parts[b.part]), len(src), m)
	b.raw(src)
}

// place adds text for bytes that the template already holds.
func (b *builder) place(text string, src, n int, m mode) {
	b.runs = append(b.runs, run{
		text: int32(len(b.text)), n: int32(len(text)), src: int32(src), m: int32(n), part: int32(b.part), mode: m,
	})
	b.text = append(b.text, text...)
}

// sep adds text that is not in the template: what a paragraph, a cell or a label looks like to a reader.
func (b *builder) sep(s string) {
	b.runs = append(b.runs, run{text: int32(len(b.text)), n: int32(len(s)), part: int32(b.part), mode: modeSep})
	b.text = append(b.text, s...)
}

// write adds text, spelled as its mode asks.
func (b *builder) write(s string, m mode) {
	start := 0
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		spelled := spell(s[i:i+size], m)
		if spelled != s[i:i+size] {
			b.verbatim(s[start:i], m)
			b.atom(s[i:i+size], spelled, m)
			start = i + size
		}
		i += size
	}
	b.verbatim(s[start:], m)
}

// note says of a part of the text what it is.
func (b *builder) note(f Field) {
	if f.End > f.Start {
		b.fields = append(b.fields, f)
	}
}

// line ends the line of the text if one is begun.
func (b *builder) line() {
	if n := len(b.text); n > 0 && b.text[n-1] != '\n' {
		b.sep("\n")
	}
}

// embed adds the text of a document that stands in this one in base64.
func (b *builder) embed(d *Document, encoded string) {
	b.line()
	buf := &b.parts[b.part]
	shift := len(b.text)
	b.runs = append(b.runs, run{
		text: int32(shift), n: int32(len(d.text)), src: int32(len(*buf)), m: int32(len(encoded)),
		part: int32(b.part), child: int32(len(b.children)), mode: modeEmbed,
	})
	b.children = append(b.children, d)
	b.text = append(b.text, d.text...)
	*buf = append(*buf, encoded...)
	for _, f := range d.fields {
		f.Start += shift
		f.End += shift
		b.fields = append(b.fields, f)
	}
	for _, w := range d.warnings {
		b.warn(w)
	}
	b.speak(string(d.language))
}

// size gives the bytes written so far.
func (b *builder) size() int64 {
	n := int64(len(b.text))
	for _, p := range b.parts {
		n += int64(len(p))
	}
	return n
}

// document ends the building.
func (b *builder) document(finish func(parts [][]byte) ([]byte, string, error)) (*Document, error) {
	if b.size() > 2*b.limits.Expanded {
		return nil, ErrTooLarge
	}
	if !utf8.Valid(b.text) {
		return nil, ErrMalformed
	}
	b.settle()
	slices.Sort(b.warnings)
	slices.SortStableFunc(b.fields, func(x, y Field) int { return x.Start - y.Start })
	return &Document{
		text: string(b.text), language: b.language, fields: b.fields, warnings: b.warnings,
		runs: b.runs, parts: b.parts, children: b.children, finish: finish,
	}, nil
}

// single is the finish of documents with one part.
func single(contentType string) func(parts [][]byte) ([]byte, string, error) {
	return func(parts [][]byte) ([]byte, string, error) { return parts[0], contentType, nil }
}
