package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// ErrSpan says that a detector broke its contract: its span lies outside the text or inside a rune. The document
// fails, because a misplaced span leaves PHI standing.
var ErrSpan = errors.New("detector returned a span that does not fit the text")

// ErrTooLong says that the text exceeds Pipeline.MaxBytes.
var ErrTooLong = errors.New("text exceeds the size limit")

// Defaults of the windows in which long texts are read. The margin is longer than any span, so that whatever a window
// cuts lies whole in its neighbour.
const (
	defaultWindow = 64 << 10
	defaultMargin = 4 << 10
)

// Pipeline runs detectors over texts. The zero value finds nothing; it is safe for concurrent use.
type Pipeline struct {
	Detectors []Detector
	MaxBytes  int // 0: no limit
	Window    int // bytes read at once; 0: 64 KiB
}

// Options are what one call of Detect may ask for.
type Options struct {
	Language phi.Language // declared language; empty: detected
	Lambda   *float64     // negative-class bias of the models, such as a policy's; nil: as they are set
	Extra    []Detector   // such as the patient's known identifiers
	Memory   *Memory      // of the request; what is found here is added to it; nil: of the document only
	NoMemory bool         // switch off document memory, for ablations
	Raw      bool         // leave overlaps unsettled, for ablations
}

// Detect finds the PHI of a text. The spans are disjoint, sorted, and lie on rune borders; the language is the declared
// one or what was detected, empty when the text is mixed or unclear. Invalid bytes are tolerated: offsets stay those
// of the text as given.
func (p *Pipeline) Detect(ctx context.Context, text string, o Options) ([]phi.Span, phi.Language, error) {
	if p.MaxBytes > 0 && len(text) > p.MaxBytes {
		return nil, "", ErrTooLong
	}
	view := readable(text)
	language := o.Language
	if language == "" {
		language = DetectLanguage(view)
	}
	detectors := p.Detectors
	if len(o.Extra) > 0 {
		detectors = slices.Concat(p.Detectors, o.Extra)
	}
	f := allFindings.Get().(*findings)
	defer f.release()
	for w := range windows(view, p.Window) {
		if err := p.detectWindow(ctx, detectors, view, w, Document{Language: language, Lambda: o.Lambda}, o.Raw, f); err != nil {
			return nil, language, err
		}
	}
	if o.Raw {
		found := slices.Clone(f.spans)
		slices.SortFunc(found, phi.Compare)
		return found, language, nil
	}
	return f.settle(view, o), language, nil
}

// findings are the raw findings in one text; their room is used for one text after the other.
type findings struct {
	spans, protected []phi.Span
	doc              Document // the window being read
}

var allFindings = sync.Pool{New: func() any { return new(findings) }}

// release forgets the findings and keeps the room, unless a long text made it large.
func (f *findings) release() {
	clear(f.spans)
	clear(f.protected)
	f.spans, f.protected, f.doc = f.spans[:0], f.protected[:0], Document{}
	if max(cap(f.spans), cap(f.protected)) > 1<<12 {
		*f = findings{}
	}
	allFindings.Put(f)
}

// settle applies protection and memory to raw findings and resolves them.
func (f *findings) settle(view string, o Options) []phi.Span {
	f.protected, f.spans = splitProtected(f.protected, f.spans)
	f.spans = protect(f.spans, f.protected)
	if !o.NoMemory {
		memory := memories.Get().(*Memory)
		defer memory.release()
		memory.Learn(view, f.spans)
		direct := len(f.spans)
		f.spans = memory.find(f.spans, view)
		if o.Memory != nil {
			f.spans = o.Memory.find(f.spans, view)
			o.Memory.Merge(memory)
		}
		f.spans = append(f.spans, initialsOfRows(view, f.spans)...)
		f.spans = f.spans[:direct+len(protect(f.spans[direct:], f.protected))]
	}
	return Resolve(view, f.spans)
}

// Recall settles the spans of a text again with what the memory has learnt since: the second reading of a request.
func Recall(text string, language phi.Language, spans []phi.Span, memory *Memory) []phi.Span {
	view := readable(text)
	return Resolve(view, append(slices.Clone(spans), memory.Find(view, language)...))
}

// detectWindow adds what the detectors find in a window.
func (p *Pipeline) detectWindow(ctx context.Context, detectors []Detector, view string, w window, about Document, raw bool, f *findings) error {
	f.doc = about
	doc := &f.doc
	doc.Text = view[w.start:w.end]
	first := len(f.spans)
	var possible []phi.Span
	witnessed := false
	for _, d := range detectors {
		if err := ctx.Err(); err != nil {
			return err
		}
		var spans []phi.Span
		var err error
		if witness, ok := d.(Witness); ok && !raw {
			var more []phi.Span
			if spans, more, err = witness.Testify(ctx, doc); err == nil {
				possible, witnessed = append(append(possible, more...), spans...), true
			}
		} else {
			spans, err = d.Detect(ctx, doc)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.Name(), err)
		}
		for _, s := range spans {
			if !fits(doc.Text, s) {
				return fmt.Errorf("%s: %w", d.Name(), ErrSpan)
			}
			if w.cuts(s, len(view)) {
				continue
			}
			f.spans = append(f.spans, s)
		}
	}
	found := f.spans[first:]
	if witnessed {
		found = contradict(doc.Text, found, possible)
		f.spans = f.spans[:first+len(found)]
	}
	for i := range found {
		found[i].Start += w.start
		found[i].End += w.start
	}
	return nil
}

// sure is the score from which a finding needs no witness.
const sure = 0.97

// contradict drops the findings that are not sure and that no stretch of possible touches, and of places, names and
// occupations the words at either end that none touches ("Versicherung" before the insurer's name), but for a name that is
// turned. What the patient's own resources, a site's dictionary or its templates say stands in any case, and so does protection.
func contradict(text string, found, possible []phi.Span) []phi.Span {
	slices.SortFunc(possible, phi.Compare)
	reach := 0
	ends := make([]int, len(possible)) // the furthest end up to here, since stretches may overlap
	for i, s := range possible {
		reach = max(reach, s.End)
		ends[i] = reach
	}
	kept := found[:0]
	for _, s := range found {
		if s.Score >= sure || s.Type == phi.Protected || !strings.HasPrefix(s.Source, "rules.") && !strings.HasPrefix(s.Source, "gazetteer.") {
			kept = append(kept, s)
			continue
		}
		after, _ := slices.BinarySearchFunc(possible, s.End, func(p phi.Span, end int) int { return cmp.Compare(p.Start, end) })
		if after == 0 || ends[after-1] <= s.Start {
			continue
		}
		if ofWords(s.Type) && !turned(text, s) {
			first, _ := slices.BinarySearch(ends[:after], s.Start+1)
			s.Start, s.End = max(s.Start, possible[first].Start), min(s.End, ends[after-1])
			s.Start = s.End - len(strings.TrimLeft(text[s.Start:s.End], " \t\n,;:"))
			if s.Start == s.End {
				continue
			}
		}
		kept = append(kept, s)
	}
	clear(found[len(kept):])
	return kept
}

// turned says whether a span is a known surname, a comma and a known first name: if one of them is PHI, so is the other.
func turned(text string, s phi.Span) bool {
	return s.Source == "gazetteer.name" && strings.Contains(text[s.Start:s.End], ", ")
}

// ofWords says whether a type consists of words, of which some may be too many.
func ofWords(t phi.Type) bool {
	switch t {
	case phi.LocationStreet, phi.LocationZIP:
		return false
	}
	switch t.Category() {
	case phi.CategoryName, phi.CategoryLocation, phi.CategoryProfession:
		return true
	}
	return false
}

func fits(text string, s phi.Span) bool {
	if s.Start < 0 || s.Start >= s.End || s.End > len(text) || s.Type == phi.NoType || s.Type > phi.Protected {
		return false
	}
	return utf8.RuneStart(text[s.Start]) && (s.End == len(text) || utf8.RuneStart(text[s.End]))
}

// window is a part of a long text, neighbours share two margins.
type window struct{ start, end int }

// cuts says whether the span touches a border of the window that is none of the text: the neighbour has it whole.
func (w window) cuts(s phi.Span, textLen int) bool {
	return s.Start == 0 && w.start > 0 || s.End == w.end-w.start && w.end < textLen
}

// windows cuts a text at line ends where there are any.
func windows(text string, size int) iter.Seq[window] {
	if size <= 0 {
		size = defaultWindow
	}
	return func(yield func(window) bool) {
		for start := 0; ; {
			if len(text)-start <= size+defaultMargin {
				yield(window{start, len(text)})
				return
			}
			end := cutAt(text, start+size)
			if !yield(window{start, end}) {
				return
			}
			next := cutAt(text, end-2*defaultMargin)
			if next <= start {
				next = end // a window of little more than its margins: go on without overlap rather than not at all
			}
			start = next
		}
	}
}

// cutAt gives a place near i, after a line end if one lies within half a margin, always on a rune border.
func cutAt(text string, i int) int {
	if n := strings.LastIndexByte(text[max(0, i-defaultMargin/2):i], '\n'); n >= 0 {
		return max(0, i-defaultMargin/2) + n + 1
	}
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// readable gives a view of the same length without NUL and invalid bytes, so that detectors, tokenizers and regular
// expressions all see the same offsets.
func readable(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == 0 || r == utf8.RuneError && n == 1 {
			b[i] = ' '
		}
		i += n
	}
	return string(b)
}
