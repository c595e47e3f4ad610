package attachment

import (
	"bytes"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

var metaCharset = regexp.MustCompile(`(?i)<meta[^>]{0,200}?charset\s*=\s*["']?\s*([a-z0-9_:.-]{1,40})`)

// decodeHTML reads HTML as browsers do, with all its errors.
func decodeHTML(s source) (*Document, error) {
	declared := s.charset
	if declared == "" {
		if m := metaCharset.FindSubmatch(s.data[:min(len(s.data), 2048)]); m != nil {
			declared = strings.ToLower(string(m[1]))
		}
	}
	text, err := toUTF8(s.data, declared)
	if err != nil {
		return nil, err
	}
	root, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, ErrTooLarge
	}
	b := newBuilder(s.limits)
	f := newFlow(b, false)
	b.raw("<!DOCTYPE html>\n")
	if err := f.page(root, 0); err != nil {
		return nil, err
	}
	f.end()
	if bytes.ContainsRune(b.text, '\uFFFD') {
		return nil, ErrMalformed
	}
	return b.document(single("text/html; charset=utf-8"))
}

// page writes a parsed page.
func (f *flow) page(n *html.Node, depth int) error {
	if depth > f.limits.Depth+12 {
		return ErrTooLarge
	}
	switch n.Type {
	case html.TextNode:
		f.chars(n.Data)
		return nil
	case html.DocumentNode:
		return f.children(n, depth)
	case html.ElementNode:
	default: // comments and document types are not copied
		return nil
	}
	if n.Namespace != "" {
		f.unwrapped()
		return f.children(n, depth)
	}
	attrs := make([]attr, 0, len(n.Attr))
	for _, a := range n.Attr {
		if a.Namespace == "" {
			attrs = append(attrs, attr{a.Key, a.Val})
		}
	}
	read, tag := f.start(n.Data, attrs, true)
	if !read {
		return nil
	}
	if n.Data == "head" {
		f.raw(`<meta charset="utf-8">`)
	}
	if n.Data == "pre" && n.FirstChild != nil && n.FirstChild.Type == html.TextNode && strings.HasPrefix(n.FirstChild.Data, "\n") {
		f.raw("\n") // a parser drops the first line end
	}
	if n.Data == "title" {
		f.mode = modePre
		defer func() { f.mode = modeFlow }()
	}
	if err := f.children(n, depth); err != nil {
		return err
	}
	f.finishTag(n.Data, tag)
	return nil
}

func (f *flow) children(n *html.Node, depth int) error {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if err := f.page(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}
