package deidentify

import (
	"strings"
	"sync"

	"golang.org/x/text/language"

	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// countryNames are the spellings of countries that stand for themselves; others are taken for something else.
var countryNames = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.SplitSeq("deutschland,germany,österreich,austria,schweiz,switzerland,suisse,liechtenstein,luxemburg,luxembourg,frankreich,france,"+
		"belgien,belgium,niederlande,netherlands,dänemark,denmark,polen,poland,tschechien,czech republic,czechia,italien,italy,spanien,spain,portugal,"+
		"türkei,turkey,griechenland,greece,kroatien,croatia,rumänien,romania,bulgarien,bulgaria,ungarn,hungary,ukraine,russland,russia,syrien,syria,"+
		"vereinigtes königreich,united kingdom,großbritannien,great britain,england,scotland,schottland,wales,northern ireland,irland,ireland,"+
		"vereinigte staaten,vereinigte staaten von amerika,united states,united states of america,usa,kanada,canada,australien,australia,neuseeland,new zealand,"+ //nolint:misspell // German
		"norwegen,norway,schweden,sweden,finnland,finland,mexico,mexiko,india,indien,china,japan,puerto rico", ",") {
		m[fold.Key(name)] = true
	}
	return m
}()

// isCountry says whether s is the code (ISO 3166, two or three letters) or name of a country.
func isCountry(s string) bool {
	s = strings.TrimSpace(s)
	if countryNames[fold.Key(s)] {
		return true
	}
	switch strings.ToUpper(s) {
	case "D", "A", "CH", "UK", "U.S.A.", "U.S.":
		return true
	}
	if len(s) != 2 && len(s) != 3 {
		return false
	}
	r, err := language.ParseRegion(s)
	return err == nil && r.IsCountry()
}

var states = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for code := range strings.FieldsSeq("AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI " +
		"SC SD TN TX UT VT VA WA WV WI WY DC PR " +
		"BW BY BE BB HB HH HE MV NI NW RP SL SN ST SH TH " + // Germany
		"AG AI AR BE BL BS FR GE GL GR JU LU NE NW OW SG SH SO SZ TG TI UR VD VS ZG ZH") { // Switzerland
		m[fold.Key(code)] = true
		m[fold.Key("DE-"+code)], m[fold.Key("US-"+code)], m[fold.Key("CH-"+code)] = true, true, true
	}
	for _, country := range []string{"us", "de", "at", "ch"} {
		for _, p := range lists.Cities(country) {
			if p.State != "" {
				m[fold.Key(p.State)] = true
			}
		}
	}
	return m
})

// isState says whether s is the code or name of a state of the countries whose letters are read.
func isState(s string) bool { return states()[fold.Key(strings.TrimSpace(s))] }
