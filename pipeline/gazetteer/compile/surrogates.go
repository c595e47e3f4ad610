package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"fhirdeid/pipeline/phi/fold"
)

// drawn says whether a name may be drawn as a surrogate: one word in Latin letters that is nothing else besides.
func (v *vocabulary) drawn(name string) bool {
	w := v.of[fold.Key(name)]
	first, _ := firstRune(name)
	return len(name) > 2 && len(name) < 20 && unicode.IsUpper(first) && isName(fold.Key(name)) &&
		w.Common("") == 0 && !w.Medical() && !w.Drug() && !w.Eponym() && !w.Country() && !w.State() && w.City() < 3
}

func firstRune(s string) (rune, bool) {
	for _, r := range s {
		return r, true
	}
	return 0, false
}

// buildSurrogates writes what surrogates are drawn from: sections headed by # and a name, one entry per line.
func buildSurrogates(src *source, v *vocabulary) ([]byte, error) {
	sections := map[string][]string{}
	add := func(section, value string) { sections[section] = append(sections[section], value) }
	person := func(section, name string) {
		if v.drawn(name) {
			add(section, name)
		}
	}
	faker := func(list string, locales ...string) {
		for _, r := range src.rows(list) {
			for _, locale := range locales {
				if g, ok := strings.CutPrefix(r[1], "first_"); ok {
					if w := v.of[fold.Key(r[0])]; w.Gender() != 0 && string(rune(w.Gender())) == g {
						person("first."+locale+"."+g, r[0])
						person("first."+locale+".any", r[0])
					}
					continue
				}
				person("last."+locale, r[0])
			}
		}
	}
	faker("names_faker_de_DE", "de", "at", "ch")
	faker("names_faker_de_AT", "de", "at")
	faker("names_faker_de_CH", "ch")
	for _, r := range append(src.rows("us_first_names_alvearie"), src.rows("us_first_names")...) {
		if w := v.of[fold.Key(r[0])]; w.Gender() != 0 && string(rune(w.Gender())) == r[1] {
			person("first.en."+r[1], r[0])
			person("first.en.any", r[0])
		}
	}
	for i, name := range src.column("us_surnames", 0) {
		if i < 8000 {
			person("last.en", name)
		}
	}

	for _, country := range []string{"de", "at", "ch", "us"} {
		for _, r := range src.rows("zip_" + country) {
			if len(r) >= 3 {
				add("zip."+country, r[0]+"\t"+r[1]+"\t"+r[2])
			}
		}
	}
	for _, name := range src.column("streets_de_faker", 0) {
		add("street.de", strings.Replace(name, "Str.", "Straße", 1))
	}
	for _, name := range src.column("streets_at_faker", 0) {
		add("street.at", name)
	}
	n := 0
	for _, name := range src.column("streets_ch", 0) {
		if strings.HasSuffix(name, "strasse") && !strings.Contains(name, " ") {
			if n++; n%12 == 0 {
				add("street.ch", name)
			}
		}
	}
	for _, name := range src.column("us_street_names", 0) {
		if len(name) > 3 && name[0] >= 'A' {
			for _, suffix := range []string{"Street", "Avenue", "Road", "Drive", "Lane"} {
				add("street.us", name+" "+suffix)
			}
		}
	}
	for _, name := range src.column("de_hospitals", 0) {
		for _, country := range []string{"de", "at", "ch"} {
			add("hospital."+country, name)
		}
	}
	for i, name := range src.column("us_hospitals", 0) {
		if i%4 == 0 {
			add("hospital.us", name)
		}
	}
	for _, name := range src.column("de_health_insurers", 0) {
		add("insurer", name)
	}
	for _, r := range src.rows("occupations_de_faker") {
		if len(r) > 1 && (r[1] == "m" || r[1] == "f") && !strings.ContainsAny(r[0], " */(") {
			add("job.de."+r[1], r[0])
			add("job.de.any", r[0])
		}
	}
	for _, list := range []string{"occupations_en_corpora", "occupations_en_faker"} {
		for _, name := range src.column(list, 0) {
			if !strings.ContainsAny(name, ",/()") {
				add("job.en", strings.ToLower(name))
			}
		}
	}

	var names []string
	for name := range sections {
		names = append(names, name)
	}
	slices.Sort(names)
	var out bytes.Buffer
	for _, name := range names {
		slices.Sort(sections[name])
		fmt.Fprintf(&out, "#%s\n", name)
		for _, value := range slices.Compact(sections[name]) {
			fmt.Fprintln(&out, value)
		}
	}
	return out.Bytes(), src.err
}
