package attachment

import (
	"regexp"
	"strconv"
	"strings"
)

// flow writes the content of HTML, XHTML and CDA narrative as a reader sees it: white space collapsed, inline markup
// without a trace, blocks on lines of their own, cells parted by tabs.
type flow struct {
	*builder
	mode    mode // modeFlow or modeXFlow
	xhtml   bool
	strict  bool     // a FHIR narrative, which takes fewer attributes
	attrs   *builder // attribute texts, read after all else
	pending pending
	spaceAt int // where the template holds the pending space
	began   bool
	cell    bool // the row has a cell
	fresh   bool // nothing read since the last block began
	pre     int
	ids     *idMap
}

type pending uint8

const (
	pendNone pending = iota
	pendSpace
	pendTab
	pendLine
)

func newFlow(b *builder, xhtml bool) *flow {
	f := &flow{builder: b, mode: modeFlow, xhtml: xhtml, attrs: b.aside(), ids: newIDMap()}
	if xhtml {
		f.mode = modeXFlow
	}
	return f
}

// chars writes a stretch of text. Control characters are no text.
func (f *flow) chars(s string) {
	if strings.ContainsFunc(s, control) {
		s = strings.Map(func(r rune) rune {
			if control(r) {
				return -1
			}
			return r
		}, s)
	}
	if f.pre > 0 {
		if s != "" {
			f.flush()
			f.write(s, modePre)
			if strings.HasSuffix(s, "\n") {
				f.pending = pendNone
			}
		}
		return
	}
	for s != "" {
		i := strings.IndexAny(s, " \t\n\r\f")
		switch {
		case i < 0:
			f.flush()
			f.write(s, f.mode)
			return
		case i > 0:
			f.flush()
			f.write(s[:i], f.mode)
		}
		s = strings.TrimLeft(s[i:], " \t\n\r\f")
		if f.pending == pendNone && f.began {
			f.pending, f.spaceAt = pendSpace, len(f.parts[f.part])
			f.raw(" ")
		}
	}
}

func control(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\f' && r != '\r' || r >= 0x7f && r < 0xA0
}

// flush writes what stands between the text before and the text that comes.
func (f *flow) flush() {
	switch {
	case !f.began:
	case f.pending == pendSpace:
		f.place(" ", f.spaceAt, 1, f.mode)
	case f.pending == pendTab:
		f.sep("\t")
	case f.pending == pendLine:
		f.sep("\n")
	}
	f.pending, f.began, f.fresh = pendNone, true, false
}

// block ends the line, once.
func (f *flow) block() {
	if f.pending != pendTab || !f.fresh {
		f.pending = pendLine
	}
}

// unwrapped ends the line where an element goes that stood on lines of its own.
func (f *flow) unwrapped() {
	if f.began && (f.pending == pendNone || f.pending == pendSpace) {
		f.raw(spell("\n", f.breaks()))
	}
	f.block()
}

// breaks is the mode in which a line end is an element.
func (f *flow) breaks() mode {
	if f.xhtml {
		return modeXFlow
	}
	return modeFlow
}

func (f *flow) row() { f.pending, f.cell = pendLine, false }

func (f *flow) startCell() {
	if f.cell {
		f.pending = pendTab
	} else {
		f.pending = pendLine
	}
	f.cell, f.fresh = true, true
}

// label shows an attribute's text, which stands in the template where it was, after the text.
func (f *flow) attribute(name, value string) {
	f.raw(" " + name + `="`)
	if value != "" {
		f.attrs.part = f.part
		f.attrs.line()
		f.attrs.write(value, modeAttr)
	}
	f.raw(`"`)
}

func (f *flow) end() { f.join(f.attrs) }

// idMap gives anchors neutral names, the same for the same anchor.
type idMap struct{ names map[string]string }

func newIDMap() *idMap { return &idMap{map[string]string{}} }

func (m *idMap) name(id string) string {
	n, ok := m.names[id]
	if !ok {
		n = "n" + strconv.Itoa(len(m.names)+1)
		m.names[id] = n
	}
	return n
}

// element says what becomes of an HTML element; what has no entry is left out and its content kept.
type element struct {
	block bool
	void  bool
	head  bool   // only in whole documents, not in a narrative
	attrs string // attributes kept beside the common ones, parted by spaces; text attributes are marked by +
}

var elements = map[string]element{
	"html": {block: true, head: true}, "head": {block: true, head: true}, "body": {block: true, head: true},
	"title": {block: true, head: true},
	"div":   {block: true}, "p": {block: true}, "h1": {block: true}, "h2": {block: true}, "h3": {block: true},
	"h4": {block: true}, "h5": {block: true}, "h6": {block: true}, "pre": {block: true}, "blockquote": {block: true},
	"ul": {block: true}, "ol": {block: true, attrs: "start type"}, "li": {block: true, attrs: "value"},
	"dl": {block: true}, "dt": {block: true}, "dd": {block: true}, "hr": {block: true, void: true}, "address": {block: true},
	"table":   {block: true, attrs: "border cellpadding cellspacing width +summary"},
	"caption": {block: true}, "thead": {block: true}, "tbody": {block: true}, "tfoot": {block: true}, "colgroup": {block: true, attrs: "span"},
	"col": {void: true, attrs: "span width"}, "tr": {block: true, attrs: "align valign"},
	"td": {attrs: "colspan rowspan align valign width +abbr"}, "th": {attrs: "colspan rowspan align valign width scope +abbr"},
	"section": {block: true, head: true}, "article": {block: true, head: true}, "header": {block: true, head: true},
	"footer": {block: true, head: true}, "main": {block: true, head: true}, "nav": {block: true, head: true},
	"aside": {block: true, head: true}, "figure": {block: true, head: true}, "figcaption": {block: true, head: true},
	"details": {block: true, head: true}, "summary": {block: true, head: true}, "center": {block: true, head: true},
	"br": {void: true}, "b": {}, "i": {}, "u": {head: true}, "s": {head: true}, "em": {}, "strong": {}, "small": {}, "big": {}, "sub": {}, "sup": {},
	"tt": {}, "code": {}, "samp": {}, "kbd": {}, "var": {}, "cite": {}, "dfn": {}, "abbr": {}, "acronym": {}, "q": {},
	"span": {}, "a": {}, "bdo": {}, "mark": {head: true}, "ins": {head: true}, "del": {head: true}, "strike": {head: true},
	"time": {head: true}, "font": {head: true, attrs: "size color"},
}

// dropped elements go with all that is in them: what they hold is program, not text.
var dropped = map[string]bool{
	"script": true, "style": true, "meta": true, "link": true, "base": true, "param": true, "source": true, "track": true,
	"object": false, "iframe": false,
}

// lineBefore lists elements that are left out as such but part lines like blocks.
var lineBefore = map[string]bool{
	"form": true, "fieldset": true, "legend": true, "select": true, "option": true, "optgroup": true, "textarea": true,
	"button": true, "noscript": true, "iframe": true, "object": true, "frameset": true, "noframes": true, "dir": true,
	"menu": true, "template": true, "dialog": true, "search": true, "hgroup": true, "marquee": true, "plaintext": true,
	"listing": true, "xmp": true, "text": true, "section": true, "article": true, "header": true, "footer": true,
	"main": true, "nav": true, "aside": true, "figure": true, "figcaption": true, "details": true, "summary": true, "center": true,
	"title": true, "head": true, "body": true, "html": true,
}

// attr is an attribute as its document gives it.
type attr struct{ name, value string }

var harmless = regexp.MustCompile(`^[A-Za-z]{0,12}$|^[0-9]{1,5}(?:\.[0-9]+)?(?:%|px|pt|em)?$|^#[0-9A-Fa-f]{3,6}$`)

// readable attributes hold text for people.
var readable = map[string]bool{
	"title": true, "alt": true, "placeholder": true, "aria-label": true, "aria-description": true, "label": true,
}

// start writes a start tag if it may stay; it says whether the content is to be read, and whether an end tag is due.
func (f *flow) start(name string, attrs []attr, whole bool) (read, tag bool) {
	if dropped[name] {
		return false, false
	}
	if name == "img" || name == "area" || name == "input" {
		f.replaced(name, attrs)
		return false, false
	}
	e, ok := elements[name]
	if !ok || e.head && !whole {
		if lineBefore[name] {
			f.unwrapped()
		}
		f.loose(attrs)
		return true, false
	}
	switch {
	case name == "td" || name == "th":
		f.startCell()
	case name == "tr":
		f.row()
	case name == "br" && f.pre == 0:
		f.pending = pendLine
	case name == "br":
		f.flush()
		f.pending = pendLine
	case e.block:
		f.block()
	}
	f.raw("<" + name)
	if f.xhtml && (name == "html") {
		f.raw(` xmlns="http://www.w3.org/1999/xhtml"`)
	}
	f.keep(name, e, attrs)
	if e.void {
		if f.xhtml {
			f.raw("/")
		}
		f.raw(">")
		if e.block {
			f.block()
		}
		return false, false
	}
	f.raw(">")
	if name == "pre" {
		f.pre++
	}
	return true, true
}

func (f *flow) finishTag(name string, tag bool) {
	if tag {
		f.raw("</" + name + ">")
	}
	switch e := elements[name]; {
	case name == "tr":
		f.row()
	case e.block && tag:
		f.block()
	case lineBefore[name]:
		f.unwrapped()
	}
	if name == "pre" && tag {
		f.pre--
	}
}

// keep writes the attributes that may stay.
func (f *flow) keep(name string, e element, attrs []attr) {
	seen := map[string]bool{}
	for _, a := range attrs {
		if seen[a.name] {
			continue
		}
		seen[a.name] = true
		switch {
		case a.name == "lang" || a.name == "xml:lang":
			f.speak(a.value)
			if len(a.value) <= 5 && harmlessLang.MatchString(a.value) {
				f.raw(" " + a.name + `="` + a.value + `"`)
			}
		case a.name == "dir" && (a.value == "ltr" || a.value == "rtl"):
			f.raw(` dir="` + a.value + `"`)
		case a.name == "id":
			f.raw(` id="` + f.ids.name(a.value) + `"`)
		case name == "a" && a.name == "href" && len(a.value) > 1 && a.value[0] == '#':
			f.raw(` href="#` + f.ids.name(a.value[1:]) + `"`)
		case a.name == "style":
			if s := safeStyle(a.value); s != "" {
				f.raw(` style="` + s + `"`)
			}
		case a.name == "title":
			f.attribute("title", a.value)
		case hasWord(e.attrs, "+"+a.name):
			f.attribute(a.name, a.value)
		case readable[a.name]:
			f.hidden(a.value)
		case f.strict && (name == "ol" || name == "li"):
		case hasWord(e.attrs, a.name) && harmless.MatchString(a.value):
			f.raw(" " + a.name + `="` + a.value + `"`)
		}
	}
}

var harmlessLang = regexp.MustCompile(`^[A-Za-z]{2,3}(?:-[A-Za-z]{2})?$`)

func hasWord(list, word string) bool {
	for rest := list; rest != ""; {
		w, more, _ := strings.Cut(rest, " ")
		if w == word {
			return true
		}
		rest = more
	}
	return false
}

// loose reads the text attributes of an element that is left out.
func (f *flow) loose(attrs []attr) {
	for _, a := range attrs {
		if a.name == "lang" {
			f.speak(a.value)
		}
		if readable[a.name] || a.name == "value" {
			f.hidden(a.value)
		}
	}
}

// hidden keeps an attribute's text as text where its attribute cannot stay.
func (f *flow) hidden(value string) {
	if strings.TrimSpace(value) == "" {
		return
	}
	// In front of the body there is no place for text.
	f.warn("attribute-removed")
}

// replaced writes the text of a picture or a form field in its place.
func (f *flow) replaced(name string, attrs []attr) {
	if name == "img" {
		f.warn("picture-removed")
	}
	for _, a := range attrs {
		if a.name == "alt" || a.name == "title" || a.name == "value" || a.name == "placeholder" {
			if strings.TrimSpace(a.value) != "" {
				f.raw("<span>")
				f.chars(" " + a.value + " ")
				f.raw("</span>")
			}
		}
	}
}

var (
	styleProps = map[string]bool{
		"text-align": true, "font-weight": true, "font-style": true, "text-decoration": true, "width": true, "color": true,
		"background-color": true, "vertical-align": true, "padding": true, "margin": true, "margin-left": true,
		"border": true, "border-collapse": true, "white-space": true, "text-indent": true, "font-size": true,
	}
	styleValue = regexp.MustCompile(`^(?:#[0-9A-Fa-f]{3,6}|[0-9]{1,5}(?:\.[0-9]{1,4})?(?:px|pt|em|%|cm|mm)?|left|right|center|justify|top|middle|bottom|baseline|bold|bolder|normal|italic|underline|line-through|none|solid|dashed|collapse|black|white|red|blue|green|gray|grey|nowrap|small|large|medium| )*$`)
)

// safeStyle keeps the declarations that can hold no text.
func safeStyle(s string) string {
	var kept []string
	for _, d := range strings.Split(s, ";") {
		p, v, _ := strings.Cut(d, ":")
		p, v = strings.ToLower(strings.TrimSpace(p)), strings.ToLower(strings.TrimSpace(v))
		if styleProps[p] && v != "" && styleValue.MatchString(v) {
			kept = append(kept, p+":"+v)
		}
	}
	return strings.Join(kept, ";")
}
