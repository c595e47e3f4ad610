package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fhirdeid/pipeline/phi"
)

// table maps the labels of one source to our taxonomy.
type table struct {
	labels map[string][]phi.Type // empty list: not PHI
	mask   map[string]bool       // not PHI, but PHI may hide inside
	whole  bool                  // the table lists all labels of the source
}

// meaning is what a source label stands for.
type meaning struct {
	types []phi.Type // empty: not PHI
	mask  bool       // take no notice of the stretch at all
}

// read gives the meaning of a label. Labels that no table knows are ours, or those of the well-known corpora.
func (t *table) read(label string) (meaning, error) {
	if types, ok := t.labels[label]; ok {
		return meaning{types, t.mask[label]}, nil
	}
	if ty, ok := phi.ParseType(label); ok {
		return meaning{types: []phi.Type{ty}}, nil
	}
	key := strings.ToUpper(strings.NewReplacer("-", "_", " ", "_").Replace(label))
	if ty, ok := phi.ParseType(key); ok {
		return meaning{types: []phi.Type{ty}}, nil
	}
	if ty, ok := wellKnown[key]; ok {
		if ty == phi.NoType {
			return meaning{}, nil
		}
		return meaning{types: []phi.Type{ty}}, nil
	}
	return meaning{}, fmt.Errorf("%w: label %q has no meaning in the taxonomy", ErrCorpus, label)
}

// wellKnown are the labels of i2b2 2006 and 2014, GeMTeX, GraSCCo and OMOP-like schemes; NoType stays in the text.
var wellKnown = map[string]phi.Type{
	"PATIENT": phi.NamePatient, "DOCTOR": phi.NameStaff, "USERNAME": phi.NameUsername,
	"NAME_DOCTOR": phi.NameStaff, "NAME_RELATIVE": phi.NameOther, "NAME_TITLE": phi.NoType, "NAME_EXT": phi.NoType,
	"HOSPITAL": phi.LocationHospital, "DEPARTMENT": phi.LocationHospital, "ROOM": phi.LocationHospital,
	"ORGANIZATION": phi.LocationOrganization, "STREET": phi.LocationStreet, "CITY": phi.LocationCity,
	"STATE": phi.LocationState, "COUNTRY": phi.LocationCountry, "ZIP": phi.LocationZIP,
	"DATE_BIRTH": phi.DateBirthdate, "DATE_DEATH": phi.DateDate,
	"PHONE": phi.ContactPhone, "FAX": phi.ContactFax, "EMAIL": phi.ContactEmail, "URL": phi.ContactURL,
	"IPADDR": phi.ContactIP, "IPADDRESS": phi.ContactIP,
	"MEDICALRECORD": phi.IDPatient, "IDNUM": phi.IDOther, "SSN": phi.IDSSN, "HEALTHPLAN": phi.IDHealthplan,
	"ACCOUNT": phi.IDAccount, "LICENSE": phi.IDLicense, "VEHICLE": phi.IDVehicle, "DEVICE": phi.IDDevice,
	"BIOID": phi.IDBiometric, "PER": phi.Name, "PERSON": phi.Name, "LOC": phi.Location,
	"ORG": phi.LocationOrganization, "MISC": phi.NoType, "O": phi.NoType,
}

// file is labels.json.
type file struct {
	Mask  map[string][]string                   `json:"_mask"`
	Files map[string]map[string]json.RawMessage `json:"files"`
}

// tableFor finds the table of a corpus file: what the caller maps, then the entry of labels.json for it.
func tableFor(name string, options ReadOptions) (*table, error) {
	t := &table{labels: map[string][]phi.Type{}, mask: map[string]bool{}}
	where, key, err := labelsFile(name, options.Labels)
	if err != nil {
		return nil, err
	}
	if where != "" {
		if err := t.load(where, key); err != nil {
			return nil, err
		}
	}
	for label, ours := range options.Map {
		ty, ok := phi.ParseType(ours)
		switch {
		case ours == phi.NoType.String():
			t.labels[label] = nil
		case ok:
			t.labels[label] = []phi.Type{ty}
		default:
			return nil, fmt.Errorf("%w: %q is no label of the taxonomy", ErrCorpus, ours)
		}
	}
	return t, nil
}

// labelsFile looks for labels.json in the folder of the corpus and up to three above; key is the path from there.
func labelsFile(name, given string) (where, key string, err error) {
	full, err := filepath.Abs(name)
	if err != nil {
		return "", "", err
	}
	if given != "" {
		base, err := filepath.Abs(filepath.Dir(given))
		if err != nil {
			return "", "", err
		}
		key, err := filepath.Rel(base, full)
		return given, filepath.ToSlash(key), err
	}
	dir := filepath.Dir(full)
	for range 4 {
		candidate := filepath.Join(dir, "labels.json")
		if _, err := os.Stat(candidate); err == nil {
			key, err := filepath.Rel(dir, full)
			return candidate, filepath.ToSlash(key), err
		}
		dir = filepath.Dir(dir)
	}
	return "", "", nil
}

func (t *table) load(where, key string) error {
	data, err := load(where)
	if err != nil {
		return err
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("%w: labels.json is not well formed", ErrCorpus)
	}
	entry, ok := f.Files[key]
	if !ok {
		key = anyEntry(f.Files, key)
		entry = f.Files[key]
	}
	t.whole = entry != nil
	for label, raw := range entry {
		types, err := labelTypes(raw)
		if err != nil {
			return fmt.Errorf("labels.json: %s: %w", label, err)
		}
		t.labels[label] = types
	}
	for _, label := range f.Mask[key] {
		t.mask[label] = true
	}
	return nil
}

// anyEntry finds the entry of a file that was moved or unpacked: by its name without .gz.
func anyEntry(files map[string]map[string]json.RawMessage, key string) string {
	bare := func(s string) string { return strings.TrimSuffix(filepath.Base(s), ".gz") }
	for name := range files {
		if bare(name) == bare(key) {
			return name
		}
	}
	return ""
}

func labelTypes(raw json.RawMessage) ([]phi.Type, error) {
	var names []string
	var one *string
	if err := json.Unmarshal(raw, &one); err == nil {
		if one == nil {
			return nil, nil
		}
		names = []string{*one}
	} else if err := json.Unmarshal(raw, &names); err != nil {
		return nil, errors.New("neither a label, a list of labels nor null")
	}
	var types []phi.Type
	for _, name := range names {
		ty, ok := phi.ParseType(name)
		if !ok {
			return nil, fmt.Errorf("%q is no label of the taxonomy", name)
		}
		types = append(types, ty)
	}
	return types, nil
}

// marked lists the types that the source marks, given the labels it annotates; nil means all.
func (t *table) marked(labels []string) []phi.Type {
	if !t.whole {
		return nil
	}
	var types []phi.Type
	for label, of := range t.labels {
		if len(labels) == 0 || slices.Contains(labels, label) {
			types = append(types, of...)
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// mark adds one mark to a document.
func (d *Document) mark(t *table, label string, start, end int) error {
	m, err := t.read(label)
	switch {
	case err != nil:
		return err
	case m.mask:
		if start >= 0 && start < end && end <= len(d.Text) {
			d.Ignore = append(d.Ignore, Range{start, end})
		}
	case len(m.types) > 0:
		d.Gold = append(d.Gold, Gold{Start: start, End: end, Type: m.types[0], Also: m.types[1:], Label: label})
	}
	return nil
}
