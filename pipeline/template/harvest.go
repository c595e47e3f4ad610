package template

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
)

// class is the syntax of a word in a template.
type class byte

const (
	literal class = 0
	letters class = 'W' // letters only
	digits  class = 'N' // digits only
	mixture class = 'A' // both
)

// piece is a word, a sign or a blank of a sentence.
type piece struct {
	start, end int    // in the sentence
	text       string // folded; a blank of any length is " "
	class      class  // of a word; literal for signs and blanks
}

// pieces cuts a sentence.
func pieces(s string) []piece { return cut(s, make([]piece, 0, len(s)/3+1), len(s)) }

// cut appends the first pieces of a sentence, at most limit, to list.
func cut(s string, list []piece, limit int) []piece {
	for i := 0; i < len(s) && limit > 0; limit-- {
		r, size := utf8.DecodeRuneInString(s[i:])
		start := i
		i += size
		switch {
		case unicode.IsSpace(r):
			for i < len(s) {
				r, size := utf8.DecodeRuneInString(s[i:])
				if !unicode.IsSpace(r) {
					break
				}
				i += size
			}
			list = append(list, piece{start: start, end: i, text: " "})
			continue
		case !isWord(r):
			if key := fold.Key(s[start:i]); key != "" {
				list = append(list, piece{start: start, end: i, text: key})
			}
			continue
		}
		var kind class
		for i = start; i < len(s); i += size {
			if r, size = utf8.DecodeRuneInString(s[i:]); !isWord(r) {
				break
			}
			switch c := classOf(r); {
			case c == literal || c == kind:
			case kind == literal:
				kind = c
			default:
				kind = mixture
			}
		}
		list = append(list, piece{start: start, end: i, text: fold.Key(s[start:i]), class: cmp.Or(kind, letters)})
	}
	return list
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || r == '\u00AD'
}

func classOf(r rune) class {
	switch {
	case unicode.IsDigit(r):
		return digits
	case unicode.IsLetter(r):
		return letters
	}
	return literal
}

// Slot is a place of a template. A literal slot has a text, others a class and the type of what stands there.
type slot struct {
	text   string
	class  class
	kind   phi.Type
	inside bool // goes on with the finding of the slot before
}

// Template is a sentence with the places where it holds PHI.
type Template struct {
	slots []slot
	// Count says how often the corpus had the sentence with everything detected; Differing with how many different
	// fillings; Missed how often it had it with something undetected, which is what the template is for, or, when
	// it is often, a sign that the places may hold other things too.
	Count, Differing, Missed int
}

// Options say which templates are kept.
type Options struct {
	MinCount    int // sentences that a template must have; 0: 3
	MinFillings int // different fillings among them; 0: 2
	MinLiterals int // words that stand fixed; 0: 2
}

func (o Options) withDefaults() Options {
	o.MinCount, o.MinFillings, o.MinLiterals = cmp.Or(o.MinCount, 3), cmp.Or(o.MinFillings, 2), cmp.Or(o.MinLiterals, 2)
	return o
}

// Harvest reads a corpus twice with a pipeline: first it gathers templates, then it counts how often they match
// sentences in which nothing was detected. A syntax template is kept if all its sentences have one NER template.
// It does not keep any finding; what stands fixed in a template was detected as nothing in MinCount sentences, and
// is to be reviewed all the same.
func Harvest(ctx context.Context, p *pipeline.Pipeline, texts iter.Seq[string], o Options) (*Set, error) {
	h := NewHarvester(o)
	each := func(add func(string, []phi.Span)) error {
		for text := range texts {
			spans, _, err := p.Detect(ctx, text, pipeline.Options{})
			if err != nil {
				return err
			}
			add(text, spans)
		}
		return nil
	}
	if err := each(h.Add); err != nil {
		return nil, err
	}
	h.Settle()
	if err := each(h.Check); err != nil {
		return nil, err
	}
	return h.Set(), nil
}

// Harvester gathers templates: Add each text, Settle, Check each text again, Set. It is not safe for concurrent use.
type Harvester struct {
	options Options
	seen    map[string]*candidate // by syntax template
	set     *Set
}

type candidate struct {
	template Template
	ner      string
	split    bool // another NER template was seen
	fillings map[uint64]struct{}
}

// NewHarvester makes an empty harvester.
func NewHarvester(o Options) *Harvester {
	return &Harvester{options: o.withDefaults(), seen: map[string]*candidate{}}
}

// maxFillings bounds what is remembered of one template.
const maxFillings = 1000

// Add takes the sentences of a text in; spans are what was found in it, sorted and disjoint.
func (h *Harvester) Add(text string, spans []phi.Span) {
	for start, end := range Sentences(text) {
		if end-start > maxSentence {
			continue
		}
		slots, filling, ok := shape(text[start:end], start, spans)
		if !ok {
			continue
		}
		key, ner := syntax(slots), tags(slots)
		c := h.seen[key]
		if c == nil {
			c = &candidate{template: Template{slots: slots}, ner: ner, fillings: map[uint64]struct{}{}}
			h.seen[key] = c
		}
		c.split = c.split || c.ner != ner
		c.template.Count++
		if len(c.fillings) < maxFillings {
			c.fillings[filling] = struct{}{}
		}
	}
}

// shape makes the template of a sentence that begins at base; ok is false where nothing was found in it.
func shape(sentence string, base int, spans []phi.Span) (slots []slot, filling uint64, ok bool) {
	at, _ := slices.BinarySearchFunc(spans, base, func(s phi.Span, base int) int { return cmp.Compare(s.End, base+1) })
	filling = 14695981039346656037
	last := -1
	for _, p := range pieces(sentence) {
		for at < len(spans) && spans[at].End <= base+p.start {
			at++
		}
		if p.class == literal || at == len(spans) || spans[at].Start >= base+p.end {
			slots = append(slots, slot{text: p.text})
			continue
		}
		slots = append(slots, slot{class: p.class, kind: spans[at].Type, inside: last == at})
		last, ok = at, true
		for i := range len(p.text) {
			filling = (filling ^ uint64(p.text[i])) * 1099511628211
		}
	}
	return slots, filling, ok
}

func syntax(slots []slot) string {
	var b strings.Builder
	for _, s := range slots {
		if s.class == literal {
			b.WriteString(s.text)
		} else {
			b.WriteByte(0)
			b.WriteByte(byte(s.class))
		}
		b.WriteByte(1)
	}
	return b.String()
}

func tags(slots []slot) string {
	var b strings.Builder
	for _, s := range slots {
		if s.class != literal {
			fmt.Fprintf(&b, "%t %s ", s.inside, s.kind)
		}
	}
	return b.String()
}

// Settle ends the gathering: what is kept from here on is fixed.
func (h *Harvester) Settle() {
	var kept []Template
	for _, key := range slices.Sorted(maps.Keys(h.seen)) {
		c := h.seen[key]
		t := c.template
		t.Differing = len(c.fillings)
		if !c.split && t.Count >= h.options.MinCount && t.Differing >= h.options.MinFillings && t.literals() >= h.options.MinLiterals {
			kept = append(kept, t)
		}
	}
	h.set = newSet(kept)
}

// literals counts the words that stand fixed.
func (t Template) literals() int {
	n := 0
	for _, s := range t.slots {
		if r, _ := utf8.DecodeRuneInString(s.text); s.class == literal && unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// Check counts sentences that a kept template matches though something in it was not detected.
func (h *Harvester) Check(text string, spans []phi.Span) {
	for start, end := range Sentences(text) {
		if end-start > maxSentence {
			continue
		}
		sentence := text[start:end]
		list := pieces(sentence)
		for _, n := range h.set.match(list) {
			t := &h.set.templates[n]
			for i, s := range t.slots {
				p := list[i]
				covered := func(f phi.Span) bool { return f.Start < start+p.end && start+p.start < f.End }
				if s.class != literal && !slices.ContainsFunc(spans, covered) {
					t.Missed++
					break
				}
			}
		}
	}
}

// Set gives the templates that are worth keeping: those that miss more often than they agree are dropped.
func (h *Harvester) Set() *Set {
	if h.set == nil {
		h.Settle()
	}
	kept := slices.DeleteFunc(slices.Clone(h.set.templates), func(t Template) bool { return t.Missed > t.Count })
	slices.SortStableFunc(kept, func(a, b Template) int { return cmp.Compare(b.Count, a.Count) })
	return newSet(kept)
}

// templateFile is the form of the YAML file.
type templateFile struct {
	Version   int            `yaml:"version"`
	Templates []templateLine `yaml:"templates"`
}

type templateLine struct {
	Match    string `yaml:"match"`
	Count    int    `yaml:"count"`
	Fillings int    `yaml:"fillings"`
	Missed   int    `yaml:"missed"`
}

// Write writes the templates as YAML for review: "signed by: {W NAME_STAFF}, {W +} on {N DATE}/{N +}/{N +}", where
// W stands for letters, N for digits, A for both, and + goes on with the finding before.
func (s *Set) Write(w io.Writer) error {
	file := templateFile{Version: 1}
	for _, t := range s.templates {
		file.Templates = append(file.Templates, templateLine{t.String(), t.Count, t.Differing, t.Missed})
	}
	if _, err := io.WriteString(w, "# Harvested templates. Review before use: the fixed words must not hold PHI, and the places must always hold it.\n"); err != nil {
		return err
	}
	return yaml.NewEncoder(w).Encode(file)
}

// String writes the template as the file has it.
func (t Template) String() string {
	var b strings.Builder
	for _, s := range t.slots {
		switch {
		case s.class == literal:
			b.WriteString(strings.ReplaceAll(s.text, "{", "{{"))
		case s.inside:
			fmt.Fprintf(&b, "{%c +}", s.class)
		default:
			fmt.Fprintf(&b, "{%c %s}", s.class, s.kind)
		}
	}
	return b.String()
}

// Load reads templates as Write writes them.
func Load(r io.Reader) (*Set, error) {
	var file templateFile
	if err := decode(r, &file); err != nil {
		return nil, fmt.Errorf("templates: %w", err)
	}
	if file.Version != 1 {
		return nil, fmt.Errorf("templates: version: %w", ErrFormat)
	}
	var list []Template
	for i, line := range file.Templates {
		slots, err := parse(line.Match)
		if err != nil {
			return nil, fmt.Errorf("template %d: %w", i+1, err)
		}
		list = append(list, Template{slots, line.Count, line.Fillings, line.Missed})
	}
	return newSet(list), nil
}

func parse(match string) ([]slot, error) {
	var slots []slot
	places := false
	fixed := func(s string) {
		for _, p := range pieces(s) {
			slots = append(slots, slot{text: p.text})
		}
	}
	var plain strings.Builder
	for i := 0; i < len(match); {
		switch {
		case strings.HasPrefix(match[i:], "{{"):
			plain.WriteByte('{')
			i += 2
		case match[i] == '{':
			end := strings.IndexByte(match[i:], '}')
			if end < 4 || match[i+2] != ' ' || !strings.Contains("WNA", match[i+1:i+2]) {
				return nil, ErrFormat
			}
			fixed(plain.String())
			plain.Reset()
			s := slot{class: class(match[i+1])}
			if label := match[i+3 : i+end]; label == "+" {
				if s.inside = true; !places {
					return nil, ErrFormat
				}
			} else if kind, ok := phi.ParseType(label); ok {
				s.kind = kind
			} else {
				return nil, ErrFormat
			}
			slots = append(slots, s)
			places = true
			i += end + 1
		default:
			plain.WriteByte(match[i])
			i++
		}
	}
	fixed(plain.String())
	if !places {
		return nil, ErrFormat
	}
	t := Template{slots: slots}
	if t.literals() == 0 {
		return nil, ErrFormat // would match whatever there is
	}
	return slots, nil
}
