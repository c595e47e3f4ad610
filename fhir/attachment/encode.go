package attachment

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// Encode writes the document with the edits, whose offsets count bytes of Text, and gives its bytes and content
// type. Edits must not overlap; an edit over a border of the structure (paragraph, cell, name part) leaves the
// border, and spreads its text over both sides when it holds the border's own sign. Without edits the text stays.
func (d *Document) Encode(edits []phi.Edit) (data []byte, contentType string, err error) {
	edits, err = d.check(edits)
	if err != nil {
		return nil, "", err
	}
	ops, err := d.operations(edits)
	if err != nil {
		return nil, "", err
	}
	splices, err := d.splices(ops)
	if err != nil {
		return nil, "", err
	}
	return d.finish(assemble(d.parts, splices))
}

func (d *Document) check(edits []phi.Edit) ([]phi.Edit, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b phi.Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	last := 0
	for i, e := range edits {
		switch {
		case e.Start < last, e.End < e.Start, e.End > len(d.text),
			!border(d.text, e.Start), !border(d.text, e.End), !utf8.ValidString(e.New):
			return nil, fmt.Errorf("%w: number %d", ErrEdit, i)
		}
		last = e.End
	}
	return edits, nil
}

func border(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// op replaces a stretch of the text inside one run.
type op struct {
	run        int
	start, end int
	text       string
}

// operations breaks edits down to runs.
func (d *Document) operations(edits []phi.Edit) ([]op, error) {
	var ops []op
	for _, e := range edits {
		first := sort.Search(len(d.runs), func(i int) bool { return d.runs[i].end() > e.Start })
		rest, target, last := e.New, -1, -1
		settle := func(sep string) {
			if target < 0 {
				rest = strings.TrimPrefix(rest, sep)
				return
			}
			head, tail, found := strings.Cut(rest, sep)
			if !found {
				head, tail = rest, ""
			}
			ops[target].text, rest, last, target = head, tail, target, -1
		}
		// What the text leaves out beside an edit goes with it: half a divided word needs no hyphen.
		from := first
		for e.Start < e.End && from > 0 && d.runs[from-1].n == 0 {
			from--
		}
		for k := from; k < len(d.runs) && int(d.runs[k].text) <= e.End; k++ {
			r := d.runs[k]
			start, end := max(int(r.text), e.Start), min(r.end(), e.End)
			switch {
			case r.n == 0:
				if e.Start < e.End && r.mode != modeEmbed {
					ops = append(ops, op{run: k, start: int(r.text), end: int(r.text)})
				}
			case start >= end:
				if int(r.text) >= e.End {
					k = len(d.runs)
				}
			case r.mode == modeSep:
				settle(d.text[start:end])
			default:
				ops = append(ops, op{run: k, start: start, end: end})
				if target < 0 {
					target = len(ops) - 1
				}
			}
		}
		if target < 0 {
			target = last
		}
		switch {
		case rest == "":
		case target >= 0:
			ops[target].text += rest
		default:
			o, err := d.beside(first, e.Start, rest)
			if err != nil {
				return nil, err
			}
			ops = append(ops, o)
		}
	}
	if len(d.children) > 0 {
		// Documents within are written anew in any case.
		for k, r := range d.runs {
			if r.mode == modeEmbed {
				ops = append(ops, op{run: k, start: r.end(), end: r.end()})
			}
		}
	}
	slices.SortStableFunc(ops, func(a, b op) int {
		return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.start, b.start))
	})
	return ops, nil
}

// beside finds the place for text that no real byte of the text makes room for: the end of the run before, or the
// start of the run after.
func (d *Document) beside(k, at int, text string) (op, error) {
	if k < len(d.runs) && d.runs[k].mode != modeSep && int(d.runs[k].text) < at {
		return op{run: k, start: at, end: at, text: text}, nil
	}
	for i := k - 1; i >= 0; i-- {
		if r := d.runs[i]; r.mode != modeSep && r.n > 0 {
			return op{run: i, start: r.end(), end: r.end(), text: text}, nil
		}
	}
	for i := k; i < len(d.runs); i++ {
		if r := d.runs[i]; r.mode != modeSep && r.n > 0 {
			return op{run: i, start: int(r.text), end: int(r.text), text: text}, nil
		}
	}
	return op{}, ErrEdit
}

// splice replaces bytes of a template part.
type splice struct {
	part, start, end int
	bytes            string
}

func (d *Document) splices(ops []op) ([]splice, error) {
	splices := make([]splice, 0, len(ops))
	for i := 0; i < len(ops); {
		k := i + 1
		for k < len(ops) && ops[k].run == ops[i].run {
			k++
		}
		r := d.runs[ops[i].run]
		switch {
		case r.n == 0 && r.mode != modeEmbed:
			splices = append(splices, splice{int(r.part), int(r.src), int(r.src + r.m), ""})
		case r.verbatim:
			for _, o := range ops[i:k] {
				from := int(r.src) + o.start - int(r.text)
				splices = append(splices, splice{int(r.part), from, from + o.end - o.start, spellAll(o.text, r.mode)})
			}
		case r.mode == modeEmbed:
			encoded, err := d.nested(r, ops[i:k])
			if err != nil {
				return nil, err
			}
			splices = append(splices, splice{int(r.part), int(r.src), int(r.src + r.m), encoded})
		default:
			content := d.content(r, ops[i:k])
			old := string(d.parts[r.part][r.src : r.src+r.m])
			splices = append(splices, splice{int(r.part), int(r.src), int(r.src + r.m), spellAtom(content, old, r.mode)})
		}
		i = k
	}
	slices.SortStableFunc(splices, func(a, b splice) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.start, b.start))
	})
	return splices, nil
}

// content gives the text of a run after the operations on it.
func (d *Document) content(r run, ops []op) string {
	var b strings.Builder
	at := int(r.text)
	for _, o := range ops {
		b.WriteString(d.text[at:o.start])
		b.WriteString(o.text)
		at = o.end
	}
	b.WriteString(d.text[at:r.end()])
	return b.String()
}

func (d *Document) nested(r run, ops []op) (string, error) {
	var edits []phi.Edit
	for _, o := range ops {
		if o.start < o.end || o.text != "" {
			edits = append(edits, phi.Edit{Start: o.start - int(r.text), End: o.end - int(r.text), New: o.text})
		}
	}
	data, _, err := d.children[r.child].Encode(edits)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(data), nil
}

func assemble(parts [][]byte, splices []splice) [][]byte {
	out := make([][]byte, len(parts))
	k := 0
	for p, src := range parts {
		var b bytes.Buffer
		b.Grow(len(src))
		at := 0
		for ; k < len(splices) && splices[k].part == p; k++ {
			b.Write(src[at:splices[k].start])
			b.WriteString(splices[k].bytes)
			at = splices[k].end
		}
		b.Write(src[at:])
		out[p] = b.Bytes()
	}
	return out
}
