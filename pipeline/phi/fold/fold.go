// Package fold makes the view of a text in which spellings of one name are one string, and maps what is found
// there back to the bytes of the text.
//
// Folded are: compatibility forms (NFKC), case, ß and ss, umlauts and ae oe ue, other accents, soft hyphens,
// zero-width and direction marks, the kinds of apostrophe, hyphen and space, and those Cyrillic and Greek letters
// that look like Latin ones. Line breaks, digits and all other characters stay.
package fold

import (
	"slices"
	"unicode/utf8"
	"unsafe"
)

// Folded is the folded view of a text.
type Folded struct {
	Text   string // always valid UTF-8
	source string
	runs   []run // empty: offsets are the same in both
}

// run says where the folded bytes from fold on come from. In a run that is no block every rune is as long as its
// folded form, so offsets differ by a constant; a block is one source rune of another length than its folded form.
type run struct {
	fold, source int
	block        bool
}

// Fold makes the folded view. Time and memory are linear; text may hold broken UTF-8, of which every stray byte
// becomes U+FFFD.
func Fold(text string) Folded {
	if folded, ok := ascii(text); ok {
		return Folded{Text: folded, source: text}
	}
	w := writer{buf: make([]byte, 0, len(text)+len(text)/16+8), mapped: true}
	w.write(text)
	return Folded{Text: w.text(), source: text, runs: w.runs}
}

// Buffer folds one text after the other in the same room.
type Buffer struct {
	text []byte
	runs []run
}

// Fold is as the function Fold; the view is valid until the next call.
func (b *Buffer) Fold(text string) Folded {
	if cap(b.text) < len(text)+len(text)/16+8 {
		b.text = make([]byte, 0, len(text)+len(text)/8+8)
	}
	b.text = b.text[:0]
	if plainASCII(text) {
		b.text = b.text[:len(text)]
		foldASCII(b.text, text)
		return Folded{Text: unsafe.String(unsafe.SliceData(b.text), len(b.text)), source: text}
	}
	w := writer{buf: b.text, runs: b.runs[:0], mapped: true}
	w.write(text)
	b.text, b.runs = w.buf, w.runs
	return Folded{Text: w.text(), source: text, runs: w.runs}
}

func plainASCII(text string) bool { return asciiEnd(text) == len(text) }

// asciiEnd gives the length of the ASCII that text begins with, looking at eight bytes at a time.
func asciiEnd(text string) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if eightBytes(text, i)&highBits != 0 {
			break
		}
	}
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// foldASCII writes the folded form of text, which is ASCII, to dst, which is as long.
func foldASCII(dst []byte, text string) {
	dst = dst[:len(text)]
	for i := range dst {
		dst[i] = plainTable[text[i]&(utf8.RuneSelf-1)]
	}
}

// Key gives the folded text alone: two spellings of one name have the same key.
func Key(s string) string {
	if folded, ok := ascii(s); ok {
		return folded
	}
	w := writer{buf: make([]byte, 0, len(s)+8)}
	w.write(s)
	return w.text()
}

// Source gives the source bytes, half open, that the folded bytes start to end stand for. The range lies on rune
// borders: a rune of which a part is asked for is given whole, with the accents that follow it. Offsets outside
// the text are moved to its borders; an empty range stays empty.
func (f Folded) Source(start, end int) (int, int) {
	start = min(max(start, 0), len(f.Text))
	end = min(max(end, start), len(f.Text))
	from := f.start(start)
	if start == end {
		return from, from
	}
	return from, f.end(end)
}

// Cursor maps ranges that come in order of place, faster than Source does.
type Cursor struct {
	f Folded
	n int // the run that the last range began in
}

// Level says whether each rune is as long as its folded form, so that offsets are the same in both.
func (f Folded) Level() bool { return len(f.runs) == 0 && len(f.Text) == len(f.source) }

// Cursor gives a cursor at the text's begin.
func (f Folded) Cursor() Cursor { return Cursor{f: f} }

// Source answers as Folded.Source does; start must not lie before the start of an earlier call.
func (c *Cursor) Source(start, end int) (int, int) {
	runs := c.f.runs
	for c.n+1 < len(runs) && runs[c.n+1].fold <= start {
		c.n++
	}
	if start < end && end <= len(c.f.Text) && c.plain(end) {
		shift := 0
		if len(runs) > 0 {
			shift = runs[c.n].source - runs[c.n].fold
		}
		from, to := start+shift, end+shift
		for from > 0 && !utf8.RuneStart(c.f.source[from]) {
			from--
		}
		for to < len(c.f.source) && !utf8.RuneStart(c.f.source[to]) {
			to++
		}
		return from, to
	}
	return c.f.Source(start, end)
}

// plain says whether a range that ends at end lies in one run with nothing left out behind it.
func (c *Cursor) plain(end int) bool {
	runs := c.f.runs
	switch {
	case len(runs) == 0:
		return len(c.f.Text) == len(c.f.source)
	case runs[c.n].block:
		return false
	case c.n+1 < len(runs):
		return end < runs[c.n+1].fold
	}
	return end < len(c.f.Text) || end+runs[c.n].source-runs[c.n].fold == len(c.f.source)
}

// start gives the source offset of the rune that the folded byte at i belongs to.
func (f Folded) start(i int) int {
	if i == len(f.Text) {
		return len(f.source)
	}
	r := f.run(i)
	if r.block {
		return r.source
	}
	at := r.source + i - r.fold
	for at > 0 && !utf8.RuneStart(f.source[at]) {
		at--
	}
	return at
}

// end gives the source offset behind the rune that the folded byte before i belongs to, accents included.
func (f Folded) end(i int) int {
	r := f.run(i - 1)
	at := r.source
	if !r.block {
		at += i - 1 - r.fold
		for at > 0 && !utf8.RuneStart(f.source[at]) {
			at--
		}
	}
	_, size := utf8.DecodeRuneInString(f.source[at:])
	at += size
	limit := len(f.source)
	if i < len(f.Text) {
		limit = f.start(i)
	}
	for at < limit {
		c, size := utf8.DecodeRuneInString(f.source[at:limit])
		if !mark(c) {
			break
		}
		at += size
	}
	return at
}

// run finds the run that holds the folded byte at i.
func (f Folded) run(i int) run {
	if len(f.runs) == 0 {
		return run{}
	}
	n, found := slices.BinarySearchFunc(f.runs, i, func(r run, i int) int { return r.fold - i })
	if !found {
		n--
	}
	return f.runs[n]
}

// ascii folds a text that is ASCII throughout; ok is false for any other.
func ascii(text string) (folded string, ok bool) {
	changed := false
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf {
			return "", false
		}
		changed = changed || plainTable[c] != c
	}
	if !changed {
		return text, true
	}
	buf := make([]byte, len(text))
	for i := range len(text) {
		buf[i] = plainTable[text[i]]
	}
	return unsafe.String(&buf[0], len(buf)), true
}

func lower(c byte) byte {
	if c-'A' < 26 {
		c += 'a' - 'A'
	}
	return c
}
