package gazetteer

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// Entry is one term of a user's dictionary.
type Entry struct {
	Text string
	Type phi.Type // phi.Protected: the term must stay
}

// Dictionary is a user's list of terms. It does not change once made.
type Dictionary struct {
	phrases *trie
	entries []userEntry
}

type userEntry struct {
	kind    phi.Type
	capital bool // only where it is written with a capital: it is an everyday word too
}

// maxEntries and maxEntryBytes bound what a dictionary may hold.
const (
	maxEntries    = 1 << 20
	maxEntryBytes = 400
)

// Errors of dictionaries. They come wrapped with the number of the line, never with what it holds.
var (
	ErrNoText   = errors.New("no term")
	ErrNoLabel  = errors.New("no label")
	ErrLabel    = errors.New("unknown label")
	ErrTooLong  = errors.New("term too long")
	ErrEncoding = errors.New("not UTF-8")
	ErrTooMany  = errors.New("too many terms")
	ErrShape    = errors.New("not a list of terms")
)

// NewDictionary makes a dictionary. A term matches in whatever spelling folds to its own, whole words only; an
// everyday word that is entered with a capital matches only with a capital. Later entries win.
func NewDictionary(entries []Entry) (*Dictionary, error) {
	d := &Dictionary{phrases: newTrie()}
	at := map[string]uint32{}
	for i, e := range entries {
		if err := check(e); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		key := strings.Join(collect(wordsOf(fold.Key(e.Text))), " ")
		r, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(e.Text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
		entry := userEntry{e.Type, unicode.IsUpper(r) && lists.Lookup(key).Common("") > 0}
		if n, ok := at[key]; ok {
			d.entries[n-1] = entry
			continue
		}
		d.entries = append(d.entries, entry)
		at[key] = uint32(len(d.entries))
		d.phrases.add(key, at[key])
	}
	return d, nil
}

func collect(words func(func(string) bool)) []string {
	var list []string
	for w := range words {
		list = append(list, w)
	}
	return list
}

func check(e Entry) error {
	switch {
	case !utf8.ValidString(e.Text):
		return ErrEncoding
	case len(e.Text) > maxEntryBytes:
		return ErrTooLong
	case len(collect(wordsOf(fold.Key(e.Text)))) == 0:
		return ErrNoText
	case e.Type == phi.NoType || e.Type > phi.Protected:
		return ErrLabel
	}
	return nil
}

// LoadUser reads a dictionary with one term per line, a TAB, and a label such as NAME_STAFF or PROTECTED. Empty
// lines and lines that begin with # are left out. An error names the line, not what stands there.
func LoadUser(r io.Reader) (*Dictionary, error) {
	var entries []Entry
	s := bufio.NewScanner(r)
	for line := 1; s.Scan(); line++ {
		text := strings.TrimPrefix(s.Text(), "\uFEFF")
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		term, label, ok := strings.Cut(text, "\t")
		if !ok {
			return nil, fmt.Errorf("line %d: %w", line, ErrNoLabel)
		}
		var err error
		if entries, err = add(entries, term, label); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	return NewDictionary(entries)
}

// LoadUserFile reads a dictionary in the format that the file's name tells: .csv (term, label), .yaml or .yml (a
// mapping of labels to lists of terms), anything else as LoadUser does.
func LoadUserFile(name string, r io.Reader) (*Dictionary, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		return loadCSV(r)
	case ".yaml", ".yml":
		return loadYAML(r)
	}
	return LoadUser(r)
}

func loadCSV(r io.Reader) (*Dictionary, error) {
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1
	c.Comment = '#'
	var entries []Entry
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return NewDictionary(entries)
		}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			return nil, fmt.Errorf("line %d: %w", broken.Line, broken.Err)
		}
		if err != nil {
			return nil, fmt.Errorf("dictionary: %w", err)
		}
		line, _ := c.FieldPos(0)
		switch len(row) {
		case 1:
			err = ErrNoLabel
		case 2:
			entries, err = add(entries, strings.TrimPrefix(row[0], "\uFEFF"), row[1])
		default:
			err = ErrShape
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// loadYAML reads {NAME_STAFF: [term, …], PROTECTED: [term, …]}.
func loadYAML(r io.Reader) (*Dictionary, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", yamlPlace(err))
	}
	var entries []Entry
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		var labels []*ast.MappingValueNode
		switch n := doc.Body.(type) {
		case *ast.MappingNode:
			labels = n.Values
		case *ast.MappingValueNode:
			labels = []*ast.MappingValueNode{n}
		default:
			return nil, fmt.Errorf("line %d: %w", doc.Body.GetToken().Position.Line, ErrShape)
		}
		for _, l := range labels {
			terms, ok := l.Value.(*ast.SequenceNode)
			if !ok {
				return nil, fmt.Errorf("line %d: %w", l.GetToken().Position.Line, ErrShape)
			}
			for _, term := range terms.Values {
				line := term.GetToken().Position.Line
				scalar, ok := term.(ast.ScalarNode)
				if !ok {
					return nil, fmt.Errorf("line %d: %w", line, ErrShape)
				}
				entries, err = add(entries, scalarText(scalar), l.Key.GetToken().Value)
				if err != nil {
					return nil, fmt.Errorf("line %d: %w", line, err)
				}
			}
		}
	}
	return NewDictionary(entries)
}

func scalarText(n ast.ScalarNode) string {
	if s, ok := n.(*ast.StringNode); ok {
		return s.Value
	}
	return n.GetToken().Value // 0815 is a term, not a number
}

// yamlPlace keeps the line of a YAML error and drops its text, which quotes the file.
func yamlPlace(err error) error {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		return fmt.Errorf("line %d: %w", e.GetToken().Position.Line, ErrShape)
	}
	return ErrShape
}

func add(entries []Entry, term, label string) ([]Entry, error) {
	e := Entry{Text: strings.TrimSpace(term)}
	if len(entries) >= maxEntries {
		return nil, ErrTooMany
	}
	if strings.TrimSpace(label) == "" {
		return nil, ErrNoLabel
	}
	t, ok := phi.ParseType(label)
	if strings.EqualFold(strings.TrimSpace(label), phi.Protected.String()) {
		t, ok = phi.Protected, true
	}
	if !ok {
		return nil, ErrLabel
	}
	e.Type = t
	if err := check(e); err != nil {
		return nil, err
	}
	return append(entries, e), nil
}

// userScore is what a user's own entry is worth.
const userScore = 0.96

// user finds the entries of a dictionary.
func (r *reader) user(d *Dictionary) {
	for i := 0; i < len(r.tokens); {
		end, value := r.match(d.phrases, i)
		if end == i {
			i++
			continue
		}
		e := d.entries[value-1]
		if e.capital && !r.tokens[i].capital() {
			i++
			continue
		}
		r.emit(i, end, e.kind, userScore, "gazetteer.user")
		i = end
	}
}
