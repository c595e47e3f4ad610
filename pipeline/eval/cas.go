package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// noKind is the label of a mark whose maker forgot to choose one; what it stands on is ignored.
const noKind = "NO_KIND"

// cas collects what a UIMA CAS holds, from XMI or JSON. Its offsets count UTF-16 units.
type cas struct {
	text  string
	found bool
	marks []casMark
}

type casMark struct {
	label      string
	start, end int
}

// readXMI reads the XMI form. Marks are elements named PHI, or NamedEntity, with begin and end.
func readXMI(name string, labels *table) ([]Document, error) {
	data, err := load(name)
	if err != nil {
		return nil, err
	}
	decoder := xml.NewDecoder(bytes.NewReader(data))
	var c cas
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: not well formed near byte %d", ErrCorpus, decoder.InputOffset())
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		features := map[string]string{}
		for _, a := range start.Attr {
			features[a.Name.Local] = a.Value
		}
		if err := c.add(start.Name.Local, features); err != nil {
			return nil, err
		}
	}
	return c.documents(name, labels)
}

// readCASJSON reads both JSON forms of UIMA: feature structures in a list or a map, or grouped by view and type.
func readCASJSON(name string, labels *table) ([]Document, error) {
	data, err := load(name)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var root any
	if err := decoder.Decode(&root); err != nil {
		return nil, fmt.Errorf("%w: not well formed", ErrCorpus)
	}
	var c cas
	if err := c.walk("", root); err != nil {
		return nil, err
	}
	return c.documents(name, labels)
}

// walk visits all objects; key is the name under which a value stands, in the older form the type.
func (c *cas) walk(key string, value any) error {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if err := c.walk(key, item); err != nil {
				return err
			}
		}
	case map[string]any:
		features := map[string]string{}
		for name, f := range v {
			switch f := f.(type) {
			case string:
				features[name] = f
			case json.Number:
				features[name] = f.String()
			}
		}
		kind := key
		for _, name := range []string{"_type", "%TYPE"} {
			if t, ok := features[name]; ok {
				kind = t
			}
		}
		if err := c.add(kind, features); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if name == "%TYPES" {
				continue
			}
			if err := c.walk(name, v[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// add takes one feature structure.
func (c *cas) add(kind string, features map[string]string) error {
	if text, ok := features["sofaString"]; ok && !c.found {
		c.text, c.found = text, true
		return nil
	}
	kind = kind[strings.LastIndexAny(kind, ".:")+1:]
	if !strings.EqualFold(kind, "PHI") && kind != "NamedEntity" {
		return nil
	}
	if features["begin"] == "" && features["end"] == "" {
		return nil // a declaration, not a mark
	}
	start, err := strconv.Atoi(cmp.Or(features["begin"], "0"))
	if err != nil {
		return fmt.Errorf("%w: a mark without a place", ErrCorpus)
	}
	end, err := strconv.Atoi(features["end"])
	if err != nil {
		return fmt.Errorf("%w: a mark without a place", ErrCorpus)
	}
	label := noKind
	for _, name := range []string{"kind", "Kind", "value", "label", "entity"} {
		if l := features[name]; l != "" {
			label = l
			break
		}
	}
	c.marks = append(c.marks, casMark{label, start, end})
	return nil
}

func (c *cas) documents(name string, labels *table) ([]Document, error) {
	if !c.found {
		return nil, fmt.Errorf("%w: no text (sofaString)", ErrCorpus)
	}
	id := filepath.Base(strings.TrimSuffix(name, ".gz"))
	doc := Document{ID: strings.TrimSuffix(id, filepath.Ext(id)), Source: "cas", Text: c.text}
	at := utf16Units(c.text)
	for _, m := range c.marks {
		if m.start < 0 || m.start > m.end || m.end >= len(at) {
			return nil, fmt.Errorf("%w: a mark lies outside of the text", ErrCorpus)
		}
		if m.label == noKind {
			doc.Ignore = append(doc.Ignore, Range{at[m.start], at[m.end]})
			continue
		}
		if err := doc.mark(labels, m.label, at[m.start], at[m.end]); err != nil {
			return nil, err
		}
	}
	return []Document{doc}, nil
}

// utf16Units gives the byte offset of each UTF-16 unit, and of the end. The second unit of a pair gets the offset
// of the first.
func utf16Units(text string) []int {
	at := make([]int, 0, utf8.RuneCountInString(text)+1)
	for i, r := range text {
		at = append(at, i)
		if r > 0xFFFF {
			at = append(at, i)
		}
	}
	return append(at, len(text))
}
