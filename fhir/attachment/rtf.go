package attachment

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// decodeRTF reads RTF. What is written again is the text, headers, footers, notes and comments with their plain
// formatting; every other destination (properties, styles, revision authors, bookmarks, field instructions, unknown
// ones) is left out.
func decodeRTF(s source) (*Document, error) {
	start := bytes.Index(s.data, []byte("{\\rtf"))
	if start < 0 {
		return nil, ErrMalformed
	}
	b := newBuilder(s.limits)
	r := rtf{builder: b, data: s.data[start:], at: 1, ansi: charmap.Windows1252, fonts: map[int]rtfFont{}, strip: s.limits.Strip}
	b.raw(`{\rtf1\ansi\ansicpg1252\uc1\deff0` + "\n")
	if err := r.group(rtfState{skip: 1}, 1); err != nil {
		return nil, err
	}
	b.raw("}")
	r.notes()
	media := "application/rtf"
	if s.media == "text/rtf" {
		media = s.media
	}
	return b.document(single(media))
}

// rtf is a reader at a place of the data. Only one builder is written to at a time: the body's, or that of a note.
type rtf struct {
	*builder
	data  []byte
	at    int
	ansi  *charmap.Charmap
	deff  int
	fonts map[int]rtfFont
	aside []*builder
	strip bool
	high  rune // first half of a surrogate pair
}

type rtfFont struct {
	table *charmap.Charmap // nil: a multi-byte code page, which is not read
	wide  bool
}

// rtfState is what a group inherits.
type rtfState struct {
	font int
	skip int // characters that stand for one \u in old readers
}

type rtfToken struct {
	kind  rtfKind
	word  string
	param int
	has   bool
	char  byte
}

type rtfKind uint8

const (
	rtfEOF rtfKind = iota
	rtfOpen
	rtfClose
	rtfWord
	rtfSymbol
	rtfHex
	rtfByte
)

// next reads a token. Line ends between tokens mean nothing.
func (r *rtf) next() rtfToken {
	for r.at < len(r.data) {
		c := r.data[r.at]
		r.at++
		switch c {
		case '\r', '\n':
			continue
		case '{':
			return rtfToken{kind: rtfOpen}
		case '}':
			return rtfToken{kind: rtfClose}
		case '\\':
			return r.control()
		}
		return rtfToken{kind: rtfByte, char: c}
	}
	return rtfToken{}
}

func (r *rtf) control() rtfToken {
	if r.at >= len(r.data) {
		return rtfToken{}
	}
	c := r.data[r.at]
	if !letter(c) {
		r.at++
		if c != '\'' {
			return rtfToken{kind: rtfSymbol, char: c}
		}
		if r.at+2 > len(r.data) {
			return rtfToken{}
		}
		v, err := strconv.ParseUint(string(r.data[r.at:r.at+2]), 16, 8)
		if err != nil {
			return rtfToken{}
		}
		r.at += 2
		return rtfToken{kind: rtfHex, char: byte(v)}
	}
	start := r.at
	for r.at < len(r.data) && letter(r.data[r.at]) && r.at-start < 40 {
		r.at++
	}
	t := rtfToken{kind: rtfWord, word: string(r.data[start:r.at])}
	start = r.at
	if r.at < len(r.data) && r.data[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9' && r.at-start < 11 {
		r.at++
	}
	if n, err := strconv.Atoi(string(r.data[start:r.at])); err == nil {
		t.param, t.has = n, true
	} else {
		r.at = start
	}
	if r.at < len(r.data) && r.data[r.at] == ' ' {
		r.at++
	}
	if t.word == "bin" {
		r.at += min(max(t.param, 0), len(r.data)-r.at)
	}
	return t
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// rtfPlain are destinations that are read like plain groups, their own word left out.
var rtfPlain = map[string]bool{
	"rtf": true, "field": true, "fldrslt": true, "listtext": true, "pntext": true, "upr": true,
}

// rtfAside are destinations that are kept and read apart from the text around them.
var rtfAside = map[string]bool{
	"header": true, "headerl": true, "headerr": true, "headerf": true, "footer": true, "footerl": true, "footerr": true,
	"footerf": true, "footnote": true, "annotation": true, "ftnsep": true, "ftnsepc": true,
}

// rtfDropped are destinations without the sign of one that may be skipped, which are left out all the same.
var rtfDropped = map[string]bool{
	"info": true, "stylesheet": true, "listtable": true, "listoverridetable": true, "revtbl": true, "filetbl": true,
	"sp": true, "shprslt": true, "nonshppict": true, "private": true, "author": true, "title": true, "subject": true,
	"operator": true, "keywords": true, "comment": true, "doccomm": true, "manager": true, "company": true, "category": true, "hlinkbase": true,
	"atnid": true, "atnauthor": true, "xe": true, "tc": true, "rxe": true, "txe": true, "fldinst": true, "bkmkstart": true, "bkmkend": true,
	"pict": true, "object": true, "mmath": true, "aftnsep": true, "aftnsepc": true, "ftncn": true, "aftncn": true,
}

// rtfLost are words that are not written again: those that the head states anew, and those that point at what was
// left out.
var rtfLost = map[string]bool{
	"rtf": true, "ansi": true, "mac": true, "pc": true, "pca": true, "ansicpg": true, "deff": true, "uc": true, "u": true, "bin": true,
	"s": true, "cs": true, "ds": true, "ts": true, "ls": true, "ilvl": true, "revauth": true, "revauthdel": true, "revdttm": true,
	"revdttmdel": true, "crauth": true, "crdate": true, "htmlrtf": true, "fromhtml": true, "fromtext": true, "flddirty": true, "fldedit": true,
	"fldlock": true, "fldpriv": true, "chatn": true, "adeff": true, "stshfdbch": true, "stshfloch": true, "stshfhich": true,
	"stshfbi": true, "themelang": true, "themelangfe": true, "themelangcs": true, "insrsid": true, "charrsid": true, "pararsid": true,
	"sectrsid": true, "delrsid": true, "tblrsid": true, "styrsid": true, "rsidroot": true, "rsid": true, "langfe": true, "langnp": true, "langfenp": true,
}

var rtfSigns = map[string]string{
	"emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
	"emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005", "zwj": "\u200D", "zwnj": "\u200C", "zwbo": "\u200B", "zwnbo": "\u2060",
}

var rtfBreaks = map[string]string{
	"par": "\n", "line": "\n", "row": "\n", "nestrow": "\n", "page": "\n", "sect": "\n", "column": "\n", "softline": "\n", "softpage": "\n",
	"cell": "\t", "nestcell": "\t", "tab": "\t",
}

// group reads up to the end of a group whose opening brace is read.
func (r *rtf) group(state rtfState, depth int) error {
	if depth > r.limits.Depth {
		return ErrTooLarge
	}
	pending := 0 // characters to skip after \u
	for {
		t := r.next()
		if t.kind != rtfByte && t.kind != rtfHex && t.kind != rtfClose && t.kind != rtfEOF && pending > 0 && t.kind != rtfOpen {
			pending--
			if t.kind == rtfSymbol {
				continue
			}
		}
		switch t.kind {
		case rtfEOF:
			return ErrMalformed
		case rtfClose:
			return r.whole()
		case rtfOpen:
			pending = 0
			if err := r.whole(); err != nil {
				return err
			}
			if err := r.destination(state, depth+1); err != nil {
				return err
			}
		case rtfHex, rtfByte:
			if pending > 0 {
				pending--
				continue
			}
			if err := r.byte(t.char, state); err != nil {
				return err
			}
		case rtfSymbol:
			if err := r.symbol(t.char); err != nil {
				return err
			}
		case rtfWord:
			if t.word == "u" {
				if err := r.unit(t.param); err != nil {
					return err
				}
				pending = state.skip
				continue
			}
			if err := r.whole(); err != nil {
				return err
			}
			if err := r.word(t, &state); err != nil {
				return err
			}
		}
	}
}

// whole refuses half a surrogate pair.
func (r *rtf) whole() error {
	if r.high != 0 {
		return ErrMalformed
	}
	return nil
}

func (r *rtf) unit(n int) error {
	if n < -32768 || n > 65535 {
		return ErrMalformed
	}
	c := rune(uint16(n))
	switch {
	case r.high != 0:
		c = utf16.DecodeRune(r.high, c)
		if c == utf8.RuneError {
			return ErrMalformed
		}
		r.high = 0
	case utf16.IsSurrogate(c):
		if c >= 0xDC00 {
			return ErrMalformed
		}
		r.high = c
		return nil
	case c == 0, c == utf8.RuneError:
		return ErrMalformed
	case c < 0x20, c >= 0x7f && c < 0xA0:
		return nil // no sign at all
	}
	r.write(string(c), modeRTF)
	return nil
}

func (r *rtf) byte(c byte, state rtfState) error {
	if err := r.whole(); err != nil {
		return err
	}
	if c < 0x80 {
		switch {
		case c == 0:
			return ErrMalformed
		case c == '\t':
			r.raw(`\tab `)
			r.sep("\t")
		case c >= 0x20 && c < 0x7f:
			r.write(string(rune(c)), modeRTF)
		}
		return nil
	}
	table := r.ansi
	if f, ok := r.fonts[state.font]; ok {
		if f.wide {
			return ErrUnsupported
		}
		if f.table != nil {
			table = f.table
		}
	}
	if table == nil {
		return ErrUnsupported
	}
	c1 := table.DecodeByte(c)
	if c1 == utf8.RuneError {
		return ErrMalformed
	}
	r.write(string(c1), modeRTF)
	return nil
}

func (r *rtf) symbol(c byte) error {
	if err := r.whole(); err != nil {
		return err
	}
	switch c {
	case '\\', '{', '}':
		r.write(string(rune(c)), modeRTF)
	case '~':
		r.write("\u00a0", modeRTF)
	case '_':
		r.atom("-", `\_`, modeRTF)
	case '-':
		r.atom("", `\-`, modeRTF)
	case '\r', '\n':
		r.raw(`\par` + "\n")
		r.sep("\n")
		r.notes()
	case '\t':
		r.raw(`\tab `)
		r.sep("\t")
	}
	return nil
}

func (r *rtf) word(t rtfToken, state *rtfState) error {
	switch t.word {
	case "ansicpg":
		table, wide := codePage(t.param)
		if wide {
			table = nil
		}
		r.ansi = table
	case "mac":
		r.ansi = charmap.Macintosh
	case "pc":
		r.ansi = charmap.CodePage437
	case "pca":
		r.ansi = charmap.CodePage850
	case "deff":
		r.deff = t.param
		state.font = t.param
	case "uc":
		state.skip = min(max(t.param, 0), 16)
	case "f":
		state.font = t.param
	case "plain":
		state.font = r.deff
	case "lang", "deflang":
		switch t.param & 0x3ff {
		case 0x07:
			r.speak("de")
		case 0x09:
			r.speak("en")
		}
	case "pict", "object", "objdata":
		return r.object(t.word)
	}
	if sign, ok := rtfSigns[t.word]; ok {
		r.write(sign, modeRTF)
		return nil
	}
	if sep, ok := rtfBreaks[t.word]; ok {
		r.raw(`\` + t.word + "\n")
		r.sep(sep)
		if t.word == "par" || t.word == "row" {
			r.notes()
		}
		return nil
	}
	if rtfLost[t.word] {
		return nil
	}
	r.raw(`\` + t.word)
	if t.has {
		r.raw(strconv.Itoa(t.param))
	}
	r.raw(" ")
	return nil
}

// notes reads what stands aside, after the paragraph that it belongs to.
func (r *rtf) notes() {
	aside := r.aside
	r.aside = nil
	for _, a := range aside {
		r.join(a)
		r.line()
	}
}

func (r *rtf) object(word string) error {
	if !r.strip {
		return ErrUnsupported
	}
	if word == "pict" {
		r.warn("picture-removed")
	} else {
		r.warn("object-removed")
	}
	return nil
}

// destination reads a group after its opening brace, by the word that it begins with.
func (r *rtf) destination(state rtfState, depth int) error {
	if depth > r.limits.Depth {
		return ErrTooLarge
	}
	mark := r.at
	t := r.next()
	optional := false
	if t.kind == rtfSymbol && t.char == '*' {
		optional = true
		t = r.next()
	}
	name := ""
	if t.kind == rtfWord {
		name = t.word
	}
	switch {
	case name == "fonttbl":
		return r.fontTable(depth)
	case name == "colortbl":
		return r.colorTable()
	case rtfAside[name]:
		return r.note(name, state, depth)
	case name == "shptxt":
		a := r.builder.aside()
		outer := r.aside
		saved := r.swap(a)
		r.aside = nil
		r.raw(`{\sp{\sn shapeType}{\sv 202}}{\shptxt `)
		err := r.group(state, depth)
		r.raw("}")
		r.notes()
		r.swap(saved)
		r.aside = append(outer, a)
		return err
	case name == "shp", name == "shpgrp":
		r.raw(`{\` + name + " ")
		err := r.group(state, depth)
		r.raw("}")
		return err
	case name == "shpinst":
		r.raw(`{\*\shpinst `)
		err := r.group(state, depth)
		r.raw("}")
		return err
	case rtfPlain[name]:
	case rtfDropped[name], optional:
		r.at = mark
		return r.drop(depth)
	default:
		r.at = mark
	}
	r.raw("{")
	err := r.group(state, depth)
	r.raw("}")
	return err
}

func (r *rtf) swap(b *builder) *builder {
	old := r.builder
	r.builder = b
	return old
}

func (r *rtf) note(name string, state rtfState, depth int) error {
	a := r.builder.aside()
	outer := r.aside
	saved := r.swap(a)
	r.aside = nil
	if name == "annotation" {
		r.raw(`{\*\annotation `)
	} else {
		r.raw(`{\` + name + " ")
	}
	err := r.group(state, depth)
	r.raw("}")
	r.notes()
	r.swap(saved)
	r.aside = append(outer, a)
	return err
}

// drop passes over a group. Pictures and objects in it are as much a loss as outside.
func (r *rtf) drop(depth int) error {
	level := 1
	for level > 0 {
		switch t := r.next(); t.kind {
		case rtfEOF:
			return ErrMalformed
		case rtfOpen:
			level++
			if depth+level > 4*r.limits.Depth {
				return ErrTooLarge
			}
		case rtfClose:
			level--
		case rtfWord:
			if t.word == "pict" || t.word == "object" {
				if err := r.object(t.word); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// fontTable reads which font has which code page, and writes the fonts under common names.
func (r *rtf) fontTable(depth int) error {
	r.raw(`{\fonttbl`)
	level, number, have := 1, 0, false
	family, charset, page := "nil", 0, 0
	flush := func() {
		if !have {
			return
		}
		table, wide := fontPage(charset, page)
		r.fonts[number] = rtfFont{table, wide}
		face := map[string]string{"roman": "Times New Roman", "swiss": "Arial", "modern": "Courier New"}[family]
		if face == "" {
			face = "Arial"
		}
		r.raw(`{\f` + strconv.Itoa(number) + `\f` + family + `\fcharset` + strconv.Itoa(charset) + " " + face + ";}")
		have, family, charset, page = false, "nil", 0, 0
	}
	for level > 0 {
		t := r.next()
		switch t.kind {
		case rtfEOF:
			return ErrMalformed
		case rtfOpen:
			level++
			if depth+level > r.limits.Depth {
				return ErrTooLarge
			}
		case rtfClose:
			level--
		case rtfWord:
			switch t.word {
			case "f":
				flush()
				number, have = t.param, true
			case "fnil", "froman", "fswiss", "fmodern", "fscript", "fdecor", "ftech", "fbidi":
				family = t.word[1:]
			case "fcharset":
				charset = t.param
			case "cpg":
				page = t.param
			}
		}
	}
	flush()
	r.raw("}\n")
	return nil
}

func (r *rtf) colorTable() error {
	r.raw(`{\colortbl`)
	for {
		t := r.next()
		switch t.kind {
		case rtfEOF:
			return ErrMalformed
		case rtfOpen:
			return ErrMalformed
		case rtfClose:
			r.raw("}\n")
			return nil
		case rtfByte:
			if t.char == ';' {
				r.raw(";")
			}
		case rtfWord:
			if t.has && (t.word == "red" || t.word == "green" || t.word == "blue") {
				r.raw(`\` + t.word + strconv.Itoa(t.param))
			}
		}
	}
}

func fontPage(charset, page int) (table *charmap.Charmap, wide bool) {
	if page != 0 {
		return codePage(page)
	}
	switch charset {
	case 77:
		return charmap.Macintosh, false
	case 128, 129, 130, 134, 136:
		return nil, true
	case 161:
		return charmap.Windows1253, false
	case 162:
		return charmap.Windows1254, false
	case 163:
		return charmap.Windows1258, false
	case 177:
		return charmap.Windows1255, false
	case 178:
		return charmap.Windows1256, false
	case 186:
		return charmap.Windows1257, false
	case 204:
		return charmap.Windows1251, false
	case 222:
		return charmap.Windows874, false
	case 238:
		return charmap.Windows1250, false
	case 255:
		return charmap.CodePage437, false
	case 0, 2:
		return charmap.Windows1252, false
	}
	return nil, false // that of the document
}

func codePage(n int) (table *charmap.Charmap, wide bool) {
	switch n {
	case 437:
		return charmap.CodePage437, false
	case 850:
		return charmap.CodePage850, false
	case 852:
		return charmap.CodePage852, false
	case 866:
		return charmap.CodePage866, false
	case 874:
		return charmap.Windows874, false
	case 1250:
		return charmap.Windows1250, false
	case 1251:
		return charmap.Windows1251, false
	case 1252, 0, 28591:
		return charmap.Windows1252, false
	case 1253:
		return charmap.Windows1253, false
	case 1254:
		return charmap.Windows1254, false
	case 1255:
		return charmap.Windows1255, false
	case 1256:
		return charmap.Windows1256, false
	case 1257:
		return charmap.Windows1257, false
	case 1258:
		return charmap.Windows1258, false
	case 10000:
		return charmap.Macintosh, false
	case 28605:
		return charmap.ISO8859_15, false
	}
	return nil, true
}
