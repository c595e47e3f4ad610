package attachment

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// decodeJSON reads JSON by its leaves: a line for each member, "name: value", names read like values. Numbers are
// read too; a number that an edit changes into something else becomes a string.
func decodeJSON(s source) (*Document, error) {
	text, err := toUTF8(s.data, s.charset)
	if err != nil {
		return nil, err
	}
	b := newBuilder(s.limits)
	w := jsonWriter{builder: b, d: json.NewDecoder(strings.NewReader(text))}
	w.d.UseNumber()
	if err := w.value(0); err != nil {
		return nil, err
	}
	if _, err := w.d.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrMalformed
	}
	if bytes.ContainsRune(b.text, utf8.RuneError) {
		return nil, ErrMalformed // a lone surrogate
	}
	return b.document(single(s.media))
}

type jsonWriter struct {
	*builder
	d *json.Decoder
}

func (w *jsonWriter) value(depth int) error {
	t, err := w.d.Token()
	if err != nil {
		return ErrMalformed
	}
	if depth > w.limits.Depth {
		return ErrTooLarge
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return w.object(depth)
		}
		return w.array(depth)
	case string:
		w.leaf(t)
	case json.Number:
		w.atom(t.String(), t.String(), modeNumber)
		w.line()
	case bool:
		w.raw(map[bool]string{true: "true", false: "false"}[t])
	case nil:
		w.raw("null")
	}
	return nil
}

func (w *jsonWriter) object(depth int) error {
	w.raw("{")
	for first := true; w.d.More(); first = false {
		if !first {
			w.raw(",")
		}
		t, err := w.d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return ErrMalformed
		}
		w.line()
		w.raw(`"`)
		w.write(name, modeJSON)
		w.raw(`":`)
		if name != "" {
			w.sep(": ")
		}
		if err := w.value(depth + 1); err != nil {
			return err
		}
	}
	return w.close("}")
}

func (w *jsonWriter) array(depth int) error {
	w.raw("[")
	for first := true; w.d.More(); first = false {
		if !first {
			w.raw(",")
		}
		if err := w.value(depth + 1); err != nil {
			return err
		}
	}
	return w.close("]")
}

func (w *jsonWriter) close(sign string) error {
	if _, err := w.d.Token(); err != nil {
		return ErrMalformed
	}
	w.raw(sign)
	return nil
}

func (w *jsonWriter) leaf(s string) {
	w.raw(`"`)
	w.write(s, modeJSON)
	w.raw(`"`)
	w.line()
}
