package attachment

import (
	"context"
	"strings"
)

// decodeXHTML reads a whole XHTML document; what is not well-formed is read as HTML.
func decodeXHTML(s source) (*Document, error) {
	text, err := xmlText(s.data, s.charset)
	if err != nil {
		return nil, err
	}
	root, err := parseXML(text, s.limits, true)
	if err != nil {
		return nil, err
	}
	if root.local == "div" {
		return narrative(root, s.limits)
	}
	return xhtmlPage(root, s.limits)
}

func xhtmlPage(root *node, l Limits) (*Document, error) {
	if root.local != "html" {
		return nil, ErrUnsupported
	}
	b := newBuilder(l)
	f := newFlow(b, true)
	b.raw(xmlHead)
	if err := f.tree(root, true); err != nil {
		return nil, err
	}
	f.end()
	return b.document(single("application/xhtml+xml; charset=utf-8"))
}

// Narrative reads the XHTML of a FHIR narrative: one div. What the FHIR specification does not allow in it, and
// comments, pictures and links that leave the document, are left out. Encode gives the div back, well-formed.
func Narrative(ctx context.Context, div string, l Limits) (*Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l = l.withDefaults()
	if int64(len(div)) > l.Bytes {
		return nil, ErrTooLarge
	}
	text, err := toUTF8([]byte(div), "utf-8")
	if err != nil {
		return nil, err
	}
	root, err := parseXML(text, l, true)
	if err != nil {
		return nil, err
	}
	if root.local != "div" {
		return nil, ErrMalformed
	}
	return narrative(root, l)
}

func narrative(root *node, l Limits) (*Document, error) {
	b := newBuilder(l)
	f := newFlow(b, true)
	f.strict = true
	b.raw(`<div xmlns="http://www.w3.org/1999/xhtml"`)
	f.keep("div", elements["div"], withoutXMLNS(root.attrs))
	b.raw(">")
	for _, k := range root.kids {
		if err := f.tree(k, false); err != nil {
			return nil, err
		}
	}
	b.raw("</div>")
	f.end()
	return b.document(func(parts [][]byte) ([]byte, string, error) {
		return []byte(inhabited(string(parts[0]))), "application/xhtml+xml; charset=utf-8", nil
	})
}

func withoutXMLNS(attrs []attr) []attr {
	kept := make([]attr, 0, len(attrs))
	for _, a := range attrs {
		if a.name != "xmlns" && !strings.HasPrefix(a.name, "xmlns:") {
			kept = append(kept, a)
		}
	}
	return kept
}

// inhabited sees to it that a narrative is not empty, which FHIR forbids.
func inhabited(div string) string {
	inTag := false
	for i := 0; i < len(div); i++ {
		switch c := div[i]; {
		case c == '<':
			inTag = true
		case c == '>':
			inTag = false
		case !inTag && c > ' ':
			return div
		}
	}
	return strings.TrimSuffix(div, "</div>") + "-</div>"
}

// tree writes a tree of XHTML.
func (f *flow) tree(n *node, whole bool) error {
	if n.name == "" {
		f.chars(n.text)
		return nil
	}
	name := strings.ToLower(n.local)
	read, tag := f.start(name, withoutXMLNS(n.attrs), whole)
	if !read {
		return nil
	}
	title := name == "title" && whole
	if title {
		f.mode = modePre
	}
	for _, k := range n.kids {
		if err := f.tree(k, whole); err != nil {
			return err
		}
	}
	if title {
		f.mode = modeXFlow
	}
	f.finishTag(name, tag)
	return nil
}
