// Package models opens model packs: a folder with a manifest, a tokenizer and one or two ONNX models. A pack is
// checked before it is used, so that nothing runs with a model that is not the one it was measured with.
package models

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"fhirdeid/pipeline/ner"
	"fhirdeid/pipeline/phi"
)

// ManifestFile is the name of the manifest in a pack.
const ManifestFile = "manifest.json"

// ErrManifest says that a manifest cannot be used.
var ErrManifest = errors.New("manifest")

// Manifest describes a pack.
type Manifest struct {
	Schema    int            `json:"schema"` // 1
	Name      string         `json:"name"`
	Version   string         `json:"version"`
	Languages []phi.Language `json:"languages"`
	Licence   string         `json:"licence,omitempty"`
	Base      *Base          `json:"base,omitempty"`
	Data      []Data         `json:"data,omitempty"`
	Tokenizer File           `json:"tokenizer"`
	Window    Window         `json:"window,omitzero"`
	Special   *Special       `json:"special,omitempty"` // nil: as the tokenizer adds them
	// What follows is the pack's own decision, see ner.Decision.
	Lambda               float64            `json:"lambda,omitempty"`
	Lambdas              map[string]float64 `json:"lambdas,omitempty"` // by category of the taxonomy
	Recall               float64            `json:"recall,omitempty"`
	Threshold            float64            `json:"threshold,omitempty"`
	SuperclassThreshold  float64            `json:"superclass_threshold,omitempty"`
	SuperclassThresholds map[string]float64 `json:"superclass_thresholds,omitempty"` // by category
	Thresholds           map[string]float64 `json:"thresholds,omitempty"`            // by type or category
	Quiet                float64            `json:"quiet,omitempty"`
	Word                 string             `json:"word,omitempty"`      // strongest (default), first or mean
	Agreement            string             `json:"agreement,omitempty"` // confidence (default) or table

	Models []Model `json:"models"`
	// LabelMap gives our label, or O, for a label of a model that does not speak our taxonomy; with or without the
	// prefix for begin and inside.
	LabelMap map[string]string `json:"label_map,omitempty"`
	Encoder  *Encoder          `json:"encoder,omitempty"`
	Metrics  *Metrics          `json:"metrics,omitempty"`
}

// Base says what the models were made from.
type Base struct {
	Name           string `json:"name"`
	Package        string `json:"package,omitempty"`
	PackageVersion string `json:"package_version,omitempty"`
	Licence        string `json:"licence,omitempty"`
	SHA256         string `json:"sha256,omitempty"`
}

// Data is a source of training data.
type Data struct {
	Name        string `json:"name"`
	Licence     string `json:"licence,omitempty"`
	Attribution string `json:"attribution,omitempty"`
}

// File is a file of the pack.
type File struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// Window is how much a model reads at once, in tokens without the marks of begin and end.
type Window struct {
	Tokens  int `json:"tokens"`
	Overlap int `json:"overlap"`
}

// Special are the ids put around each window.
type Special struct {
	BOS *int64 `json:"bos,omitempty"`
	EOS *int64 `json:"eos,omitempty"`
	Pad *int64 `json:"pad,omitempty"` // not used: windows are never padded
}

// The roles of models.
const (
	Superclass = "superclass"
	Subclass   = "subclass"
)

// Model is one tagger.
type Model struct {
	Role   string   `json:"role"`
	File   string   `json:"file"`
	SHA256 string   `json:"sha256"`
	Labels []string `json:"labels"` // of the classes, in their order
	// Trunk names an output of the pack's superclass model, and the input of this one that takes it: the subclass model
	// goes on from there instead of reading ids.
	Trunk        string `json:"trunk,omitempty"`
	Layers       int    `json:"layers,omitempty"`
	Quantisation string `json:"quantisation,omitempty"`
}

// Encoder names the output that embeddings are taken from.
type Encoder struct {
	File   string `json:"file"`
	Output string `json:"output"`
}

// Metrics are the scores that the pack reached on its development corpus.
type Metrics struct {
	Corpus        string                 `json:"corpus,omitempty"`
	Lambda        float64                `json:"lambda,omitempty"`
	WordRecall    float64                `json:"word_recall,omitempty"`
	WordPrecision float64                `json:"word_precision,omitempty"`
	Types         map[string]TypeMetrics `json:"types,omitempty"`
}

// TypeMetrics are the scores for one type.
type TypeMetrics struct {
	Recall    float64 `json:"recall"`
	Precision float64 `json:"precision"`
	N         int     `json:"n"`
}

// ParseManifest reads and checks a manifest. Unknown, repeated and wrongly spelt keys are refused.
func ParseManifest(data []byte) (*Manifest, error) {
	if err := strictKeys(data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var m Manifest
	if err := decoder.Decode(&m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	if m.Window.Tokens == 0 {
		m.Window.Tokens = 126
		if m.Window.Overlap == 0 {
			m.Window.Overlap = 32
		}
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	return &m, nil
}

// freeKeys are the objects whose keys are data.
var freeKeys = map[string]bool{"label_map": true, "types": true, "thresholds": true, "lambdas": true, "superclass_thresholds": true}

// strictKeys refuses what encoding/json lets pass: repeated keys, keys in another case, and text behind the end.
func strictKeys(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := walkKeys(decoder, "", 0); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the end")
	}
	return nil
}

func walkKeys(decoder *json.Decoder, under string, depth int) error {
	if depth > 16 {
		return errors.New("too deep")
	}
	token, err := decoder.Token()
	if err != nil {
		return errors.New("no well-formed JSON")
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for decoder.More() {
		name := under
		if delim == '{' {
			token, err := decoder.Token()
			if err != nil {
				return errors.New("no well-formed JSON")
			}
			name, _ = token.(string)
			switch {
			case seen[name]:
				return fmt.Errorf("key %q twice", name)
			case name != strings.ToLower(name) && !freeKeys[under]:
				return fmt.Errorf("unknown key %q", name)
			}
			seen[name] = true
		}
		if err := walkKeys(decoder, name, depth+1); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return errors.New("no well-formed JSON")
	}
	return nil
}

var plainName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$`)

func (m *Manifest) check() error {
	switch {
	case m.Schema != 1:
		return fmt.Errorf("schema %d; this program reads schema 1", m.Schema)
	case !plainName.MatchString(m.Name) || strings.Contains(m.Name, ".."):
		return errors.New("name is missing or not plain (letters, digits, - _ .)")
	case m.Version == "":
		return errors.New("version is missing")
	case len(m.Languages) == 0:
		return errors.New("languages are missing")
	case m.Window.Tokens < 8 || m.Window.Tokens > 4096 || m.Window.Overlap < 0 || m.Window.Overlap > m.Window.Tokens/2:
		return fmt.Errorf("a window of %d tokens with an overlap of %d; 8 to 4096, and at most half of it", m.Window.Tokens, m.Window.Overlap)
	case len(m.Models) == 0 || len(m.Models) > 2:
		return fmt.Errorf("%d models; one or two are possible", len(m.Models))
	}
	if slices.Contains(m.Languages, "") {
		return errors.New("a language is empty")
	}
	decision, err := m.decision()
	if err != nil {
		return err
	}
	if err := decision.Check(); err != nil {
		return err
	}
	if err := (File{m.Tokenizer.File, m.Tokenizer.SHA256}).check(); err != nil {
		return fmt.Errorf("tokenizer: %w", err)
	}
	roles := map[string]bool{}
	encoder := m.Encoder == nil
	for i, model := range m.Models {
		if model.Role == "" && len(m.Models) == 1 {
			model.Role = Subclass
			m.Models[i].Role = Subclass
		}
		switch {
		case model.Role != Superclass && model.Role != Subclass:
			return fmt.Errorf("unknown role %q", model.Role)
		case roles[model.Role]:
			return fmt.Errorf("two models of role %s", model.Role)
		}
		roles[model.Role] = true
		if err := (File{model.File, model.SHA256}).check(); err != nil {
			return fmt.Errorf("%s: %w", model.Role, err)
		}
		if _, err := m.classes(model); err != nil {
			return fmt.Errorf("%s: %w", model.Role, err)
		}
		encoder = encoder || model.File == m.Encoder.File && m.Encoder.Output != ""
	}
	if !encoder {
		return errors.New("encoder names no model of the pack, or no output")
	}
	return m.checkTrunk()
}

// checkTrunk looks whether a model that goes on from another has one to go on from.
func (m *Manifest) checkTrunk() error {
	for _, model := range m.Models {
		if model.Trunk == "" {
			continue
		}
		trunk, ok := m.model(Superclass)
		switch {
		case model.Role != Subclass || !ok:
			return errors.New("trunk: only a subclass model can go on from the superclass model of its pack")
		case m.Encoder != nil && m.Encoder.File == trunk.File:
			return errors.New("trunk: the encoder must be the model that goes on")
		}
	}
	return nil
}

// model is the one of that role.
func (m *Manifest) model(role string) (Model, bool) {
	i := slices.IndexFunc(m.Models, func(model Model) bool { return model.Role == role })
	if i < 0 {
		return Model{}, false
	}
	return m.Models[i], true
}

func (f File) check() error {
	sum, err := hex.DecodeString(f.SHA256)
	switch {
	case f.File == "" || f.File != filepath.Base(f.File) || !filepath.IsLocal(f.File):
		return errors.New("file must be the name of a file in the pack")
	case err != nil || len(sum) != 32:
		return fmt.Errorf("sha256 of %s is missing or malformed", f.File)
	}
	return nil
}

// poolings and agreements are the names of the ways of deciding.
var (
	poolings   = map[string]ner.Pooling{"": ner.Strongest, "strongest": ner.Strongest, "first": ner.First, "mean": ner.Mean}
	agreements = map[string]ner.Agreement{"": ner.ByConfidence, "confidence": ner.ByConfidence, "table": ner.ByTable}
)

// decision is how the pack decides unless told otherwise.
func (m *Manifest) decision() (ner.Decision, error) {
	d := ner.Decision{Lambda: m.Lambda, Recall: m.Recall, Threshold: m.Threshold, SuperclassThreshold: m.SuperclassThreshold, Quiet: m.Quiet}
	var ok bool
	if d.Word, ok = poolings[m.Word]; !ok {
		return d, fmt.Errorf("unknown word %q; strongest, first and mean are known", m.Word)
	}
	if d.Agreement, ok = agreements[m.Agreement]; !ok {
		return d, fmt.Errorf("unknown agreement %q; confidence and table are known", m.Agreement)
	}
	for label, least := range m.Thresholds {
		t, ok := phi.ParseType(label)
		if !ok {
			return d, fmt.Errorf("thresholds: %q is no label of the taxonomy", label)
		}
		if d.Types == nil {
			d.Types = map[phi.Type]float64{}
		}
		d.Types[t] = least
	}
	var err error
	if d.Lambdas, err = byCategory("lambdas", m.Lambdas); err != nil {
		return d, err
	}
	d.SuperclassThresholds, err = byCategory("superclass_thresholds", m.SuperclassThresholds)
	return d, err
}

// byCategory reads values that a manifest gives for categories.
func byCategory(key string, values map[string]float64) (map[phi.Category]float64, error) {
	if len(values) == 0 {
		return nil, nil
	}
	of := make(map[phi.Category]float64, len(values))
	for label, value := range values {
		t, ok := phi.ParseType(label)
		if !ok || t.Category().Type() != t {
			return nil, fmt.Errorf("%s: %q is no category of the taxonomy", key, label)
		}
		of[t.Category()] = value
	}
	return of, nil
}

// classes reads the labels of a model. A label is our own, or one of the label map, with or without a prefix.
func (m *Manifest) classes(model Model) ([]ner.Class, error) {
	var classes []ner.Class
	outside, inside := false, false
	seen := map[string]bool{}
	for _, label := range model.Labels {
		if seen[label] {
			return nil, fmt.Errorf("label %q twice", label)
		}
		seen[label] = true
		class, err := m.class(label)
		if err != nil {
			return nil, err
		}
		outside = outside || class.Type == phi.NoType
		inside = inside || class.Type != phi.NoType
		classes = append(classes, class)
	}
	if !outside || !inside {
		return nil, errors.New("labels need one for no PHI (O) and one for PHI at least")
	}
	return classes, nil
}

func (m *Manifest) class(label string) (ner.Class, error) {
	prefix, bare := byte(0), label
	if len(label) > 2 && (label[1] == '-' || label[1] == '_') && strings.IndexByte("BISELU", label[0]) >= 0 {
		prefix, bare = label[0], label[2:]
	}
	name, ok := m.LabelMap[label]
	if !ok {
		name, ok = m.LabelMap[bare]
	}
	if !ok {
		name = bare
		if _, known := phi.ParseType(label); known {
			name, prefix = label, 0
		}
	}
	if name == phi.NoType.String() {
		return ner.Class{}, nil
	}
	kind, ok := phi.ParseType(name)
	if !ok {
		return ner.Class{}, fmt.Errorf("label %q has no meaning in the taxonomy; add it to label_map", label)
	}
	return ner.Class{Type: kind, Begin: prefix == 'B' || prefix == 'S' || prefix == 'U'}, nil
}

// source is the first part of the source of the pack's spans: ner.de for fhirdeid-de.
func (m *Manifest) source() string { return "ner." + strings.TrimPrefix(m.Name, "fhirdeid-") }
