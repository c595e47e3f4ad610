package attachment

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// node is an element, or a text when name is empty. Comments and processing instructions are not kept.
type node struct {
	name   string // as written, with its prefix
	local  string
	attrs  []attr // as written, with prefixes; namespace declarations too
	kids   []*node
	text   string
	parent *node
}

func (n *node) attr(name string) string {
	for _, a := range n.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

func (n *node) child(local string) *node {
	for _, k := range n.kids {
		if k.local == local {
			return k
		}
	}
	return nil
}

// content is all text below the node.
func (n *node) content() string {
	if n.name == "" {
		return n.text
	}
	var b strings.Builder
	n.gather(&b)
	return b.String()
}

func (n *node) gather(b *strings.Builder) {
	b.WriteString(n.text)
	for _, k := range n.kids {
		k.gather(b)
	}
}

// namespace gives what a prefix stands for at the node.
func (n *node) namespace(prefix string) string {
	want := "xmlns"
	if prefix != "" {
		want = "xmlns:" + prefix
	}
	for ; n != nil; n = n.parent {
		for _, a := range n.attrs {
			if a.name == want {
				return a.value
			}
		}
	}
	return ""
}

// space gives the namespace of the element itself.
func (n *node) space() string {
	prefix, _, found := strings.Cut(n.name, ":")
	if !found {
		prefix = ""
	}
	return n.namespace(prefix)
}

var xmlDeclared = regexp.MustCompile(`^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// xmlText decodes the bytes of an XML document.
func xmlText(data []byte, charset string) (string, error) {
	if charset == "" {
		if m := xmlDeclared.FindSubmatch(data[:min(len(data), 300)]); m != nil {
			charset = strings.ToLower(string(m[1]))
		}
	}
	return toUTF8(data, charset)
}

// parseXML reads a document strictly. Document types, and with them all entities but those of XML (and of HTML where
// html is set), are refused: the plain name of HTML alone may stand in one.
func parseXML(text string, l Limits, html bool) (*node, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	if html {
		d.Entity = xml.HTMLEntity
	}
	var root, at *node
	depth, count := 0, 0
	// Sections and comments part a text into many; it is one all the same.
	var pieces strings.Builder
	flush := func() {
		if pieces.Len() > 0 {
			at.kids = append(at.kids, &node{text: pieces.String(), parent: at})
			pieces.Reset()
		}
	}
	for {
		t, err := d.RawToken()
		if err != nil {
			if errors.Is(err, io.EOF) && root != nil && at == nil {
				return root, nil
			}
			return nil, ErrMalformed
		}
		switch t := t.(type) {
		case xml.StartElement:
			flush()
			if depth++; depth > l.Depth {
				return nil, ErrTooLarge
			}
			if count++; int64(count) > l.Expanded/128 {
				return nil, ErrTooLarge
			}
			n, err := newElement(t)
			if err != nil {
				return nil, err
			}
			n.parent = at
			switch {
			case at != nil:
				at.kids = append(at.kids, n)
			case root != nil:
				return nil, ErrMalformed
			default:
				root = n
			}
			at = n
		case xml.EndElement:
			if at == nil || at.name != qualified(t.Name) {
				return nil, ErrMalformed
			}
			flush()
			at = at.parent
			depth--
		case xml.CharData:
			if at == nil {
				if strings.TrimSpace(string(t)) != "" {
					return nil, ErrMalformed
				}
				continue
			}
			s := string(t)
			if strings.ContainsRune(s, utf8.RuneError) {
				return nil, ErrMalformed
			}
			pieces.WriteString(s)
		case xml.Directive:
			if !html || root != nil || strings.ContainsAny(string(t), "[<") || !strings.HasPrefix(strings.ToUpper(string(t)), "DOCTYPE") {
				return nil, ErrUnsupported
			}
		}
	}
}

func newElement(t xml.StartElement) (*node, error) {
	n := &node{name: qualified(t.Name), local: t.Name.Local}
	for _, a := range t.Attr {
		name := qualified(a.Name)
		for _, o := range n.attrs {
			if o.name == name {
				return nil, ErrMalformed
			}
		}
		if len(n.attrs) >= 256 || strings.ContainsRune(a.Value, utf8.RuneError) {
			return nil, ErrMalformed
		}
		n.attrs = append(n.attrs, attr{name, a.Value})
	}
	return n, nil
}

func qualified(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// quote writes an attribute.
func quote(name, value string) string {
	return " " + name + `="` + spellAll(value, modeAttr) + `"`
}

const xmlHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
