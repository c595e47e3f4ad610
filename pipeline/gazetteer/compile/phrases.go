package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"fhirdeid/pipeline/phi/fold"
)

// sections of the phrases file; the gazetteer gives each its type.
const (
	hospital     = "hospital"
	organisation = "organisation"
	street       = "street" // only with a house number
	protected    = "protected"
)

//go:embed organisations.txt
var organisations string

//go:embed protected.txt
var protectedPhrases string

// buildPhrases writes names of several words, and names of one word that are no names of people or places.
func buildPhrases(src *source, v *vocabulary) ([]byte, error) {
	sets := map[string]map[string]bool{}
	add := func(section, phrase string) {
		key := strings.Join(strings.Fields(fold.Key(phrase)), " ")
		if len(key) < 3 || len(key) > 80 {
			return
		}
		if sets[section] == nil {
			sets[section] = map[string]bool{}
		}
		sets[section][key] = true
	}
	for _, list := range []string{"us_hospitals", "de_hospitals"} {
		for _, name := range src.column(list, 0) {
			if v.distinct(name) {
				add(hospital, name)
			}
		}
	}
	for _, name := range src.column("de_health_insurers", 0) {
		add(organisation, name)
	}
	for line := range strings.Lines(organisations) {
		add(organisation, strings.TrimSpace(line))
	}
	for line := range strings.Lines(protectedPhrases) {
		add(protected, strings.TrimSpace(line))
	}
	for _, list := range []string{"streets_ch", "streets_de_faker", "streets_at_faker"} {
		for _, name := range src.column(list, 0) {
			if !hasStreetSuffix(fold.Key(name)) {
				add(street, name)
			}
		}
	}
	var out bytes.Buffer
	for _, section := range []string{hospital, organisation, protected, street} {
		fmt.Fprintf(&out, "#%s\n", section)
		keys := make([]string, 0, len(sets[section]))
		for key := range sets[section] {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			fmt.Fprintln(&out, key)
		}
	}
	return out.Bytes(), src.err
}

// distinct says whether a hospital's name holds a word that is its own, for "General Hospital" is any.
func (v *vocabulary) distinct(name string) bool {
	words := strings.FieldsFunc(fold.Key(name), func(r rune) bool { return strings.ContainsRune(" -./&'", r) })
	if len(words) < 2 {
		return false
	}
	for _, w := range words {
		if len(w) > 2 && v.of[w].Common("") < 2 && !generic[w] {
			return true
		}
	}
	return len(words) > 4
}

var generic = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`hospital hospitals medical center centre memorial general community regional university county
city national state childrens children womens women saint clinic health healthcare system systems services district municipal
infirmary institute rehabilitation surgical specialty the of and at for inc llc north south east west central krankenhaus klinik
kliniken klinikum universitaetsklinikum kreiskrankenhaus landeskrankenhaus stadt gmbh fuer und der die das des im am`) {
		m[w] = true
	}
	return m
}()

// hasStreetSuffix says whether the rules know the street by its ending.
func hasStreetSuffix(key string) bool {
	for _, s := range []string{"strasse", "str.", "str", "weg", "gasse", "platz", "allee", "ring", "damm", "ufer", "steig", "stieg", "gaessli", "gaesschen", "chaussee", "promenade", "strooss"} {
		if strings.HasSuffix(key, s) {
			return true
		}
	}
	for _, s := range []string{"rue ", "avenue ", "chemin ", "route ", "impasse ", "place ", "via ", "viale ", "piazza ", "ruelle ", "sentier ", "boulevard ", "quai ", "passage ", "strada ", "vicolo ", "am ", "im ", "an der ", "auf der ", "in der ", "in den ", "auf dem ", "zum ", "zur "} {
		if strings.HasPrefix(key, s) {
			return true
		}
	}
	return false
}
