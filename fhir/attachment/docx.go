package attachment

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// decodeDOCX reads a word document: body, headers, footers, notes and comments, text boxes moved behind the paragraph
// that holds them, tracked changes accepted. The package that Encode writes holds these parts, styles and numbering
// alone, made of known elements of word processing only.
func decodeDOCX(ctx context.Context, s source) (*Document, error) {
	z, err := openZip(s.data, s.limits)
	if err != nil {
		return nil, err
	}
	for name := range z.files {
		if strings.HasSuffix(name, "vbaProject.bin") {
			return nil, ErrUnsupported
		}
	}
	w := word{flow: newFlow(newBuilder(s.limits), true), zip: z, styles: map[string]string{}, targets: map[string]string{}}
	if err := w.read(ctx); err != nil {
		return nil, err
	}
	w.end()
	names := w.names
	return w.document(func(parts [][]byte) ([]byte, string, error) {
		data, err := writeZip(names, parts)
		return data, docxType, err
	})
}

// archive is a package whose entries are read within a common limit.
type archive struct {
	files map[string]*zip.File
	left  int64
}

func openZip(data []byte, l Limits) (*archive, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, ErrMalformed
	}
	if len(r.File) > l.Parts {
		return nil, ErrTooLarge
	}
	a := &archive{files: map[string]*zip.File{}, left: l.Expanded}
	for _, f := range r.File {
		if f.Flags&1 != 0 {
			return nil, ErrEncrypted
		}
		name := strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
		if _, twice := a.files[name]; twice {
			return nil, ErrMalformed
		}
		a.files[name] = f
	}
	return a, nil
}

// read gives the bytes of an entry, or nothing where there is none.
func (a *archive) read(name string) ([]byte, error) {
	f := a.files[name]
	if f == nil {
		return nil, nil
	}
	if f.UncompressedSize64 > uint64(a.left) {
		return nil, ErrTooLarge
	}
	r, err := f.Open()
	if err != nil {
		return nil, ErrMalformed
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(io.LimitReader(r, a.left+1))
	if int64(len(data)) > a.left {
		return nil, ErrTooLarge
	}
	if err != nil {
		return nil, ErrMalformed
	}
	a.left -= int64(len(data))
	return data, nil
}

// writeZip packs parts in the given order, the same bytes each time.
func writeZip(names []string, parts [][]byte) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, name := range names {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return nil, errors.New("attachment: cannot pack")
		}
		if _, err := f.Write(parts[i]); err != nil {
			return nil, errors.New("attachment: cannot pack")
		}
	}
	if err := w.Close(); err != nil {
		return nil, errors.New("attachment: cannot pack")
	}
	return b.Bytes(), nil
}

const (
	wordSpace   = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	wordStrict  = "http://purl.oclc.org/ooxml/wordprocessingml/main"
	officeRels  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageRels = "http://schemas.openxmlformats.org/package/2006/relationships"
	mathSpace   = "http://schemas.openxmlformats.org/officeDocument/2006/math"
	wordTypes   = "application/vnd.openxmlformats-officedocument.wordprocessingml."
)

// word reads and writes the parts of a document.
type word struct {
	*flow
	zip     *archive
	styles  map[string]string // old style id to new
	targets map[string]string // old relation id of a header or footer to new
	names   []string          // of the template's parts
	boxes   []*node           // text boxes of the paragraph at hand
}

// wordPart is a part as the main part relates to it.
type wordPart struct{ kind, id, source, name string }

func (w *word) read(ctx context.Context) error {
	related, err := w.related()
	if err != nil {
		return err
	}
	types, rels := w.manifest(related)
	w.names = []string{"[Content_Types].xml", "_rels/.rels", "word/_rels/document.xml.rels"}
	w.raw(types)
	w.newPart()
	w.raw(xmlHead + `<Relationships xmlns="` + packageRels + `"><Relationship Id="rId1" Type="` + officeRels + `/officeDocument" Target="word/document.xml"/></Relationships>`)
	w.newPart()
	w.raw(rels)
	for _, p := range related {
		if p.kind == "styles" {
			if err := w.styleIDs(p.source); err != nil {
				return err
			}
		}
	}
	if err := w.one(wordPart{kind: "document", source: "word/document.xml", name: "document.xml"}); err != nil {
		return err
	}
	for _, p := range related {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.one(p); err != nil {
			return err
		}
	}
	return nil
}

var wordKinds = map[string]string{
	"header": "hdr", "footer": "ftr", "footnotes": "footnotes", "endnotes": "endnotes", "comments": "comments",
	"styles": "styles", "numbering": "numbering", "document": "document",
}

// related lists the parts of the main part that are kept.
func (w *word) related() ([]wordPart, error) {
	data, err := w.zip.read("word/_rels/document.xml.rels")
	if err != nil || data == nil {
		return nil, err
	}
	root, err := w.parse(data)
	if err != nil {
		return nil, err
	}
	var list []wordPart
	counts := map[string]int{}
	for _, k := range root.kids {
		if k.local != "Relationship" {
			continue
		}
		kind := path.Base(k.attr("Type"))
		if wordKinds[kind] == "" || kind == "document" || k.attr("TargetMode") == "External" {
			continue
		}
		target := k.attr("Target")
		if strings.HasPrefix(target, "/") {
			target = strings.TrimPrefix(target, "/")
		} else {
			target = path.Join("word", target)
		}
		counts[kind]++
		p := wordPart{kind: kind, source: target, name: kind + ".xml", id: "rId" + strconv.Itoa(len(list)+1)}
		if kind == "header" || kind == "footer" {
			p.name = kind + strconv.Itoa(counts[kind]) + ".xml"
			w.targets[k.attr("Id")] = p.id
		} else if counts[kind] > 1 {
			return nil, ErrMalformed
		}
		list = append(list, p)
	}
	return list, nil
}

func (w *word) manifest(related []wordPart) (types, rels string) {
	var t, r strings.Builder
	t.WriteString(xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="` + wordTypes + `document.main+xml"/>`)
	r.WriteString(xmlHead + `<Relationships xmlns="` + packageRels + `">`)
	for _, p := range related {
		t.WriteString(`<Override PartName="/word/` + p.name + `" ContentType="` + wordTypes + p.kind + `+xml"/>`)
		r.WriteString(`<Relationship Id="` + p.id + `" Type="` + officeRels + `/` + p.kind + `" Target="` + p.name + `"/>`)
	}
	t.WriteString(`</Types>`)
	r.WriteString(`</Relationships>`)
	return t.String(), r.String()
}

func (w *word) parse(data []byte) (*node, error) {
	text, err := xmlText(data, "")
	if err != nil {
		return nil, err
	}
	return parseXML(text, w.limits, false)
}

// one writes one part.
func (w *word) one(p wordPart) error {
	data, err := w.zip.read(p.source)
	if err != nil {
		return err
	}
	if data == nil {
		return ErrMalformed
	}
	root, err := w.parse(data)
	if err != nil {
		return err
	}
	if root.local != wordKinds[p.kind] || !isWord(root) {
		return ErrMalformed
	}
	w.newPart()
	w.attrs.part = w.part
	w.names = append(w.names, "word/"+p.name)
	w.raw(xmlHead + "<w:" + root.local + ` xmlns:w="` + wordSpace + `" xmlns:r="` + officeRels + `">`)
	w.block()
	for _, k := range root.kids {
		if err := w.element(k); err != nil {
			return err
		}
	}
	w.raw("</w:" + root.local + ">")
	w.block()
	return nil
}

func isWord(n *node) bool {
	ns := n.space()
	return ns == wordSpace || ns == wordStrict
}

// wordElements are written again; a text of any other element of word processing is not.
var wordElements = set(`body p r tbl tblPr tblGrid gridCol tr trPr tc tcPr pPr rPr sectPr footnote endnote
 footnoteReference endnoteReference footnoteRef endnoteRef separator continuationSeparator annotationRef comment
 commentReference commentRangeStart commentRangeEnd headerReference footerReference pgSz pgMar cols col docGrid pgNumType
 titlePg type vAlign lnNumType formProt noEndnote bidi rtlGutter pgBorders abstractNum num lvl start numFmt lvlText lvlJc suff isLgl
 lvlRestart multiLevelType abstractNumId lvlOverride startOverride style docDefaults rPrDefault pPrDefault name basedOn next link
 uiPriority qFormat semiHidden unhideWhenUsed tblStylePr rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline
 shadow emboss imprint noProof snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd
 fitText vertAlign rtl cs em lang eastAsianLayout specVanish pStyle keepNext keepLines pageBreakBefore framePr widowControl
 numPr ilvl numId suppressLineNumbers pBdr top left bottom right between bar insideH insideV end tabs suppressAutoHyphens
 kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN adjustRightInd ind contextualSpacing mirrorIndents
 suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl tblStyle tblpPr tblOverlap bidiVisual
 tblStyleRowBandSize tblStyleColBandSize tblW tblCellSpacing tblInd tblBorders tblLayout tblCellMar tblLook cnfStyle
 gridBefore gridAfter wBefore wAfter cantSplit trHeight tblHeader hidden tcW gridSpan hMerge vMerge tcBorders noWrap tcMar
 tcFitText hideMark tl2br tr2bl footnotePr endnotePr pos numRestart numStart`)

// wordThrough are elements of which only the content is written.
var wordThrough = set(`ins moveTo hyperlink smartTag sdt sdtContent customXml fldSimple dir bdo ruby rubyBase rt`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func (w *word) element(n *node) error {
	if n.name == "" {
		return nil
	}
	switch {
	case n.local == "AlternateContent":
		return w.alternate(n)
	case !isWord(n):
		if n.space() == mathSpace && (n.local == "oMath" || n.local == "oMathPara") {
			w.math(n)
		}
		return nil
	}
	switch n.local {
	case "t":
		w.textRun(n)
		return nil
	case "tab", "ptab":
		if n.parent.local != "r" {
			return w.copyElement(n)
		}
		w.flush()
		w.raw("<w:tab/>")
		w.sep("\t")
		return nil
	case "br", "cr":
		w.raw("<w:br/>")
		w.pending = pendLine
		return nil
	case "noBreakHyphen":
		w.flush()
		w.atom("-", "<w:noBreakHyphen/>", modeWordElem)
		return nil
	case "softHyphen":
		w.atom("", "<w:softHyphen/>", modeWordElem)
		return nil
	case "drawing", "pict", "object", "altChunk", "subDoc", "contentPart":
		return w.drawing(n)
	case "del", "moveFrom":
		if n.parent.local != "rPr" && n.parent.local != "trPr" {
			w.warn("changes-accepted")
		}
		return nil
	case "ins", "moveTo":
		w.warn("changes-accepted")
	}
	switch {
	case wordThrough[n.local]:
		for _, k := range n.kids {
			if err := w.element(k); err != nil {
				return err
			}
		}
		return nil
	case wordElements[n.local]:
		return w.copyElement(n)
	}
	return nil
}

// deleted says whether a table row or cell is marked as deleted.
func (n *node) deleted() bool {
	for _, props := range []string{"trPr", "tcPr"} {
		if p := n.child(props); p != nil && (p.child("del") != nil || p.child("cellDel") != nil) {
			return true
		}
	}
	return false
}

func (w *word) copyElement(n *node) error {
	switch n.local {
	case "tr":
		if n.deleted() {
			w.warn("changes-accepted")
			return nil
		}
		w.row()
	case "tc":
		if n.deleted() {
			w.warn("changes-accepted")
			return nil
		}
		w.startCell()
	case "p", "footnote", "endnote", "comment", "tbl":
		w.block()
	case "headerReference", "footerReference":
		w.reference(n)
		return nil
	case "style":
		return w.style(n)
	}
	outer := w.boxes
	if n.local == "p" {
		w.boxes = nil
	}
	w.raw("<w:" + n.local)
	w.attributes(n)
	if len(n.kids) == 0 {
		w.raw("/>")
	} else {
		w.raw(">")
		for _, k := range n.kids {
			if err := w.element(k); err != nil {
				return err
			}
		}
		w.raw("</w:" + n.local + ">")
	}
	switch n.local {
	case "tr":
		w.row()
	case "p":
		w.block()
		boxes := w.boxes
		w.boxes = outer
		for _, b := range boxes {
			for _, k := range b.kids {
				if err := w.element(k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// wordValue is what an attribute may hold: numbers, measures, colours, languages and the words of the schema, which
// all begin with a small letter.
var (
	wordValue = regexp.MustCompile(`^(?:-?[0-9]{1,10}(?:\.[0-9]{1,6})?(?:%|pt|mm|cm|in)?|[0-9A-Fa-f]{4,8}|[a-z][A-Za-z0-9]{0,24}|[a-z]{2,3}-[A-Z]{2})$`)
	wordFonts = set(`Arial Calibri Cambria Verdana Tahoma Georgia Garamond Helvetica Symbol Wingdings Courier Consolas Times`)
	fontNames = map[string]bool{
		"Times New Roman": true, "Courier New": true, "Arial Narrow": true, "Calibri Light": true, "Segoe UI": true,
		"Liberation Sans": true, "Liberation Serif": true, "Liberation Mono": true, "DejaVu Sans": true, "Book Antiqua": true,
	}
	wordNoCopy = set(`rsidR rsidRDefault rsidP rsidRPr rsidTr rsidSect rsidDel author initials date name title descr tooltip anchor`)
)

func (w *word) attributes(n *node) {
	for _, a := range n.attrs {
		prefix, local, found := strings.Cut(a.name, ":")
		if !found || prefix == "xmlns" || prefix == "xml" || wordNoCopy[local] {
			continue
		}
		if ns := n.namespace(prefix); ns != wordSpace && ns != wordStrict {
			continue
		}
		switch {
		case local == "val" && (n.local == "pStyle" || n.local == "rStyle" || n.local == "tblStyle" || n.local == "basedOn" || n.local == "next" || n.local == "link"):
			if id, ok := w.styles[a.value]; ok {
				w.raw(quote("w:val", id))
			}
		case local == "val" && n.local == "lvlText":
			w.raw(` w:val="`)
			if strings.ContainsFunc(a.value, func(r rune) bool { return letter(byte(min(r, 255))) || r >= 0xC0 && r < 0xE000 }) {
				w.attrs.part = w.part
				w.attrs.line()
				w.attrs.write(a.value, modeAttr)
			} else {
				w.raw(spellAll(a.value, modeAttr))
			}
			w.raw(`"`)
		case n.local == "rFonts":
			if wordFonts[a.value] || fontNames[a.value] || strings.HasSuffix(local, "Theme") || local == "hint" && wordValue.MatchString(a.value) {
				if !strings.HasSuffix(local, "Theme") {
					w.raw(quote("w:"+local, a.value))
				}
			}
		case n.local == "lang" && local == "val":
			w.speak(a.value)
			fallthrough
		default:
			if wordValue.MatchString(a.value) {
				w.raw(quote("w:"+local, a.value))
			}
		}
	}
	if n.local == "comment" {
		w.raw(` w:author="Author" w:initials="A"`)
	}
}

func (w *word) reference(n *node) {
	for _, a := range n.attrs {
		prefix, local, _ := strings.Cut(a.name, ":")
		if local != "id" || !strings.HasSuffix(n.namespace(prefix), "/relationships") {
			continue
		}
		id, ok := w.targets[a.value]
		if !ok {
			return
		}
		w.raw("<w:" + n.local)
		w.attributes(n)
		w.raw(quote("r:id", id) + "/>")
	}
}

// textRun writes the text of a w:t.
func (w *word) textRun(n *node) {
	text := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		return r
	}, n.content())
	if n.attr("xml:space") != "preserve" {
		text = strings.Trim(text, " ")
	}
	if text == "" {
		return
	}
	w.raw(`<w:t xml:space="preserve">`)
	w.flush()
	w.write(text, modeWord)
	w.raw("</w:t>")
}

func (w *word) math(n *node) {
	text := strings.Join(strings.Fields(n.content()), " ")
	if text == "" {
		return
	}
	w.warn("formula-flattened")
	w.raw(`<w:r><w:t xml:space="preserve">`)
	w.flush()
	w.write(text, modeWord)
	w.raw("</w:t></w:r>")
}

// alternate reads one of the forms in which a drawing is given.
func (w *word) alternate(n *node) error {
	var chosen *node
	for _, k := range n.kids {
		if k.local == "Choice" && chosen == nil {
			chosen = k
		}
	}
	if fallback := n.child("Fallback"); fallback != nil && (chosen == nil || !chosen.holds("txbxContent") && fallback.holds("txbxContent")) {
		chosen = fallback
	}
	if chosen == nil {
		return nil
	}
	for _, k := range chosen.kids {
		if err := w.element(k); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) holds(local string) bool {
	for _, k := range n.kids {
		if k.local == local || k.holds(local) {
			return true
		}
	}
	return false
}

// drawing keeps the text boxes of a drawing for after the paragraph; pictures and objects are a loss.
func (w *word) drawing(n *node) error {
	code := ""
	switch {
	case n.local == "object", n.local == "altChunk", n.local == "subDoc", n.local == "contentPart", n.holds("OLEObject"), n.holds("chart"), n.holds("relIds"):
		code = "object-removed"
	case n.holds("blip"), n.holds("imagedata"), n.holds("pic"):
		code = "picture-removed"
	}
	if code != "" {
		if !w.limits.Strip {
			return ErrUnsupported
		}
		w.warn(code)
	}
	w.collect(n)
	return nil
}

func (w *word) collect(n *node) {
	for _, k := range n.kids {
		switch {
		case k.local == "txbxContent":
			w.warn("textbox-flattened")
			w.boxes = append(w.boxes, k)
		case k.local == "Fallback" && n.child("Choice") != nil && n.child("Choice").holds("txbxContent"):
		default:
			w.collect(k)
		}
	}
}

// builtin are the names of styles that word processors bring along.
var builtin = regexp.MustCompile(`^(?i:normal|heading [1-9]|title|subtitle|header|footer|table grid|normal table|no list|default paragraph font|list( bullet| number| paragraph)?( [2-5])?|body text( [23])?|caption|hyperlink|footnote (text|reference)|endnote (text|reference)|annotation (text|reference|subject)|balloon text|page number|toc [1-9]|plain text|strong|emphasis|quote|no spacing|normal \(web\)|followedhyperlink)$`)

// styleIDs gives every style a neutral id.
func (w *word) styleIDs(source string) error {
	data, err := w.zip.read(source)
	if err != nil || data == nil {
		return err
	}
	w.zip.left += int64(len(data)) // it is read once more
	root, err := w.parse(data)
	if err != nil {
		return err
	}
	for _, k := range root.kids {
		if id := k.wordAttr("styleId"); k.local == "style" && id != "" {
			w.styles[id] = "S" + strconv.Itoa(len(w.styles)+1)
		}
	}
	return nil
}

func (n *node) wordAttr(local string) string {
	for _, a := range n.attrs {
		if prefix, l, found := strings.Cut(a.name, ":"); found && l == local {
			if ns := n.namespace(prefix); ns == wordSpace || ns == wordStrict {
				return a.value
			}
		}
	}
	return ""
}

func (w *word) style(n *node) error {
	id := w.styles[n.wordAttr("styleId")]
	if id == "" {
		return nil
	}
	w.raw("<w:style" + quote("w:styleId", id))
	for _, name := range []string{"type", "default", "customStyle"} {
		if v := n.wordAttr(name); v != "" && wordValue.MatchString(v) {
			w.raw(quote("w:"+name, v))
		}
	}
	w.raw(">")
	for _, k := range n.kids {
		if k.local == "name" {
			name := k.wordAttr("val")
			if !builtin.MatchString(name) {
				name = "Style " + id[1:]
			}
			w.raw("<w:name" + quote("w:val", name) + "/>")
			continue
		}
		if err := w.element(k); err != nil {
			return err
		}
	}
	w.raw("</w:style>")
	return nil
}
