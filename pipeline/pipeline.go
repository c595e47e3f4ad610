package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
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
	var found []phi.Span
	for w := range windows(view, p.Window) {
		spans, err := p.detectWindow(ctx, detectors, view, w, Document{Language: language, Lambda: o.Lambda}, o.Raw)
		if err != nil {
			return nil, language, err
		}
		if found == nil {
			found = spans
			continue
		}
		found = append(found, spans...)
	}
	if o.Raw {
		slices.SortFunc(found, phi.Compare)
		return found, language, nil
	}
	return p.settle(view, language, found, o), language, nil
}

// settle applies protection and memory to raw findings and resolves them.
func (p *Pipeline) settle(view string, language phi.Language, found []phi.Span, o Options) []phi.Span {
	protected, found := splitProtected(found)
	found = protect(found, protected)
	if !o.NoMemory {
		memory := memories.Get().(*Memory)
		defer memory.release()
		memory.Learn(view, found)
		recalled := memory.Find(view, language)
		if o.Memory != nil {
			recalled = append(recalled, o.Memory.Find(view, language)...)
			o.Memory.Merge(memory)
		}
		found = append(found, protect(recalled, protected)...)
	}
	return Resolve(view, found)
}

// Recall settles the spans of a text again with what the memory has learnt since: the second reading of a request.
func Recall(text string, language phi.Language, spans []phi.Span, memory *Memory) []phi.Span {
	view := readable(text)
	return Resolve(view, append(slices.Clone(spans), memory.Find(view, language)...))
}

func (p *Pipeline) detectWindow(ctx context.Context, detectors []Detector, view string, w window, about Document, raw bool) ([]phi.Span, error) {
	about.Text = view[w.start:w.end]
	doc := &about
	found := make([]phi.Span, 0, 16+len(doc.Text)/64) // letters hold one a line or so
	var possible []phi.Span
	witnessed := false
	for _, d := range detectors {
		if err := ctx.Err(); err != nil {
			return nil, err
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
			return nil, fmt.Errorf("%s: %w", d.Name(), err)
		}
		for _, s := range spans {
			if !fits(doc.Text, s) {
				return nil, fmt.Errorf("%s: %w", d.Name(), ErrSpan)
			}
			if w.cuts(s, len(view)) {
				continue
			}
			found = append(found, s)
		}
	}
	if witnessed {
		found = contradict(found, possible)
	}
	for i := range found {
		found[i].Start += w.start
		found[i].End += w.start
	}
	return found, nil
}

// sure is the score from which a finding needs no witness.
const sure = 0.9

// contradict drops the findings that are not sure and that no stretch of possible touches. What the patient's own
// resources, a site's dictionary or its templates say stands in any case, and so does protection.
func contradict(found, possible []phi.Span) []phi.Span {
	slices.SortFunc(possible, phi.Compare)
	reach := 0
	ends := make([]int, len(possible)) // the furthest end up to here, since stretches may overlap
	for i, s := range possible {
		reach = max(reach, s.End)
		ends[i] = reach
	}
	return slices.DeleteFunc(found, func(s phi.Span) bool {
		if s.Score >= sure || s.Type == phi.Protected || !strings.HasPrefix(s.Source, "rules.") && !strings.HasPrefix(s.Source, "gazetteer.") {
			return false
		}
		after, _ := slices.BinarySearchFunc(possible, s.End, func(p phi.Span, end int) int { return cmp.Compare(p.Start, end) })
		return after == 0 || ends[after-1] <= s.Start
	})
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
