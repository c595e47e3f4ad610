package eval

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// readI2B2 reads a file of the 2014 task (one note, marks beside the text) or of the 2006 task (many records, marks
// in the text).
func readI2B2(name string, labels *table) ([]Document, error) {
	data, err := load(name)
	if err != nil {
		return nil, err
	}
	id := strings.TrimSuffix(filepath.Base(strings.TrimSuffix(name, ".gz")), ".xml")
	p := i2b2{decoder: xml.NewDecoder(bytes.NewReader(data)), labels: labels, file: id}
	if err := p.read(); err != nil {
		return nil, err
	}
	if len(p.docs) == 0 {
		return nil, fmt.Errorf("%w: no TEXT element", ErrCorpus)
	}
	return p.docs, nil
}

type i2b2 struct {
	decoder *xml.Decoder
	labels  *table
	file    string
	record  string
	docs    []Document
}

func (p *i2b2) read() error {
	for {
		token, err := p.decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: not well formed near byte %d", ErrCorpus, p.decoder.InputOffset())
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "RECORD":
			p.record = attr(start, "ID")
		case "TEXT":
			err = p.text()
		case "TAGS":
			err = p.tags()
		}
		if err != nil {
			return err
		}
	}
}

// text reads up to the end of TEXT; PHI elements inside are the marks of the 2006 task.
func (p *i2b2) text() error {
	doc := Document{ID: cmp.Or(p.record, p.file), Source: "i2b2", Language: "en"}
	var text strings.Builder
	open, label := -1, ""
	for {
		token, err := p.decoder.Token()
		if err != nil {
			return fmt.Errorf("%w: TEXT does not end", ErrCorpus)
		}
		switch t := token.(type) {
		case xml.CharData:
			text.Write(t)
		case xml.StartElement:
			if open >= 0 {
				return fmt.Errorf("%w: marks inside of marks", ErrCorpus)
			}
			if t.Name.Local == "PHI" {
				open, label = text.Len(), attr(t, "TYPE")
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "PHI":
				doc.Text = text.String()
				if err := doc.mark(p.labels, label, open, text.Len()); err != nil {
					return err
				}
				open = -1
			case "TEXT":
				doc.Text = text.String()
				p.docs = append(p.docs, doc)
				return nil
			}
		}
	}
}

// tags reads the stand-off marks of the 2014 task, which count code points.
func (p *i2b2) tags() error {
	if len(p.docs) == 0 {
		return fmt.Errorf("%w: TAGS before TEXT", ErrCorpus)
	}
	doc := &p.docs[len(p.docs)-1]
	at := codePoints(doc.Text)
	for {
		token, err := p.decoder.Token()
		if err != nil {
			return fmt.Errorf("%w: TAGS does not end", ErrCorpus)
		}
		switch t := token.(type) {
		case xml.EndElement:
			if t.Name.Local == "TAGS" {
				return nil
			}
		case xml.StartElement:
			if attr(t, "start") == "" {
				continue
			}
			start, err1 := strconv.Atoi(attr(t, "start"))
			end, err2 := strconv.Atoi(attr(t, "end"))
			if err1 != nil || err2 != nil || start < 0 || start > end || end >= len(at) {
				return fmt.Errorf("%w: mark %s lies outside of the text", ErrCorpus, attr(t, "id"))
			}
			if surface := attr(t, "text"); surface != "" && flat(surface) != flat(doc.Text[at[start]:at[end]]) {
				return fmt.Errorf("%w: mark %s does not fit its text", ErrCorpus, attr(t, "id"))
			}
			if err := doc.mark(p.labels, cmp.Or(attr(t, "TYPE"), t.Name.Local), at[start], at[end]); err != nil {
				return err
			}
		}
	}
}

// flat makes white space in attributes, which XML turns into spaces, comparable.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
