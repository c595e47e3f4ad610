package attachment

import (
	"context"
	"strings"
)

// decodeXML reads XML: CDA as a document with header and sections, XHTML as such, anything else by its leaves.
func decodeXML(ctx context.Context, s source) (*Document, error) {
	text, err := xmlText(s.data, s.charset)
	if err != nil {
		return nil, err
	}
	root, err := parseXML(text, s.limits, strings.Contains(text[:min(len(text), 2000)], "<html"))
	if err != nil {
		return nil, err
	}
	switch root.local {
	case "ClinicalDocument":
		return decodeCDA(ctx, s, root)
	case "html":
		return xhtmlPage(root, s.limits)
	case "svg":
		return nil, ErrUnsupported
	}
	b := newBuilder(s.limits)
	w := xmlWriter{builder: b, attrs: b.aside()}
	b.raw(xmlHead)
	w.element(root, false)
	b.join(w.attrs)
	return b.document(single(s.media))
}

// xmlWriter reads XML of unknown vocabulary: a line for each leaf and attribute, "name: value". Elements among text
// are inline, so that a word that they break stays one.
type xmlWriter struct {
	*builder
	attrs *builder
}

func (w *xmlWriter) element(n *node, inline bool) {
	if !inline {
		w.line()
	}
	w.raw("<" + n.name)
	for _, a := range n.attrs {
		w.attribute(a, inline)
	}
	if len(n.kids) == 0 {
		w.raw("/>")
		return
	}
	w.raw(">")
	mixed := inline || n.mixed()
	if mixed && !inline {
		w.sep(n.local + ": ")
	}
	for _, k := range n.kids {
		switch {
		case k.name != "":
			w.element(k, mixed)
		case mixed:
			w.write(k.text, modeLeaf)
		default:
			w.raw(spellAll(k.text, modeLeaf))
		}
	}
	w.raw("</" + n.name + ">")
	if !inline {
		w.line()
	}
}

func (w *xmlWriter) attribute(a attr, inline bool) {
	switch {
	case a.name == "xml:lang":
		w.speak(a.value)
	case a.name == "xmlns" || strings.HasPrefix(a.name, "xmlns:"):
		w.raw(quote(a.name, a.value))
		return
	case strings.HasSuffix(a.name, "chemaLocation"):
		return
	}
	to := w.builder
	if inline {
		to = w.attrs
		to.part = w.part
	}
	w.raw(" " + a.name + `="`)
	if a.value != "" {
		to.line()
		to.sep(a.name + ": ")
		to.write(a.value, modeAttr)
		to.line()
	}
	w.raw(`"`)
}

// mixed says whether the element has text of its own.
func (n *node) mixed() bool {
	for _, k := range n.kids {
		if k.name == "" && strings.TrimSpace(k.text) != "" {
			return true
		}
	}
	return false
}
