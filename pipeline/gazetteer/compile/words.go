package main

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// vocabulary gathers what is known of each word.
type vocabulary struct {
	of   map[string]lists.Word
	core map[string]bool // names of the short, well-kept lists
}

func (v *vocabulary) entries() []lists.Entry {
	var out []lists.Entry
	for _, key := range slices.Sorted(maps.Keys(v.of)) {
		if w := v.of[key]; w != 0 {
			out = append(out, lists.Entry{Key: key, Word: w})
		}
	}
	return out
}

// raise sets a field of a word to value if it is lower.
func (v *vocabulary) raise(key string, shift, bits, value int) {
	if len(key) == 0 || len(key) > 80 {
		return
	}
	mask := lists.Word(1)<<bits - 1
	if old := v.of[key] >> shift & mask; int(old) < value {
		v.of[key] = v.of[key]&^(mask<<shift) | lists.Word(value)<<shift
	}
}

func (v *vocabulary) set(key string, bit lists.Word) {
	if len(key) > 0 && len(key) <= 80 {
		v.of[key] |= bit
	}
}

//go:embed everyday_de.txt
var everydayGerman string

//go:embed drugs.txt
var drugs string // generic and brand names that notes and talk in both languages use, from general knowledge

//go:embed everyday_en.txt
var everydayEnglish string

func buildWords(src *source, freq *frequency) (*vocabulary, error) {
	v := &vocabulary{of: map[string]lists.Word{}, core: map[string]bool{}}
	v.firstNames(src)
	v.surnames(src)
	v.places(src)
	v.medicine(src)
	v.common(src, freq)
	return v, src.err
}

func (v *vocabulary) first(name, gender string, level int) {
	key := fold.Key(name)
	if !isName(key) {
		return
	}
	v.raise(key, lists.FirstShift, 2, level)
	if strings.Contains(gender, "f") {
		v.set(key, lists.FemaleBit)
	}
	if strings.Contains(gender, "m") {
		v.set(key, lists.MaleBit)
	}
}

func (v *vocabulary) firstNames(src *source) {
	for _, list := range []string{"names_faker_de_DE", "names_faker_de_AT", "names_faker_de_CH"} {
		for _, r := range src.rows(list) {
			key := fold.Key(r[0])
			switch r[1] {
			case "first_f", "first_m":
				v.first(r[0], strings.TrimPrefix(r[1], "first_"), 3)
				v.core[key] = true
			case "last":
				v.raise(key, lists.RankShift, 3, 6)
				v.core[key] = true
			}
		}
	}
	for _, r := range src.rows("us_first_names_alvearie") {
		if v.core[fold.Key(r[0])] && r[1] == "fm" {
			r[1] = ""
		}
		v.first(r[0], r[1], 3)
		v.core[fold.Key(r[0])] = true
	}
	for _, r := range src.rows("us_first_names") {
		if v.of[fold.Key(r[0])]&(lists.FemaleBit|lists.MaleBit) != 0 {
			r[1] = "" // the shorter list knows better
		}
		v.first(r[0], r[1], 2)
	}
	for _, name := range src.column("us_first_names_long", 0) {
		v.first(name, "", 1)
	}
	v.berlin(src)
	for _, r := range src.rows("de_first_names_koeln") {
		v.first(r[0], "", level(number(r, 1), 3, 100, 2000))
	}
}

// berlin adds newborns' names; a gender counts when it is that of nine in ten who bear the name.
func (v *vocabulary) berlin(src *source) {
	f, m := map[string]int{}, map[string]int{}
	for _, r := range src.rows("de_first_names_berlin") {
		if len(r) < 3 {
			continue
		}
		for part := range strings.FieldsSeq(r[0]) {
			if r[1] == "f" {
				f[part] += number(r, 2)
			} else {
				m[part] += number(r, 2)
			}
		}
	}
	names := maps.Clone(f)
	maps.Copy(names, m)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		total := f[name] + m[name]
		gender := "fm"
		switch {
		case f[name]*10 >= total*9:
			gender = "f"
		case m[name]*10 >= total*9:
			gender = "m"
		}
		if v.of[fold.Key(name)]&(lists.FemaleBit|lists.MaleBit) != 0 {
			gender = ""
		}
		v.first(name, gender, level(total, 4, 30, 600))
	}
}

func (v *vocabulary) surnames(src *source) {
	for _, r := range src.rows("us_surnames") {
		if key := fold.Key(r[0]); isName(key) {
			n := number(r, 1)
			rank := 1
			for _, least := range []int{300, 1000, 4000, 15000, 60000, 200000} {
				if n >= least {
					rank++
				}
			}
			v.raise(key, lists.RankShift, 3, rank)
		}
	}
	for _, name := range src.column("us_last_names_faker", 0) {
		v.raise(fold.Key(name), lists.RankShift, 3, 6)
	}
	for _, name := range src.column("de_surnames", 0) {
		key := fold.Key(name)
		if !isName(key) {
			continue
		}
		rank := 2
		if v.of[key]>>lists.RankShift&7 >= 3 { // in the US too: not a slip of the list
			rank = 4
		}
		v.raise(key, lists.RankShift, 3, rank)
	}
}

func (v *vocabulary) places(src *source) {
	add := func(name string, level int) {
		name, _, _ = strings.Cut(name, "(")
		name, _, _ = strings.Cut(name, ",")
		key := strings.TrimSpace(fold.Key(name))
		if len(key) >= 2 && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz '-./") == "" {
			v.raise(key, lists.CityShift, 2, level)
		}
	}
	for _, r := range src.rows("cities_world") {
		level := 2
		switch r[1] {
		case "Germany", "Austria", "Switzerland", "United States", "United Kingdom", "Ireland", "Canada", "Australia":
			level = 3
		}
		add(r[0], level)
	}
	for _, name := range worldCities {
		add(name, 3)
	}
	for _, name := range src.column("cities_de", 0) {
		add(name, 2)
		// Hofheim am Taunus is also called Hofheim.
		for _, link := range []string{" am ", " an der ", " im ", " in der ", " bei ", " ob der ", " in ", " vor der ", " auf ", " / "} {
			if head, _, ok := strings.Cut(name, link); ok && len(head) > 4 {
				add(head, 1)
			}
		}
	}
	for _, name := range src.column("cities_at", 0) {
		add(name, 1)
	}
	for _, name := range src.column("cities_ch", 0) {
		for _, canton := range cantons {
			name = strings.TrimSuffix(name, " "+canton)
		}
		add(name, 1)
	}
	for _, name := range src.column("cities_us", 0) {
		add(name, 1)
	}
	for _, name := range append(src.column("countries_en", 0), src.column("countries_de", 0)...) {
		v.set(fold.Key(name), lists.CountryBit)
	}
	for _, name := range moreCountries {
		v.set(fold.Key(name), lists.CountryBit)
	}
	for _, name := range append(src.column("us_states", 0), states...) {
		v.set(fold.Key(name), lists.StateBit)
	}
	for _, list := range []string{"cities_de", "cities_at"} {
		for _, name := range src.column(list, 1) {
			v.set(fold.Key(name), lists.StateBit)
		}
	}
}

func (v *vocabulary) medicine(src *source) {
	for _, name := range src.column("medical_terms_de", 0) {
		if key := fold.Key(name); isName(key) && !v.core[key] {
			v.set(key, lists.MedicalBit)
		}
	}
	for _, name := range append(src.column("drugs_de", 0), strings.Fields(drugs)...) {
		if key := fold.Key(name); isName(key) && !v.core[key] && len(key) > 3 {
			v.set(key, lists.DrugBit)
		}
	}
	for _, r := range src.rows("eponyms_en") {
		key := strings.TrimSuffix(fold.Key(r[0]), "'s")
		for part := range strings.FieldsFuncSeq(key, func(r rune) bool { return r == ' ' || r == '-' }) {
			if part = strings.TrimSuffix(part, "'s"); isName(part) && len(part) > 2 {
				v.set(part, lists.EponymBit)
			}
		}
	}
	for name := range strings.FieldsSeq(eponyms) {
		v.set(fold.Key(name), lists.EponymBit)
	}
	for _, list := range []string{"occupations_en_corpora", "occupations_en_faker", "occupations_en_mask", "occupations_de_faker", "occupations_en"} {
		for _, name := range src.column(list, 0) {
			if key := fold.Key(name); isName(key) && len(key) > 3 {
				v.set(key, lists.JobBit)
			}
		}
	}
}

// common marks everyday words. Names stand in running text too, so a word that is a name must be seen small, or
// often, to count.
func (v *vocabulary) common(src *source, freq *frequency) {
	for _, word := range src.column("safe_words_en_philter", 0) {
		key := fold.Key(word)
		if !isName(key) || len(key) < 3 || v.isName(key) && freq.english[key] == 0 {
			continue
		}
		v.raise(key, lists.EnglishShift, 2, 1)
	}
	for key, n := range freq.english {
		if isName(key) {
			v.raise(key, lists.EnglishShift, 2, level(n, 2, 6, 60))
		}
	}
	for key, n := range freq.german {
		if isName(key) && n >= 2 {
			v.raise(key, lists.GermanShift, 2, level(n, 2, 4, 25))
		}
	}
	for key, n := range freq.german2 {
		m := freq.modern[key]
		if !isName(key) || len(key) < 3 {
			continue
		}
		if v.isName(key) || v.of[key]>>lists.CityShift&3 >= 2 {
			if m < 3 || v.core[key] && m < 12 {
				continue
			}
		}
		switch {
		case m >= 25:
			v.raise(key, lists.GermanShift, 2, 3)
		case m >= 4 || n >= 10:
			v.raise(key, lists.GermanShift, 2, 2)
		case m >= 2 || n >= 4:
			v.raise(key, lists.GermanShift, 2, 1)
		}
	}
	for word := range strings.FieldsSeq(everydayGerman) {
		v.raise(fold.Key(word), lists.GermanShift, 2, 2)
	}
	for word := range strings.FieldsSeq(everydayEnglish) {
		v.raise(fold.Key(word), lists.EnglishShift, 2, 2)
	}
}

// isName says whether the word is a name that people often bear.
func (v *vocabulary) isName(key string) bool {
	w := v.of[key]
	return v.core[key] || w>>lists.FirstShift&3 >= 2 || w>>lists.RankShift&7 >= 3
}

// isName says whether a folded string has the form of one name: Latin letters, inside hyphens and apostrophes.
func isName(key string) bool {
	return len(key) >= 2 && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz'-") == "" && key[0] >= 'a' && key[len(key)-1] >= 'a'
}

// level gives 1, 2 or 3 for counts from a, b or c on; below a it is 1 as well, for the word is listed.
func level(n, _, b, c int) int {
	switch {
	case n >= c:
		return 3
	case n >= b:
		return 2
	}
	return 1
}

func number(row []string, column int) int {
	if column >= len(row) {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(row[column]))
	if err != nil {
		return 0
	}
	return n
}
