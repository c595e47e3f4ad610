package fold

import (
	"slices"
	"unicode/utf8"
	"unsafe"
)

// writer folds rune by rune. A diaeresis is known as an umlaut only when the vowel stands before it, whether the
// two came as one rune or as several, so the writer remembers the vowel.
type writer struct {
	buf    []byte
	runs   []run
	mapped bool
	vowel  bool // the last letter written is a, o or u and only accents came since
	level  bool // the last rune was as long as its folded form: the run goes on
}

func (w *writer) write(text string) {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i += w.ascii(text[i:], i)
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		before := len(w.buf)
		w.rune(r)
		w.trackFrom(before, i, size)
		i += size
	}
}

// ascii writes the ASCII that text begins with and gives its length; source is where it stands.
func (w *writer) ascii(text string, source int) int {
	if w.mapped {
		w.note(len(w.buf), source, 1, 1)
	}
	n, from := asciiEnd(text), len(w.buf)
	w.buf = slices.Grow(w.buf, n)[:from+n]
	foldASCII(w.buf[from:], text[:n])
	c := w.buf[len(w.buf)-1]
	w.vowel = c == 'a' || c == 'o' || c == 'u'
	return n
}

// rune writes the folded form of one rune that is not ASCII.
func (w *writer) rune(r rune) {
	if r == diaeresis || r == smallE {
		if w.vowel {
			w.buf = append(w.buf, 'e')
			w.vowel = false
		}
		return
	}
	form, ok := lookup(r)
	if !ok {
		if !w.decompose(r) {
			w.buf = utf8.AppendRune(w.buf, r)
			w.vowel = false
		}
		return
	}
	if form == "" {
		return
	}
	w.buf = append(w.buf, form...)
	w.vowel = form == "a" || form == "o" || form == "u"
}

// trackFrom notes where a rune of n bytes at source went: all that was written since the folded offset fold.
func (w *writer) trackFrom(fold, source, n int) {
	if w.mapped {
		w.note(fold, source, n, len(w.buf)-fold)
	}
}

func (w *writer) note(fold, source, n, written int) {
	switch {
	case written == 0:
		w.level = false
	case written != n:
		w.level = false
		w.runs = append(w.runs, run{fold, source, true})
	case !w.level:
		w.level = true
		if len(w.runs) > 0 || fold != source {
			w.runs = append(w.runs, run{fold, source, false})
		}
	}
	// The first run is implied only as long as no other follows it.
	if len(w.runs) == 1 && w.runs[0].fold > 0 {
		w.runs = append(w.runs[:0], run{}, w.runs[0])
	}
}

// text gives the buffer away as a string.
func (w *writer) text() string {
	if len(w.buf) == 0 {
		return ""
	}
	return unsafe.String(&w.buf[0], len(w.buf))
}
