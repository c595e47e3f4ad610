package surrogate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/date"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// Role says whose name it is. Patients and relatives are keyed by patient, staff by project: one doctor of two patients
// is one surrogate.
type Role uint8

// The roles.
const (
	Patient Role = iota
	Relative
	Staff
)

// Person is somebody whose name is known from the FHIR resources, so that variants and misspellings of it in the text
// get the surrogate of the name itself.
type Person struct {
	Key    string // entity key, as spans carry it
	Role   Role
	Gender byte // 'f', 'm' or 0
	Given  []string
	Family []string
}

// Config says for whom and how surrogates are made.
type Config struct {
	Master    []byte
	Context   string // project
	Patient   string // canonical id of the patient
	Shift     ShiftRange
	Locale    string // de, at, ch or en; empty: by the language of the text
	Lang      phi.Language
	Known     []Person
	Forbidden []string // known identifiers of the request: no surrogate equals one
	// Actions gives the action of a type; nil: surrogate for all.
	Actions func(phi.Type) phi.Action
	// Redacted writes tags as XXX-Name instead of Name_Patient.
	Redacted bool
}

// Generator makes the surrogates of one patient in one project. It is safe for concurrent use.
type Generator struct {
	c         Config
	own       Key // patient, relatives, ids, contacts
	shared    Key // staff, organisations, places
	days      int
	letters   [26]byte // which letter a name's first letter becomes, one map a scope
	sharedMap [26]byte
	forbidden map[string]bool
	avoided   map[string]bool    // folded words of the texts at hand
	people    map[string]*person // by entity key
	tokens    map[string]*person // by folded token of a known name
}

// New makes a generator.
func New(c Config) *Generator {
	g := &Generator{
		c:      c,
		own:    Derive(c.Master, c.Context, "surrogate/patient/"+lists.Version),
		shared: Derive(c.Master, c.Context, "surrogate/shared/"+lists.Version),
		days:   DateShift(Derive(c.Master, c.Context, "date-shift"), c.Patient, c.Shift),
	}
	g.letters = letterMap(g.own, c.Patient)
	g.sharedMap = letterMap(g.shared, "")
	g.forbidden = map[string]bool{}
	for _, f := range c.Forbidden {
		g.forbidden[fold.Key(f)] = true
		for w := range pipeline.Words(f) {
			if key := fold.Key(f[w.Start:w.End]); len(key) > 2 {
				g.forbidden[key] = true
			}
		}
	}
	g.learn(c.Known)
	return g
}

// Days is the patient's shift. It must never be part of an answer or a log.
func (g *Generator) Days() int { return g.days }

// Avoid keeps the capitalised words of the texts out of the names that are drawn, so that no surrogate is mistaken for
// somebody who is spoken of. It must be called before the first surrogate is made, with all texts of the request at
// once: a name that occurs in a text gets another stand-in than it has in requests without that text.
func (g *Generator) Avoid(texts ...string) {
	g.avoided = map[string]bool{}
	for _, text := range texts {
		for w := range pipeline.Words(text) {
			if r, _ := utf8.DecodeRuneInString(text[w.Start:w.End]); unicode.IsUpper(r) && w.End-w.Start <= 40 {
				g.avoided[fold.Key(text[w.Start:w.End])] = true
			}
		}
	}
}

func (g *Generator) action(t phi.Type) phi.Action {
	if g.c.Actions == nil {
		return phi.Surrogate
	}
	return g.c.Actions(t)
}

func (g *Generator) language(doc *pipeline.Document) phi.Language {
	switch {
	case doc != nil && doc.Language != "":
		return doc.Language
	case g.c.Lang != "":
		return g.c.Lang
	case g.c.Locale == "en":
		return phi.English
	case g.c.Locale != "":
		return phi.German
	}
	return ""
}

func (g *Generator) locale(lang phi.Language) string {
	switch {
	case g.c.Locale != "":
		return g.c.Locale
	case lang == phi.German:
		return "de"
	}
	return "en"
}

// country is the one whose places and streets are used.
func (g *Generator) country(lang phi.Language) string {
	if l := g.locale(lang); l != "en" {
		return l
	}
	return "us"
}

// Replace gives the stand-in for a span, as the policy's action for its type has it. What cannot be replaced in kind
// becomes a tag, never the original. It implements pipeline.Replacer.
func (g *Generator) Replace(doc *pipeline.Document, s phi.Span) (string, error) {
	surface := doc.Text[s.Start:s.End]
	lang := g.language(doc)
	switch g.action(s.Type) {
	case phi.Keep:
		return surface, nil
	case phi.Tag:
		return g.tag(s.Type), nil
	case phi.Redact:
		return "XXX-" + word(s.Type.Category().String()), nil
	case phi.Mask:
		return mask(surface), nil
	case phi.ToCategory:
		return s.Type.Category().String(), nil
	case phi.Generalise:
		return g.generalise(s.Type, surface, lang), nil
	case phi.Shift, phi.Surrogate, phi.Pseudonymise:
		return g.stand(doc, s, surface, lang), nil
	}
	return "", nil // remove
}

// stand gives the surrogate of a surface by its type.
func (g *Generator) stand(doc *pipeline.Document, s phi.Span, surface string, lang phi.Language) string {
	out := ""
	switch s.Type.Category() {
	case phi.CategoryName:
		if s.Type == phi.NameUsername {
			out = g.username(surface, lang)
		} else {
			out = g.name(doc, s, surface, lang)
		}
	case phi.CategoryDate:
		return g.date(s, surface, lang)
	case phi.CategoryAge:
		return age(surface, lang)
	case phi.CategoryLocation:
		out = g.place(s.Type, surface, lang)
	case phi.CategoryContact:
		out = g.contact(s.Type, surface, lang)
	case phi.CategoryID:
		out = g.Identifier(surface)
	case phi.CategoryProfession:
		out = g.profession(doc, s, surface, lang)
	}
	if out == "" || sameText(out, surface) {
		return g.tag(s.Type)
	}
	return out
}

// date shifts a date of a text. The span's interval, where it has one, says what the expression lacks: year, month, the
// order of its numbers.
func (g *Generator) date(s phi.Span, surface string, lang phi.Language) string {
	layout, ok := date.Parse(strings.TrimSpace(surface), lang)
	var shifted string
	switch {
	case ok && s.Interval != nil:
		shifted, ok = layout.At(*s.Interval).Shift(g.days)
	case ok:
		shifted, ok = layout.Shift(g.days)
	case s.Interval != nil:
		shifted, ok = date.ShiftNumber(surface, lang, *s.Interval, g.days)
	}
	if !ok {
		return g.tag(s.Type)
	}
	return shifted
}

// Date shifts a FHIR date, dateTime or instant by the patient's offset; precision, time and time zone stay.
func (g *Generator) Date(value string) (string, error) { return date.ShiftFHIR(value, g.days) }

// generalise makes a value coarser: dates to the year, ages of 90 and more to 90+, ZIP codes to three digits, places and
// what has no coarser form to its category's tag.
func (g *Generator) generalise(t phi.Type, surface string, lang phi.Language) string {
	switch t.Category() {
	case phi.CategoryDate:
		if layout, ok := date.Parse(surface, lang); ok {
			if year, ok := layout.Generalise(); ok {
				return year
			}
		}
	case phi.CategoryAge:
		return age(surface, lang)
	}
	if t == phi.LocationZIP {
		return shortZIP(surface)
	}
	return g.tag(t)
}

// tag gives the placeholder of a type: Name_Patient, or XXX-Name.
func (g *Generator) tag(t phi.Type) string {
	category := word(t.Category().String())
	if g.c.Redacted {
		return "XXX-" + category
	}
	label := t.String()
	if i := strings.IndexByte(label, '_'); i >= 0 {
		return category + "_" + word(label[i+1:])
	}
	return category
}

// word writes a label as a word: NAME as Name.
func word(label string) string {
	if len(label) <= 2 {
		return label
	}
	return label[:1] + strings.ToLower(label[1:])
}

func sameText(a, b string) bool { return fold.Key(a) == fold.Key(b) }
